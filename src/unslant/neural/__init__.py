"""The model at run time: what a network's numbers mean in a text."""
