"""Published systems, one folder a paper: what only a run of the paper's experiments needs.

Nothing else of the lab imports these folders. Commands find the systems in them by name (:mod:`unslant.lab.published`),
and so they do the recipes.
"""
