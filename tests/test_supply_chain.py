"""What is installed with unslant is known, and what it is given cannot become a command."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, requires
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

ROOT = Path(__file__).parents[1]


def pinned() -> dict[str, Version]:
    found = {}
    for line in (ROOT / "constraints.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            name, equals, version = line.partition("==")
            assert equals, f"{line}: every package has one version"
            found[canonicalize_name(name)] = Version(version)
    return found


def declared() -> Iterator[Requirement]:
    about = tomllib.loads((ROOT / "pyproject.toml").read_text())
    project = about["project"]
    groups = [
        about["build-system"]["requires"],
        project["dependencies"],
        *project["optional-dependencies"].values(),
    ]
    for requirement in map(Requirement, (text for group in groups for text in group)):
        if requirement.name != "unslant":
            yield requirement


def test_every_required_package_is_pinned_to_a_version_that_fits() -> None:
    versions = pinned()
    assert [each.name for each in declared() if canonicalize_name(each.name) not in versions] == []
    for requirement in declared():
        version = versions[canonicalize_name(requirement.name)]
        assert version in requirement.specifier, f"{requirement}: {version}"


def test_what_those_packages_need_is_pinned_too() -> None:
    versions = pinned()
    absent = set()
    for name in versions:
        try:
            needed = requires(name) or ()
        except PackageNotFoundError:
            continue
        for requirement in map(Requirement, needed):
            applies = requirement.marker is None or requirement.marker.evaluate({"extra": ""})
            # torch brings its own for each platform
            own = requirement.name.startswith(("nvidia", "cuda", "triton"))
            if applies and not own and canonicalize_name(requirement.name) not in versions:
                absent.add(f"{requirement.name} (for {name})")
    assert absent <= {f"setuptools (for {name})" for name in versions}


def test_the_constraints_are_in_order_and_each_is_there_once() -> None:
    lines = (ROOT / "constraints.txt").read_text().splitlines()[1:]
    names = [canonicalize_name(line.partition("==")[0]) for line in lines]
    assert len(names) == len(set(names))
    assert names == sorted(names)


def test_the_action_installs_pinned_versions_and_quotes_what_it_is_given() -> None:
    yaml = (ROOT / "action.yml").read_text()
    assert "constraints.txt" in yaml
    assert not re.search(r"uses: [^\n]*@(?![0-9a-f]{40})", yaml), "other actions are named by commit"
    scripts = re.findall(r"run: \|\n((?: {8}.*\n)+)", yaml)
    assert len(scripts) == 2
    for script in scripts:
        assert "${{" not in script, "inputs reach the shell as variables, not as text of the script"
        for line in script.splitlines():
            bare = re.sub(r'"[^"]*"', "", line)
            assert "$" not in bare, f"not quoted: {line}"


@pytest.mark.parametrize("name", ["SECURITY.md", "constraints.txt", "action.yml", "LICENSE"])
def test_what_a_user_looks_for_first_is_there(name: str) -> None:
    assert (ROOT / name).is_file()
