"""The words that every part speaks; standard library only."""
