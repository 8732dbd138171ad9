"""Where an exercise stands in the published book."""

import re

from attnbook.teaching.exercises import COURSE

URL = re.compile(r"^ +url: *https://github\.com/([\w.-]+)/([\w.-]+)$", re.M)


def site_of(course=COURSE):
    """Return the address of the book, out of the course's _config.yml.

    Args:
        course: a checkout of the course.

    Raises:
        ValueError: the configuration names no address.
    """
    config = (course / "_config.yml").read_text(encoding="utf-8")
    found = URL.search(config)
    if not found:
        raise ValueError(
            f"expected url: https://github.com/OWNER/NAME in {course}/"
            "_config.yml, got none"
        )
    return f"https://{found[1]}.github.io/{found[2]}"


def address_of(exercise, site):
    """Return the address of an exercise.

    Args:
        exercise: an `Exercise`.
        site: see `site_of`.
    """
    heading = f"Exercise {exercise.id} {exercise.title}".lower()
    place = re.sub(r"[^a-z0-9]+", "-", heading).strip("-")  # as Sphinx does
    return f"{site}/chapters/{exercise.chapter}.html#{place}"
