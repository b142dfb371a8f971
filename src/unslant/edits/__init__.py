"""Edits of findings: who proposes them, what is decided about each, and applying them together."""
