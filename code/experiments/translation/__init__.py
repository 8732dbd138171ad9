"""Translators trained for long: the race, real text, searches."""
