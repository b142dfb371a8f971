"""Reproduces papers: their tables as data, the commands that produce our figures, and pages that compare both."""
