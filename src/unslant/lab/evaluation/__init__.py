"""Measuring how good the parts are, on labelled text."""
