"""The types that every part shares; standard library only."""
