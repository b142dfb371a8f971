"""Measures models, rules, judges and rewriters on labelled text."""
