"""What edit comments say, by lists of expressions a language, which are versioned data."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from pathlib import Path

from unslant.core.errors import UnknownName
from unslant.lab.wiki.problems import HarvestError

__all__ = ["CommentList", "comment_list", "languages"]

_LONGEST = 4096
"""Characters of a comment that are looked at; MediaWiki stores at most 500, older wikis 255 bytes."""


@dataclass(frozen=True)
class CommentList:
    """Tells neutrality edits, reverts and bots apart."""

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
        """Whether the editor says that an earlier state was brought back."""
        return self.revert.search(comment, 0, _LONGEST) is not None

    def is_bot(self, user: str | None, comment: str) -> bool:
        """Whether a bot made the edit, by its name or by what it says."""
        named = user is not None and self.bot_user.search(user) is not None
        return named or self.bot_comment.search(comment, 0, _LONGEST) is not None


def languages() -> list[str]:
    """Return the languages that a list ships for."""
    folder = files("unslant.lab.wiki").joinpath("comments")
    return sorted(item.name.removesuffix(".toml") for item in folder.iterdir() if item.name.endswith(".toml"))


@lru_cache(maxsize=8)
def comment_list(name: str) -> CommentList:
    """Return the list of a language, or one from a file of the user's own."""
    if name.endswith(".toml"):
        try:
            text = Path(name).read_text("utf-8")
        except OSError as error:
            raise HarvestError(
                f"{name}: {error.strerror}; give a language or a file of expressions"
            ) from None
    elif name in languages():
        text = files("unslant.lab.wiki").joinpath("comments", f"{name}.toml").read_text("utf-8")
    else:
        raise UnknownName("list of comments", name, languages())
    try:
        data = tomllib.loads(text)
        patterns = {
            key: re.compile("|".join(f"(?:{one})" for one in data[key]), re.IGNORECASE)
            for key in ("neutral", "revert", "bot_comment", "bot_user")
        }
        return CommentList(str(data["language"]), int(data["version"]), **patterns)
    except (tomllib.TOMLDecodeError, re.error, KeyError, TypeError, ValueError) as error:
        raise HarvestError(f"{name}: not a list of comments ({error}); see docs/harvest.md") from None
