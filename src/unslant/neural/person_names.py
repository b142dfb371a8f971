"""Names of persons, found by their shape: the network reads all of them as one name.

No list of politicians is ever complete. A capitalised word that is no ordinary English word is most likely a name, so
group masking replaces it too. The network then answers alike for a politician of one side, of the other, and for one it
has never heard of.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache
from importlib.resources import files

__all__ = ["find_names"]

_CAPITALISED = re.compile(
    r"(?<![\w'\u2019-])(?:[A-Z]['\u2019])?[A-Z][a-zà-öø-ÿ]+(?:[A-Z][a-zà-öø-ÿ]+)*(?:-[A-Z][a-zà-öø-ÿ]+)*(?![\w-])"
)
_SUFFIX = re.compile(
    r"(?:ly|ings?|ed|[ie]ans?|ese|ists?|isms?|ish|ics?|crats?|icans?|phob\w+|gate|[ts]ions?|ness(?:es)?|ments?|[ai]ble|ful|less|ous"
    r"|ives?|ity|ities|i[sz]e[sd]?|i[sz]ers?|ships?|hood|ical|ally|ology|ologies|ify|ifies|ates|ites?|esque|mongers?)$"
)
"""Endings of ordinary English words that few names have."""
_INFLECTIONS = ("", "s", "es", "d", "er", "ers")
_ORGANISATION = re.compile(
    r"(?:['\u2019]s?)?\s+(?:Act|Avenue|Bank|Center|Centre|City|College|Company|Corp|County|Hospital|Inc|Institute|Island|Lake"
    r"|Ltd|Mountain|Park|Party|River|School|Street|University)\b"
)


@cache
def _words(name: str) -> frozenset[str]:
    text = files("unslant.neural").joinpath(name).read_text("utf-8")
    return frozenset(line for line in text.splitlines() if line and not line.startswith("#"))


def find_names(text: str, is_subword: Callable[[str], bool]) -> Iterator[tuple[int, int]]:
    """Yield the position of each word that is most likely the name of a person; of a full name, the surname.

    ``is_subword`` tells whether the tokenizer knows a word as a whole. What it knows is a name only if it is a listed
    surname; what it does not know is one unless it looks like an ordinary word.
    """
    found = [match for match in _CAPITALISED.finditer(text) if _is_name(match[0], is_subword)]
    following = [*found[1:], None] if found else []
    for match, after in zip(found, following, strict=True):
        is_given_name = after is not None and text[match.end() : after.start()] == " "
        if not is_given_name and not _ORGANISATION.match(text, match.end()):
            yield match.span()


def _is_name(word: str, is_subword: Callable[[str], bool]) -> bool:
    if word in _words("surnames.txt"):
        return True
    lower = word.lower()
    stems = (lower.removesuffix(ending) for ending in _INFLECTIONS)
    return not _SUFFIX.search(lower) and not any(
        stem in _words("common_words.txt") or is_subword(stem) for stem in stems
    )
