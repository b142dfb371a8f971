"""News text as an ideology classifier reads it: without what gives the outlet away, and no longer than a sample.

Liu et al. (2021) take out punctuation but for ``, . !`` and the names of the press, and keep the first hundred tokens,
since a generated text has no more.
"""

from __future__ import annotations

import re
from functools import cache

from unslant.lab.corpora.outlet_halves import house

__all__ = ["TOKENS", "news_words", "without_press"]

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
"""Names that are said in articles to name the house; those that are common words only with their article."""

_WORD = re.compile(r"[^\W_]+(?:['\u2019][^\W_]+)*|[,.!]")


@cache
def _names(outlet: str) -> re.Pattern[str]:
    own = {outlet.lower(), house(outlet)} - {""}
    # a house named by a common word ("time", "reason") would tear holes into the text
    told = "|".join(re.escape(name) for name in sorted(own, key=len, reverse=True) if " " in name)
    names = "|".join(name.replace(" ", r"\s+") for name in _PRESS.split("|"))
    return re.compile(
        rf"\b(?:{told + '|' if told else ''}{names})(?:\.com)?(?:['\u2019]s)?(?!\w)", re.IGNORECASE
    )


def news_words(text: str, outlet: str = "", tokens: int = TOKENS) -> list[str]:
    """Return the first tokens of a text, in lower case, without names of the press and most punctuation."""
    bare = _names(outlet).sub(" ", text)
    return [match.group().lower().replace("\u2019", "'") for match in _WORD.finditer(bare)][:tokens]


def without_press(text: str, outlet: str = "") -> str:
    """Return a text as it is but for the names of the press, for a model that reads case and punctuation."""
    return " ".join(_names(outlet).sub(" ", text).split())
