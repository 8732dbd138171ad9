"""One small experiment for each claim of a chapter."""
