"""The techniques that the model names: complete, and addressable like rules."""

from __future__ import annotations

import pytest

from tests.cli.conftest import Run, folder, run  # noqa: F401
from unslant.core.errors import UnknownName
from unslant.core.taxonomy import kinds
from unslant.core.techniques import technique, technique_of_rule, techniques


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
