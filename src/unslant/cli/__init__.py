"""The command line: parsing only; the work is done by the library."""
