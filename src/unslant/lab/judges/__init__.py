"""Judges of ideology: how likely a text is conservative rather than liberal, judging by its wording."""
