"""What a probe asks, about which texts, and how: settings that are options of ``unslant probe`` as well."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from unslant.lab.options import Options, option


class ProbeSettings(Options):
    """What to ask, about which texts, and how."""

    shots: tuple[int, ...] = option(
        "Numbers of examples to show in the prompt, such as 0,5,10.",
        (0,),
        metavar="LIST",
        least=0,
        commas=True,
    )
    descriptions: tuple[str, ...] = option(
        "Wordings of the question: classes or ids; TASK/CLASS for one task only.  [default: all]",
        metavar="LIST",
        commas=True,
    )
    descriptions_file: Path | None = option("Add wordings of your own from this TOML file.")
    decoding: Literal["span", "constrained", "unconstrained"] | None = option(
        "Decoding of the task extraction.  [default: span]"
    )
    sampling: Literal["random", "oracle", "nearest"] = option(
        "How to choose the examples in the prompt.", "random"
    )
    per: Literal["set", "item"] = option(
        "Choose the examples once per seed (set) or for each text (item).", "set", name="--draw"
    )
    seeds: int = option("Number of random seeds.", 1, least=1)
    items: int | None = option("Number of texts.  [default: all]", least=1)
    part: Literal["evaluation", "test"] = option(
        "Use the development and test parts of a corpus (evaluation), or the test part alone.", "evaluation"
    )
    threshold: float = option("Probability above which an answer counts as yes.", 0.5, least=0, most=1)
    temperature: float = option("Sampling temperature of generated answers.", 0.7, least=0)
    top_k: int = option(
        "Sample generated answers from this many of the most likely tokens; 0 means all.", 50, least=0
    )
    name_dimension: bool = option("Name the dimension to remove in the prompts of rephrasing.")
    chat: bool = option("Send each prompt as a user's message, with the model's chat template.")
    stop: Literal["line", "eos"] = option(
        "End an answer at a line break, or only at the end-of-text token.", "line"
    )
    early_end: bool = option("Let an answer end in the middle of a dimension's name, as in the publication.")
    data: Path | None = option(
        "Read corpora from DIR.  [default: $UNSLANT_DATA, then the cache]", metavar="DIR", exists=True
    )
    resamples: int = option(
        "Bootstrap resamples for the 95 % intervals; 0 turns intervals off.", 1000, least=0
    )

    @property
    def line_ends(self) -> bool:
        """Whether an answer ends at the end of a line."""
        return self.stop == "line"
