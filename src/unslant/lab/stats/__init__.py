"""Metrics, bootstrap intervals and permutation tests, shared by everything in the lab that measures."""
