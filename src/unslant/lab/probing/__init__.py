"""How well a language model understands slant, and how much the wording of the question matters (Bauer et al. 2023)."""
