"""Which revisions are neutrality edits: by their comment, by a person, no revert, not taken back by their author."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from unslant.lab.wiki.blocks import Block, changed_blocks
from unslant.lab.wiki.comments import CommentList
from unslant.lab.wiki.dump import Revision

__all__ = ["RADIUS", "Candidate", "candidates"]

RADIUS = 15
"""Revisions before and after an edit in which a revert is looked for, as is usual in the literature."""


@dataclass(slots=True)
class Candidate:
    """A neutrality edit with what it changed; not the whole texts, so that many can wait."""

    id: int
    parent: int
    timestamp: str
    user: str | None
    comment: str
    blocks: list[Block]


@dataclass(slots=True)
class _Waiting:
    candidate: Candidate
    earlier: frozenset[bytes]
    """Digests of the texts before the edit: who brings one of them back has reverted it."""
    left: int = RADIUS
    reverted: bool = False


def candidates(
    revisions: Iterable[Revision], comments: CommentList, without: frozenset[str], counts: Counter[str]
) -> Iterator[Candidate]:
    """Yield the neutrality edits of one page, in order; what is left out is counted under its name.

    At most two texts are held; of edits that a later revision may still take back, what they changed.
    """
    previous: Revision | None = None
    recent: deque[bytes] = deque(maxlen=RADIUS)
    waiting: deque[_Waiting] = deque()
    for revision in revisions:
        counts["revisions"] += 1
        digest = revision.digest
        if waiting:
            _look_back(waiting, revision, digest)
            yield from _released(waiting, counts, without)
        try:
            found = _candidate(revision, previous, comments, without, counts)
        except ValueError:
            counts["malformed"] += 1
            found = None
        if found and "revert" not in without and digest and digest in recent:
            counts["revert"] += 1
        elif found:
            waiting.append(_Waiting(found, frozenset(recent) - {digest}))
        if digest:
            recent.append(digest)
        previous = revision
    for one in waiting:
        one.left = 0
    yield from _released(waiting, counts, without)


def _candidate(
    revision: Revision,
    previous: Revision | None,
    comments: CommentList,
    without: frozenset[str],
    counts: Counter[str],
) -> Candidate | None:
    comment = revision.comment
    if comment is None:
        counts["suppressed comment"] += 1
        return None
    if not comment or not comments.is_neutrality(comment):
        counts["comment"] += 1
        return None
    user = revision.user
    if previous is None:
        counts["first revision"] += 1
    elif "bot" not in without and comments.is_bot(user, comment):
        counts["bot"] += 1
    elif "revert" not in without and comments.is_revert(comment):
        counts["revert"] += 1
    elif revision.model != "wikitext":
        counts["not wikitext"] += 1
    elif revision.parent not in (None, 0, previous.id):
        counts["other parent"] += 1  # what lies before it in the file is not what was edited
    else:
        before, after = previous.text, revision.text
        if before is None or after is None:
            counts["suppressed text"] += 1
        else:
            blocks = _blocks(before, after, without, counts)
            if blocks:
                return Candidate(revision.id, previous.id, revision.timestamp, user, comment, blocks)
    return None


def _blocks(before: str, after: str, without: frozenset[str], counts: Counter[str]) -> list[Block]:
    blocks = changed_blocks(before, after)
    if blocks is None:
        counts["too large"] += 1
    elif not blocks:
        counts["no change"] += 1
    elif len(blocks) > 1 and "one-block" not in without:
        counts["one-block"] += 1
    else:
        return blocks
    return []


def _look_back(waiting: deque[_Waiting], revision: Revision, digest: bytes) -> None:
    for one in waiting:
        one.left -= 1
        if (
            digest
            and digest in one.earlier
            and revision.user is not None
            and revision.user == one.candidate.user
        ):
            one.reverted = True


def _released(waiting: deque[_Waiting], counts: Counter[str], without: frozenset[str]) -> Iterator[Candidate]:
    while waiting and (waiting[0].left <= 0 or waiting[0].reverted):
        one = waiting.popleft()
        if one.reverted and "self-revert" not in without:
            counts["self-revert"] += 1
        else:
            counts["candidates"] += 1
            yield one.candidate
