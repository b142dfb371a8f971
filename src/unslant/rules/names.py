"""Whether a word is written as part of a name, and so is not the writer's choice of wording."""

from __future__ import annotations

from unslant.rules.automaton import Tokens

__all__ = ["headline", "like_name", "opens_sentence"]

_HEADLINE_SHARE = 0.6
_SHOUTED = 4
"""A word in capitals of at least this many letters is shouted; a shorter one is an abbreviation."""


def headline(tokens: Tokens) -> bool:
    """Say whether capitals tell nothing here: most of the longer words have one."""
    longer = [tokens.written(at) for at in range(len(tokens)) if len(tokens.words[at]) > 3]
    if len(longer) < 3:
        return False
    return sum(word[0].isupper() for word in longer) > _HEADLINE_SHARE * len(longer)


def like_name(tokens: Tokens, at: int, last: int) -> bool:
    """Say whether the word at this place looks like part of a name; ``last`` is the last word of the match."""
    word = tokens.written(at)
    if not word[0].isupper():
        return False
    if len(word) >= _SHOUTED and word.isupper():
        return False
    if not opens_sentence(tokens, at):
        return True
    following = last + 1
    return (
        following < len(tokens)
        and tokens.gap(following).isspace()
        and tokens.written(following)[0].isupper()
        and tokens.words[following] not in ("i", "i'm", "i've", "i'd", "i'll")
    )


def opens_sentence(tokens: Tokens, at: int) -> bool:
    """Say whether a capital is due here anyway: at the start, after a colon or an opening quotation mark."""
    return at == 0 or tokens.gap(at).rstrip(" ").endswith(
        (":", '"', "\u201c", "\u2018", "\u2014", "?", "!", ".")
    )
