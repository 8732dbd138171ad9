"""What the rules of several exercises share; each has its own ``rules.py``."""
