"""Spinde et al. 2021, BABE: recipes and figures."""
