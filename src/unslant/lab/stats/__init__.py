"""Metrics, bootstrap intervals and permutation tests for all measurements of the lab."""
