"""Run an answer of a student where it can harm nothing.

`client` is used by the grader; `wire` and `peer` are what both sides speak;
`worker`, `jail` and `trace` run beside the answer, as plain files, without
the package.  So this file imports nothing.
"""
