"""Neutrality edits from a wiki's history, and labels for them without annotators.

``run.harvest`` reads history dumps and writes sentence pairs with a manifest; ``weak_labels.label_pair`` turns a pair
into training data.
"""
