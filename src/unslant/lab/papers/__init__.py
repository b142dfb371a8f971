"""Published systems, one folder a paper: what only a run of the paper's experiments needs.

Nothing else of the lab imports these folders. Their recipes are found by name (:mod:`unslant.lab.detector.recipe`), and
their systems through the names below, as ``"module:attribute"``.
"""
