"""The command line: parsing only; the library works."""
