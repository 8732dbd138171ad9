"""What the course itself costs, and whether its own answers hold."""
