"""Reproducing papers: their tables as data, the commands that give our figures, and pages with both."""
