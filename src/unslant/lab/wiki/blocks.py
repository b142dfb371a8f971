"""The block of wikitext that an edit changed, found in time linear in the size of the page."""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import SequenceMatcher

__all__ = ["LONGEST_BLOCK", "Block", "changed_blocks", "differs_in_references_only"]

LONGEST_BLOCK = 20_000
"""Characters of a block; a longer one is counted and left out, however long it is."""
_MOST_LINES = 400

_TABLE = re.compile(r"^[ \t:]*(?:\{\|()|\|\})", re.MULTILINE)
_REFERENCE = re.compile(r"<ref\b[^<>]*/>|<ref\b[^<>]*>.*?</ref\s*>", re.DOTALL | re.IGNORECASE)
_CELL = ("|", "!", "{|")


@dataclass(frozen=True, slots=True)
class Block:
    """Neighbouring lines before and after an edit."""

    before: str
    after: str
    table: bool
    """Whether they lie in a table or among the parameters of a template."""


def changed_blocks(before: str, after: str) -> list[Block] | None:
    """Return the blocks that differ, in order; None where so much differs that nobody could pair it up."""
    old, new = before.split("\n"), after.split("\n")
    start = 0
    while start < min(len(old), len(new)) and old[start] == new[start]:
        start += 1
    end = 0
    while end < min(len(old), len(new)) - start and old[-1 - end] == new[-1 - end]:
        end += 1
    inside = _within_table(old[:start])
    old, new = old[start : len(old) - end], new[start : len(new) - end]
    if max(len(old), len(new)) > _MOST_LINES:
        return None
    blocks: list[Block] = []
    for first, last, into, until in _hunks(old, new):
        changed = "\n".join(old[first:last]), "\n".join(new[into:until])
        if max(map(len, changed)) > LONGEST_BLOCK:
            return None
        blocks.append(Block(*changed, inside or _within_table(old[:first]) or _cells_only(changed)))
    return blocks


def _hunks(old: list[str], new: list[str]) -> list[tuple[int, int, int, int]]:
    """Return the ranges of lines that differ; blank lines between two do not part them."""
    hunks: list[tuple[int, int, int, int]] = []
    for tag, i, j, k, l in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():  # noqa: E741
        if tag == "equal":
            continue
        if hunks and not any(line.strip() for line in old[hunks[-1][1] : i]):
            hunks[-1] = (hunks[-1][0], j, hunks[-1][2], l)
        else:
            hunks.append((i, j, k, l))
    return [
        hunk
        for hunk in hunks
        if any(line.strip() for line in (*old[hunk[0] : hunk[1]], *new[hunk[2] : hunk[3]]))
    ]


def _within_table(lines: list[str]) -> bool:
    depth = 0
    for mark in _TABLE.finditer("\n".join(lines)):
        depth = depth + 1 if mark[1] is not None else max(0, depth - 1)
    return depth > 0


def _cells_only(changed: tuple[str, str]) -> bool:
    lines = [line.strip() for side in changed for line in side.split("\n") if line.strip()]
    return bool(lines) and all(line.startswith(_CELL) for line in lines)


def differs_in_references_only(block: Block) -> bool:
    """Whether nothing but references was added, taken away or changed."""
    return _bare(block.before) == _bare(block.after)


def _bare(text: str) -> str:
    return " ".join(_REFERENCE.sub("", text).split())
