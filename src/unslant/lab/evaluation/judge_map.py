"""Maps of articles: by their words alone, and by a judge's own embeddings, as in Figure 2 of Liu et al. 2021.

Where a judge has learned something, articles that it puts on one side are close to each other in its own space. A
figure says so without a drawing: the share of an article's nearest neighbours that have the same verdict.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from unslant.core.example import Example
from unslant.lab.audit.page import place_vectors, word_vectors
from unslant.lab.evaluation.held_out import Setting
from unslant.lab.evaluation.result import Section, figures
from unslant.lab.judges.judge import EmbeddingJudge, Judge, judge_texts
from unslant.lab.report.page import Svg
from unslant.lab.stats.metrics import mean

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]

__all__ = ["map_articles", "same_side_shares"]

_ARTICLES = 500
_NEIGHBOURS = 10
_SIDE, _TOP = 320, 46
_COLOURS = {False: "#2b6cb0", True: "#c05621"}


def map_articles(judge: Judge, examples: Sequence[Example], setting: Setting) -> tuple[Section, str] | None:
    """Return the shares of neighbours and the drawing; None for a judge without embeddings, or too few articles."""
    if not isinstance(judge, EmbeddingJudge):
        return None
    some = random.Random(0).sample(list(examples), min(_ARTICLES, len(examples)))  # noqa: S311
    texts = [example.text for example in some]
    verdicts = [(at, value >= 0.5) for at, value in enumerate(judge_texts(judge, texts)) if value is not None]
    if len(verdicts) <= _NEIGHBOURS:
        return None
    texts, sides = [texts[at] for at, _ in verdicts], [side for _, side in verdicts]
    spaces = {"by their words": word_vectors(texts), "by the judge's embeddings": _unit(judge.vectors(texts))}
    measures = {name: mean(same_side_shares(vectors, sides)) for name, vectors in spaces.items()}
    right = sum(sides) / len(sides)
    measures["expected by chance"] = mean([right if side else 1 - right for side in sides])
    section = Section(
        f"nearest {_NEIGHBOURS} neighbours of {len(texts)} articles of unseen outlets with the same verdict",
        figures("judge-map", measures, setting.resampling),
    )
    return section, _draw({name: place_vectors(vectors) for name, vectors in spaces.items()}, sides)


def same_side_shares(vectors: Numbers, sides: Sequence[bool], count: int = _NEIGHBOURS) -> list[float]:
    """Return, for each text, the share of its nearest neighbours by cosine that are on its side."""
    import numpy as np

    unit = _unit(vectors)
    near = unit @ unit.T
    np.fill_diagonal(near, -np.inf)
    chosen = np.argsort(-near, axis=1, kind="stable")[:, :count]
    own = np.asarray(sides)
    found: list[float] = (own[chosen] == own[:, None]).mean(axis=1).tolist()
    return found


def _unit(vectors: Numbers) -> Numbers:
    import numpy as np

    return np.asarray(vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12))


def _draw(maps: dict[str, Any], sides: Sequence[bool]) -> str:
    svg = Svg(_SIDE * len(maps), _SIDE + _TOP, "Articles, coloured by the side that the judge puts them on")
    for x, side, name in ((8, False, "judged left"), (108, True, "judged right")):
        svg.circle(x + 4, 12, 4, fill=_COLOURS[side])
        svg.text(x + 14, 16, name)
    for number, (title, places) in enumerate(maps.items()):
        left = number * _SIDE
        svg.text(left + _SIDE / 2, 38, title, text_anchor="middle")
        svg.rect(left + 2, _TOP, _SIDE - 6, _SIDE - 4, fill="none", stroke="#999")
        for (x, y), side in zip(places.tolist(), sides, strict=True):
            svg.circle(
                left + 10 + x * (_SIDE - 22),
                _TOP + 8 + (1 - y) * (_SIDE - 20),
                2.4,
                fill=_COLOURS[side],
                fill_opacity=0.65,
            )
    return svg.render()
