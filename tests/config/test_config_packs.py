"""``extends``: packs are read from the project's folder, and nothing else of the machine is."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from unslant.config import Settings, show
from unslant.rules.pack import read_pack
from unslant.spec import Spec

Load = Callable[..., Settings]
Problems = Callable[..., list[str]]


def test_packs_come_by_path_and_by_name(project: Path, load: Load) -> None:
    (project / "packs").mkdir()
    (project / "packs" / "house.toml").write_text("house/style")
    settings = load('extends = ["wikipedia", "./packs/house.toml"]\nrule-files = ["packs/house.toml"]')
    assert settings.spec.extends == (
        ("wikipedia", read_pack("wikipedia", project)),
        ("./packs/house.toml", "house/style"),
    )
    assert settings.spec.own_rule_files == (*settings.spec.extends, ("packs/house.toml", "house/style"))
    assert tomllib.loads(show(settings))["extends"] == ["wikipedia", "./packs/house.toml"]


def test_the_rules_of_a_pack_can_be_selected(project: Path, load: Load) -> None:
    (project / "house.toml").write_text("house/style")
    assert load('extends = ["house.toml"]\nselect = ["house/*"]').spec.select == ("house/*",)


def test_a_pack_that_is_listed_twice_counts_once(load: Load) -> None:
    assert len(load('extends = ["wikipedia", "wikipedia"]').spec.extends) == 1


def test_a_link_inside_the_folder_is_followed(project: Path, load: Load) -> None:
    (project / "real.toml").write_text("house/style")
    (project / "link.toml").symlink_to("real.toml")
    assert load('extends = ["link.toml"]').spec.extends == (("link.toml", "house/style"),)


@pytest.fixture
def secret(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("elsewhere") / "secret.toml"
    path.write_text("secret/text")
    return path


def test_no_pack_is_read_outside_the_folder(project: Path, secret: Path, problems: Problems) -> None:
    (project / "link.toml").symlink_to(secret)
    (project / "folder").symlink_to(secret.parent)
    climbing = Path(os.path.relpath(secret, project)).as_posix()
    for written in ("link.toml", "folder/secret.toml", climbing, secret.as_posix(), "folder/../secret.toml"):
        (line,) = problems(f'extends = ["{written}"]')
        assert line == (
            f"unslant.toml:1: extends: '{written}' is outside the folder of the configuration; copy the pack into "
            "it, or install it as a package."
        )


def test_packs_that_cannot_be_read(project: Path, problems: Problems) -> None:
    (project / "huge.toml").write_bytes(b"#" * (1 << 20) + b"\n")
    (project / "binary.toml").write_bytes(b"\xff\xfe")
    (project / "folder.toml").mkdir()
    (project / "loop.toml").symlink_to("loop.toml")
    os.mkfifo(project / "pipe.toml")
    names = [
        "gone.toml",
        "huge.toml",
        "binary.toml",
        "folder.toml",
        "loop.toml",
        "pipe.toml",
        "nul\\u0000.toml",
    ]
    lines = problems("extends = [\n" + "".join(f'"{name}",\n' for name in names) + "]")
    expected = [
        "gone.toml' does not exist; check the spelling.",
        "huge.toml' has more than the 1,048,576 bytes that can be read; is it the right file?",
        "binary.toml' is not UTF-8 text (line 1); save it as UTF-8.",
        "folder.toml' is a folder, not a file.",
        "loop.toml' is a link that leads back to itself; remove it or point it at a file.",
        "pipe.toml' is a pipe, not a regular file.",
        "'nul\\x00.toml' is not a path (",
    ]
    assert len(lines) == len(expected)
    for number, (line, end) in enumerate(zip(lines, expected, strict=True), start=2):
        assert line.startswith(f"unslant.toml:{number}: extends: ")
        assert end in line


def test_extends_is_a_list(problems: Problems) -> None:
    assert problems('extends = "wikipedia"') == [
        "unslant.toml:1: extends must be a list of strings, not 'wikipedia'. Did you mean [\"wikipedia\"]?"
    ]


def test_packs_are_part_of_the_digest() -> None:
    assert Spec(extends=(("a", "1"),)).digest() != Spec(extends=(("a", "2"),)).digest()
