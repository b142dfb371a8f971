"""Bauer et al. 2023: the sizes of the sets that they built from CAD."""
