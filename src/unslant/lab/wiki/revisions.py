"""Which revisions are neutrality edits: by their comment, made by a person, no revert, not undone by their author."""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files

from unslant.core.errors import InputError, UnknownName
from unslant.core.files import parse_toml, read_text
from unslant.lab.wiki.dump import HarvestError, Revision
from unslant.lab.wiki.pairing import ChangedBlock, find_changed_blocks

_LONGEST = 4096
"""The number of characters of a comment to read; MediaWiki stores at most 500, older wikis 255 bytes."""


@dataclass(frozen=True)
class CommentList:
    """Recognizes neutrality edits, reverts and bots."""

    language: str
    version: int
    neutral: re.Pattern[str]
    revert: re.Pattern[str]
    bot_comment: re.Pattern[str]
    bot_user: re.Pattern[str]

    def is_neutrality(self, comment: str) -> bool:
        """Whether the editor says that the edit is about neutrality."""
        return self.neutral.search(comment, 0, _LONGEST) is not None

    def is_revert(self, comment: str) -> bool:
        """Whether the editor says that an earlier state was restored."""
        return self.revert.search(comment, 0, _LONGEST) is not None

    def is_bot(self, user: str | None, comment: str) -> bool:
        """Whether a bot made the edit, by its name or its comment."""
        named = user is not None and self.bot_user.search(user) is not None
        return named or self.bot_comment.search(comment, 0, _LONGEST) is not None


def comment_languages() -> list[str]:
    """Return the languages that have a list."""
    folder = files("unslant.lab.wiki").joinpath("comments")
    return sorted(item.name.removesuffix(".toml") for item in folder.iterdir() if item.name.endswith(".toml"))


@lru_cache(maxsize=8)
def comment_list(name: str) -> CommentList:
    """Return the list of a language, or one from a file of the user's own."""
    if name.endswith(".toml"):
        try:
            text = read_text(name)
        except InputError as error:
            raise HarvestError(f"{error}; give a language or a file of expressions") from error
    elif name in comment_languages():
        text = files("unslant.lab.wiki").joinpath("comments", f"{name}.toml").read_text("utf-8")
    else:
        raise UnknownName("list of comments", name, comment_languages())
    try:
        data = parse_toml(text, name, HarvestError)
        patterns = {
            key: re.compile("|".join(f"(?:{expression})" for expression in data[key]), re.IGNORECASE)
            for key in ("neutral", "revert", "bot_comment", "bot_user")
        }
        return CommentList(str(data["language"]), int(data["version"]), **patterns)
    except (re.error, HarvestError, KeyError, TypeError, ValueError) as error:
        raise HarvestError(f"{name}: not a list of comments ({error}); see docs/harvest.md") from None


RADIUS = 15
"""How many revisions before and after an edit to search for a revert, as is usual in the literature."""


@dataclass(slots=True)
class NeutralityEdit:
    """A neutrality edit with the blocks it changed; whole texts would take too much memory while edits wait."""

    id: int
    parent: int
    timestamp: str
    user: str | None
    comment: str
    blocks: list[ChangedBlock]


@dataclass(slots=True)
class _Waiting:
    candidate: NeutralityEdit
    earlier: frozenset[bytes]
    """Digests of the texts before the edit; restoring one of them is a revert."""
    left: int = RADIUS
    reverted: bool = False


def find_neutrality_edits(
    revisions: Iterable[Revision], comments: CommentList, without: frozenset[str], counts: Counter[str]
) -> Iterator[NeutralityEdit]:
    """Yield the neutrality edits of one page, in order; what is left out is counted under its name.

    At most two texts are held, plus the changes of edits that a later revision may still revert.
    """
    previous: Revision | None = None
    recent: deque[bytes] = deque(maxlen=RADIUS)
    waiting: deque[_Waiting] = deque()
    for revision in revisions:
        counts["revisions"] += 1
        digest = revision.digest
        if waiting:
            _look_back(waiting, revision, digest)
            yield from _release(waiting, counts, without)
        try:
            found = _neutrality_edit(revision, previous, comments, without, counts)
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
    for waiting_edit in waiting:
        waiting_edit.left = 0
    yield from _release(waiting, counts, without)


def _neutrality_edit(
    revision: Revision,
    previous: Revision | None,
    comments: CommentList,
    without: frozenset[str],
    counts: Counter[str],
) -> NeutralityEdit | None:
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
        counts["other parent"] += 1  # the revision before it in the file is not the one that was edited
    else:
        before, after = previous.text, revision.text
        if before is None or after is None:
            counts["suppressed text"] += 1
        else:
            blocks = _blocks(before, after, without, counts)
            if blocks:
                return NeutralityEdit(revision.id, previous.id, revision.timestamp, user, comment, blocks)
    return None


def _blocks(before: str, after: str, without: frozenset[str], counts: Counter[str]) -> list[ChangedBlock]:
    blocks = find_changed_blocks(before, after)
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
    for waiting_edit in waiting:
        waiting_edit.left -= 1
        if (
            digest
            and digest in waiting_edit.earlier
            and revision.user is not None
            and revision.user == waiting_edit.candidate.user
        ):
            waiting_edit.reverted = True


def _release(
    waiting: deque[_Waiting], counts: Counter[str], without: frozenset[str]
) -> Iterator[NeutralityEdit]:
    while waiting and (waiting[0].left <= 0 or waiting[0].reverted):
        waiting_edit = waiting.popleft()
        if waiting_edit.reverted and "self-revert" not in without:
            counts["self-revert"] += 1
        else:
            counts["candidates"] += 1
            yield waiting_edit.candidate
