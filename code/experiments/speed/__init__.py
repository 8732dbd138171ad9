"""How long things take, and what they hold, on a CPU and a GPU."""
