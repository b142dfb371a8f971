"""The two axes are those of the literature."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from unslant.core import taxonomy
from unslant.core.errors import UnknownName


def test_three_kinds_and_eleven_dimensions() -> None:
    assert taxonomy.kinds() == ("framing", "epistemological", "demographic")
    assert len(taxonomy.dimensions()) == 11
    assert not set(taxonomy.kinds()) & set(taxonomy.dimensions())


def test_the_version_is_that_of_the_data() -> None:
    data = tomllib.loads(Path(taxonomy.__file__).with_name("taxonomy.toml").read_text("utf-8"))
    assert data["version"] == taxonomy.VERSION


def test_every_name_says_what_it_means() -> None:
    for name in taxonomy.kinds():
        assert taxonomy.kind(name).meaning
    for name in taxonomy.dimensions():
        assert taxonomy.dimension(name).meaning


def test_an_unknown_name_offers_the_nearest() -> None:
    with pytest.raises(UnknownName, match=r"no dimension named 'gendre'. Did you mean 'gender'\?"):
        taxonomy.dimension("gendre")
