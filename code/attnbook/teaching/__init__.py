"""Assign exercises to a class, collect what comes back, grade it.

`attnbook assign`, `attnbook collect` and `attnbook grade` are made of these
modules; ``book/teach/`` explains them to teachers.  They need a checkout of
the course, because the chapters' texts hold the exercises.
"""
