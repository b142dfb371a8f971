"""Commands of the lab; they only parse arguments."""
