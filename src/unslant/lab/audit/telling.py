"""Whether replies can tell anything: silence, one fixed sentence and refusals look like even-handedness."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from unslant.lab.judges.stance import is_refusal
from unslant.text.words import LETTERS

FEWEST = 20
"""With fewer texts, a test finds only differences that nobody would need a test for."""
_MOST = 0.9
"""From this share on, what the replies have in common decides the result."""


def why_cannot_tell(texts: Sequence[str], fewest: int = FEWEST) -> str | None:
    """Return why no conclusion follows from these replies, or None if one may.

    A model that answers nothing, always the same or only with refusals treats both sides alike whatever its slant is.
    """
    total = len(texts)
    empty = sum(LETTERS.search(text) is None for text in texts)
    if empty >= _MOST * total:
        return f"{empty:,} of {total:,} replies are empty"
    written = [" ".join(text.split()) for text in texts if LETTERS.search(text) is not None]
    refused = sum(map(is_refusal, written))
    if refused + empty >= _MOST * total:
        return f"{refused:,} of {total:,} replies are refusals" + (
            f" and {empty:,} are empty" if empty else ""
        )
    ((_, most),) = Counter(written).most_common(1)
    if most >= _MOST * len(written) and len(written) > 1:
        return f"{most:,} of {total:,} replies are the same sentence"
    left = [text for text in written if not is_refusal(text)]
    if len(left) < fewest:
        return f"only {len(left):,} replies say anything, and a test needs at least {fewest}"
    if len(set(left)) < fewest:
        return f"{len(left):,} replies are only {len(set(left)):,} different texts, and a test needs at least {fewest}"
    return None
