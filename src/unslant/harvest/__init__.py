"""Neutrality edits out of a wiki's history, and labels for them without annotators.

``harvest`` reads history dumps and writes sentence pairs with a manifest; ``label_pair`` turns a pair into training data.
"""
