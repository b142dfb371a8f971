"""What a folder may decide: trust is for a folder and what is in it, not for names that begin alike."""

from __future__ import annotations

from pathlib import Path

import pytest

from unslant.config.files import distrust, find_config, is_trusted, printable, trust
from unslant.core.errors import ConfigError


@pytest.fixture(autouse=True)
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("UNSLANT_CONFIG_DIR", str(tmp_path / "settings"))
    return tmp_path / "settings" / "trusted.json"


@pytest.fixture
def trusted(tmp_path: Path) -> Path:
    for name in ("a/b/c", "a/bad/c", "a/b.old"):
        (tmp_path / name).mkdir(parents=True)
    trust(tmp_path / "a" / "b")
    return tmp_path / "a" / "b"


def test_a_folder_and_what_is_in_it_are_trusted(trusted: Path) -> None:
    assert is_trusted(trusted)
    assert is_trusted(trusted / "c")
    assert is_trusted(trusted / "not" / "there" / "yet")


@pytest.mark.parametrize("name", ["../bad", "../bad/c", "../b.old", "..", "../..", "c/../../bad"])
def test_names_that_begin_alike_are_not(trusted: Path, name: str) -> None:
    assert not is_trusted(trusted / name)


def test_a_link_is_trusted_only_for_where_it_leads(trusted: Path) -> None:
    (trusted / "out").symlink_to(trusted.parent / "bad")
    (trusted.parent / "bad" / "in").symlink_to(trusted)
    assert not is_trusted(trusted / "out")
    assert is_trusted(trusted.parent / "bad" / "in")


def test_trust_ends(trusted: Path) -> None:
    with pytest.raises(ConfigError, match="not a trusted folder"):
        distrust(trusted / "c")
    distrust(trusted)
    assert not is_trusted(trusted)
    assert not is_trusted(trusted / "c")


@pytest.mark.parametrize("content", ['{"/": 1}', "[1, null, {}]", "7", '"/"', "[]"])
def test_a_store_of_another_shape_trusts_nothing(tmp_path: Path, store: Path, content: str) -> None:
    store.parent.mkdir()
    store.write_text(content)
    assert not is_trusted(tmp_path)


@pytest.mark.parametrize(
    "content", ["[", "[" * 100_000, '"\ud800'.encode("utf-8", "surrogatepass").decode("latin-1")]
)
def test_a_damaged_store_is_named(tmp_path: Path, store: Path, content: str) -> None:
    store.parent.mkdir()
    store.write_text(content)
    with pytest.raises(ConfigError, match="delete it and trust the folders again"):
        is_trusted(tmp_path)


def test_what_could_control_a_terminal_is_replaced() -> None:
    gone = "\N{REPLACEMENT CHARACTER}"
    assert printable("a\x1b\x7f\x9b\u202e\u2028\xadz \u00e9") == f"a{gone * 6}z \u00e9"


def test_settings_are_found_however_far_above(tmp_path: Path) -> None:
    (tmp_path / "unslant.toml").write_text("")
    inner = tmp_path / "a" / "b" / "c" / "d"
    inner.mkdir(parents=True)
    assert find_config(inner) == tmp_path / "unslant.toml"
