"""Runs that are killed, or that several processes share."""
