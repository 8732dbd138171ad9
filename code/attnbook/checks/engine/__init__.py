"""What all checks share: call, compare, explain, and the guard around it."""
