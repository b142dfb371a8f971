"""Annotation: projects and their results, aggregated labels, agreement between annotators, human evaluation."""
