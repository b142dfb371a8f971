"""Scoring tables: one row out for one row in."""
