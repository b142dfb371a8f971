"""Measures the political slant of a language model: a judge scores its texts, and the distributions are compared."""
