"""Outlets: their names, the part of the data each one belongs to, and news text without them.

A judge must not be trained on the same outlets as the classifier that steers a language model, so every outlet
belongs to one part, which its name determines. Sections (``CNN - Editorial``) count as their outlet.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator
from functools import cache
from typing import TYPE_CHECKING, Literal

from unslant.text.words import ALPHANUMERIC

if TYPE_CHECKING:
    from unslant.core.example import Example

OutletPart = Literal["judge", "debias", "held-out"]
PARTS: tuple[OutletPart, ...] = ("judge", "debias", "held-out")

_ALIASES = {
    "abc": "abc news",
    "ap": "associated press",
    "ap fact check": "associated press",
    "bbc": "bbc news",
    "blaze": "theblaze",
    "breitbart": "breitbart news",
    "cbs": "cbs news",
    "cns news": "cnsnews",
    "fox": "fox news",
    "fox online news": "fox news",
    "fox news latino": "fox news",
    "huffpost": "huffington post",
    "nbc": "nbc news",
    "nbcnews": "nbc news",
    "nbc today show": "nbc news",
    "wsj": "wall street journal",
    "yahoo! the 360": "yahoo! news",
}
"""Other names of the same outlet."""

_LARGE: dict[str, OutletPart] = {
    "cnn": "judge",
    "fox news": "judge",
    "new york times": "judge",
    "townhall": "judge",
    "national review": "debias",
    "politico": "debias",
    "vox": "debias",
    "washington times": "debias",
    # the outlets that the published split by outlet keeps for testing, but for those it also trains on
    "abc news": "held-out",
    "american spectator": "held-out",
    "associated press": "held-out",
    "bbc news": "held-out",
    "breitbart news": "held-out",
    "cbn": "held-out",
    "daily caller": "held-out",
    "guardian": "held-out",
    "newsmax": "held-out",
    "reason": "held-out",
    "reuters": "held-out",
    "salon": "held-out",
}
"""Outlets with more than a thousand articles, assigned so that both halves are balanced; and the held-out ones."""

_SECTION = re.compile(
    r"\s*(?:\((?:web|online|opinion|news|video|editorial|business)[^)]*\)|- (?:news|opinion|editorial|left|right)"
    r"|\bopinions?|\beditorial|\bonline news|\.com|\.org)\s*$"
)


def normalize_outlet(outlet: str) -> str:
    """Return the outlet that a section belongs to, in lower case: ``cnn`` for ``CNN (Web News)``."""
    name = " ".join(outlet.lower().split())
    while (shorter := _SECTION.sub("", name)) != name and shorter:
        name = shorter
    name = name.removeprefix("the ")
    return _ALIASES.get(name, name)


def outlet_part(outlet: str) -> OutletPart | None:
    """Return the part that an outlet belongs to; guest writers, who write for many, belong to none.

    Small outlets are assigned by a digest of their name, so a new one needs no decision.
    """
    name = normalize_outlet(outlet)
    if not name or name.startswith("guest writer"):
        return None
    if name in _LARGE:
        return _LARGE[name]
    return "judge" if hashlib.sha256(name.encode()).digest()[0] % 2 else "debias"


def select_part(examples: Iterable[Example], part: OutletPart) -> Iterator[Example]:
    """Yield the examples whose outlet belongs to a part; those without an outlet belong to none."""
    return (example for example in examples if example.outlet and outlet_part(example.outlet) == part)


TOKENS = 100
"""How many tokens of a text are read."""

_PRESS = (
    "abc news|abcnews|allsides|al jazeera|alternet|american spectator|associated press|axios|bbc news|bbc|bloomberg|"
    "boston globe|boston herald|breitbart|business insider|buzzfeed|cbn news|cbn|cbs news|cbs|"
    "chicago sun-times|christian science monitor|cnbc|cnn|cnsnews|daily beast|daily caller|daily kos|daily mail|"
    "daily signal|daily wire|democracy now|epoch times|fivethirtyeight|fox & friends|fox and friends|fox news|foxnews|"
    "free beacon|hotair|huffington post|huffpost|infowars|los angeles times|marketwatch|media matters|"
    "media research center|mother jones|msnbc|national review|nbc news|nbcnews|nbc|new republic|"
    "new york magazine|new york post|new york times|newsbusters|newsmax|new yorker|npr|nytimes|pbs|pj media|politico|"
    "politifact|propublica|realclearpolitics|reuters|rolling stone|salon|slate|the atlantic|theblaze|the blaze|"
    "the dispatch|the economist|the federalist|the guardian|the hill|the intercept|the nation|the verge|the week|"
    "thinkprogress|time magazine|townhall|usa today|vanity fair|vox|wall street journal|washington examiner|"
    "washington post|washington times|yahoo news|zerohedge"
)
"""Names of outlets as they occur in articles; names that are common words only with their article."""

# Not text.words.WORD: articles emphasise _words_ so, and the judge that ships was fitted to these tokens.
_WORD_OR_STOP = re.compile(rf"{ALPHANUMERIC.pattern}(?:['\u2019]{ALPHANUMERIC.pattern})*|[,.!]")


@cache
def _name_pattern(outlet: str) -> re.Pattern[str]:
    own = {outlet.lower(), normalize_outlet(outlet)} - {""}
    # removing outlets named by a common word ("time", "reason") would tear holes into the text
    own_names = "|".join(re.escape(name) for name in sorted(own, key=len, reverse=True) if " " in name)
    names = "|".join(name.replace(" ", r"\s+") for name in _PRESS.split("|"))
    return re.compile(
        rf"\b(?:{own_names + '|' if own_names else ''}{names})(?:\.com)?(?:['\u2019]s)?(?!\w)", re.IGNORECASE
    )


def tokenize_news(text: str, outlet: str = "", tokens: int = TOKENS) -> list[str]:
    """Return the first tokens of a text, in lower case, without names of the press and most punctuation."""
    bare = _name_pattern(outlet).sub(" ", text)
    return [match.group().lower().replace("\u2019", "'") for match in _WORD_OR_STOP.finditer(bare)][:tokens]


def strip_outlet_names(text: str, outlet: str = "") -> str:
    """Return a text without the names of the press, for a model that reads case and punctuation."""
    return " ".join(_name_pattern(outlet).sub(" ", text).split())
