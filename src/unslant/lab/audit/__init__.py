"""Measures the political slant of a language model: what it writes, judged, compared as distributions."""
