"""The two axes are those of the literature."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from tests.cli.conftest import Run, folder, run  # noqa: F401
from unslant.core import taxonomy
from unslant.core.errors import UnknownName
from unslant.core.taxonomy import kinds, technique, technique_of_rule, techniques
from unslant.version import TAXONOMY


def test_three_kinds_and_eleven_dimensions() -> None:
    assert taxonomy.kinds() == ("framing", "epistemological", "demographic")
    assert len(taxonomy.dimensions()) == 11
    assert not set(taxonomy.kinds()) & set(taxonomy.dimensions())


def test_the_version_is_that_of_the_data() -> None:
    data = tomllib.loads(Path(taxonomy.__file__).with_name("taxonomy.toml").read_text("utf-8"))
    assert data["version"] == TAXONOMY


def test_every_name_says_what_it_means() -> None:
    for name in taxonomy.kinds():
        assert taxonomy.kind(name).meaning
    for name in taxonomy.dimensions():
        assert taxonomy.dimension(name).meaning


def test_an_unknown_name_offers_the_nearest() -> None:
    with pytest.raises(UnknownName, match=r"no dimension named 'gendre'. Did you mean 'gender'\?"):
        taxonomy.dimension("gendre")


def test_there_are_twenty_one() -> None:
    assert len(techniques()) == 21


@pytest.mark.parametrize("name", techniques())
def test_each_has_a_reason_a_source_and_examples(name: str) -> None:
    found = technique(name)
    assert found.kind in kinds()
    assert found.why.endswith(".")
    assert found.source
    assert found.flags
    assert found.passes
    assert all(text.count("*") == 2 for text in found.flags)
    assert not any("*" in text for text in found.passes)


def test_an_unknown_one_suggests_the_nearest() -> None:
    with pytest.raises(UnknownName, match="praise"):
        technique("prase")


def test_ids_lead_back_to_their_technique() -> None:
    assert technique_of_rule("model/praise") == technique("praise")
    assert technique_of_rule("framing/praise-adjective") is None
    assert technique_of_rule("model/nonsense") is None
    assert technique_of_rule(None) is None


@pytest.mark.parametrize("name", techniques())
def test_each_can_be_explained_selected_and_ignored(run: Run, name: str) -> None:  # noqa: F811
    explained = run("explain", f"model/{name}")
    assert explained.code == 0
    assert technique(name).why.split(".")[0] in explained.out
    assert run("check", "-", "--select", f"model/{name}", "--tier", "rules", stdin=b"It rained.").code == 0
    assert run("check", "-", "--ignore", f"model/{name}", "--tier", "rules", stdin=b"It rained.").code == 0
