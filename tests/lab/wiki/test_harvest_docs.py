"""The page on the harvest says which filters and languages there are."""

from __future__ import annotations

from pathlib import Path

from unslant.lab.wiki.revisions import comment_languages
from unslant.lab.wiki.settings import FILTERS

PAGE = (Path(__file__).parents[3] / "docs" / "harvest.md").read_text("utf-8")


def test_every_filter_and_language_is_described() -> None:
    assert [name for name in FILTERS if f"`{name}`" not in PAGE] == []
    assert [name for name in comment_languages() if f"`{name}`" not in PAGE] == []
