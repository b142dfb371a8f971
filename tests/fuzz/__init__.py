"""Long runs with texts made to break things; only run when asked for with -m fuzz."""
