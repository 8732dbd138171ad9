"""Where an exercise stands in the published book."""

import re

from attnbook.teaching.exercises import COURSE

SITE = re.compile(r"^  baseurl: *(https?://\S+?)/?\s", re.MULTILINE)


def site_of(course=COURSE):
    """Return the address of the book: html.baseurl in _config.yml.

    Args:
        course: a checkout of the course.

    Raises:
        ValueError: the configuration names no address.
    """
    config = (course / "_config.yml").read_text(encoding="utf-8")
    found = SITE.search(config)
    if not found:
        raise ValueError(
            f"expected html.baseurl: https://... in {course}/_config.yml, "
            "got none"
        )
    return found[1]


def address_of(exercise, site):
    """Return the address of an exercise.

    Args:
        exercise: an `Exercise`.
        site: see `site_of`.
    """
    heading = f"Exercise {exercise.id} {exercise.title}".lower()
    place = re.sub(r"[^a-z0-9]+", "-", heading).strip("-")  # as Sphinx does
    return f"{site}/chapters/{exercise.chapter}.html#{place}"
