"""Rewriters that learn from sentence pairs: the systems of the papers, from source copy to fine-tuned BART."""
