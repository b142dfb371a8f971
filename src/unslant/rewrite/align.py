"""From another wording of a whole sentence to the smallest changes that lead to it."""

from __future__ import annotations

from unslant.rewrite.change import Change, Words, worded

__all__ = ["Unlike", "aligned", "core"]

_SHARED = 0.5
"""Below this share of common words a text is no rewording of a sentence, but another text, or in another language."""


class Unlike(ValueError):
    """The new text has too little in common with the sentence."""


def aligned(text: str, new: str) -> list[Change]:
    """Return the changes of words that turn one wording into the other, in order.

    What is only spaced, capitalised or quoted in another way (as tokenised text is) counts as the same. A text with
    too few of the sentence's words in it raises ``Unlike``.
    """
    from difflib import SequenceMatcher

    old_words, new_words = worded(text), worded(_untokenised(new))
    matcher = SequenceMatcher(None, old_words.plain, new_words.plain, autojunk=False)
    shared = sum(block.size for block in matcher.get_matching_blocks())
    if not new_words.spans or shared < _SHARED * max(len(old_words), len(new_words)):
        raise Unlike
    return [
        _change(old_words, (i, j), new_words, (k, end))
        for tag, i, j, k, end in matcher.get_opcodes()
        if tag != "equal"
    ]


def _untokenised(text: str) -> str:
    """Undo what makes tokenised text look unlike the text it came from."""
    return text.replace("``", '"').replace("''", '"').replace(" n't", "n't").strip()


def _change(old: Words, gone: tuple[int, int], new: Words, come: tuple[int, int]) -> Change:
    text = new.text[new.spans[come[0]][0] : new.spans[come[1] - 1][1]] if come[0] < come[1] else ""
    if gone[0] < gone[1]:
        return Change(old.spans[gone[0]][0], old.spans[gone[1] - 1][1], text)
    return inserted(old, gone[0], text)


def inserted(words: Words, at: int, text: str) -> Change:
    """Return the change that puts a text before a word, with the space that it needs."""
    if at < len(words) and (words.is_word(at) or at == 0):
        start = words.spans[at][0]
        return Change(start, start, text + " ")
    start = words.spans[at - 1][1] if at else 0
    return Change(start, start, " " + text)


def core(text: str, change: Change) -> Change:
    """Return the change without the words that stay; their capitals and articles follow by themselves.

    *an iconic* → *a* leaves out *iconic*; *Clearly, the* → *The* leaves out *Clearly,*.
    """
    old, new = worded(text[change.start : change.end]), worded(change.text)
    first, last, last_new = 0, len(old), len(new)
    while last and last_new and _same(old.plain[last - 1], new.plain[last_new - 1]):
        last, last_new = last - 1, last_new - 1
    while first < min(last, last_new) and _same(old.plain[first], new.plain[first]):
        first += 1
    kept = change.text[new.spans[first][0] : new.spans[last_new - 1][1]] if first < last_new else ""
    if first < last:
        return Change(change.start + old.spans[first][0], change.start + old.spans[last - 1][1], kept)
    if not kept or change.start == change.end:
        return change
    whole = worded(text)
    return inserted(whole, whole.after(change.start) + first, kept)


def _same(one: str, other: str) -> bool:
    return one == other or {one, other} == {"a", "an"}
