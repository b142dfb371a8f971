"""What the documentation says holds."""

from __future__ import annotations

import doctest
import os
import re
import subprocess
import sys
from pathlib import Path

import unslant
from unslant.report.listings import reasons_page
from unslant.rules.analyzer import rules_for
from unslant.spec import Spec

ROOT = Path(__file__).parents[1]
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def test_the_examples_in_python_run() -> None:
    results = doctest.testfile(str(ROOT / "docs" / "python.md"), module_relative=False, optionflags=FLAGS)
    assert results.attempted > 8
    assert results.failed == 0
    assert doctest.testmod(unslant).failed == 0


def test_the_public_names_are_sorted_and_complete() -> None:
    assert unslant.__all__ == sorted(unslant.__all__)
    assert set(unslant.__all__) == {*unslant._HOME, "__version__"}
    for name in unslant.__all__:
        assert getattr(unslant, name) is not None
        assert name in dir(unslant)


def test_every_rule_can_be_looked_up() -> None:
    page = (ROOT / "docs" / "rules.md").read_text("utf-8")
    assert [rule.id for rule in rules_for(Spec()) if f"`{rule.id}`" not in page] == []


def test_the_page_of_reasons_is_current() -> None:
    page = (ROOT / "docs" / "reasons.md").read_text("utf-8")
    assert page == reasons_page(rules_for(Spec())), (
        "run: unslant rules --output-format markdown > docs/reasons.md"
    )


def test_every_field_of_the_spec_is_described() -> None:
    page = (ROOT / "docs" / "python.md").read_text("utf-8")
    assert [name for name in Spec.__dataclass_fields__ if f"`{name}`" not in page] == []


PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    ROOT / "ARCHITECTURE.md",
    *(ROOT / "docs").rglob("*.md"),
]


def anchors(page: Path) -> set[str]:
    """Return the anchors of a page's headings, as GitHub makes them."""
    prose = re.sub(r"^```.*?^```", "", page.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)
    headings = re.findall(r"^#+ (.+)$", prose, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_links_between_pages_lead_to_a_file_and_a_heading() -> None:
    for page in PAGES:
        for target in re.findall(r"\]\(([^):]+)\)", page.read_text("utf-8")):
            path, _, anchor = target.partition("#")
            home = page.parent / path if path else page
            assert home.exists(), f"{page.name}: {target}"
            assert not anchor or anchor in anchors(home), f"{page.name}: {target}"


def test_no_page_installs_unslant_from_an_index() -> None:
    readmes = (ROOT / "editors").glob("*/README.md")
    for page in [*PAGES, *readmes]:
        found = re.findall(r"(?:install|uvx --from) '?unslant\b.*", page.read_text("utf-8"))
        assert found == [], f"{page}: there is no release yet; install from the checkout"


def test_the_readme_shows_findings_that_the_sample_really_has() -> None:
    shown = re.findall(r"```text\n\$ unslant (.+)\n((?:.*\n)*?)```", (ROOT / "README.md").read_text("utf-8"))
    ((command, text),) = shown
    printed = subprocess.run(
        [sys.executable, "-m", "unslant", *command.split()],
        env=os.environ | {"PYTHONPATH": str(ROOT / "src"), "COLUMNS": "100"},
        capture_output=True,
        text=True,
        check=False,
    ).stdout
    for finding in text.strip("\n").split("\n\n"):
        assert finding in printed


def test_ci_calls_the_test_command_of_the_readme() -> None:
    section = (ROOT / "README.md").read_text("utf-8").partition("## Test it")[2]
    (command,) = re.findall(r"```sh\n(.+)\n```", section)
    script = 'eval "$(sed -n \'/^command=/p\' .ci/run)" && echo "$command"'
    printed = subprocess.run(["bash", "-c", script], cwd=ROOT, capture_output=True, text=True, check=True)
    assert printed.stdout.strip() == command


def test_every_dependency_is_named_with_a_reason() -> None:
    import tomllib

    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    page = (ROOT / "docs" / "dependencies.md").read_text("utf-8")
    wanted = [
        *project["dependencies"],
        *(item for extra in project["optional-dependencies"].values() for item in extra),
    ]
    named = {re.match(r"[\w-]+", item)[0] for item in wanted} - {"unslant"}  # type: ignore[index]
    assert [name for name in sorted(named) if name not in page] == []


def test_the_paths_that_the_architecture_names_exist() -> None:
    pages = [
        ROOT / "ARCHITECTURE.md",
        ROOT / "docs" / "dependencies.md",
        *(ROOT / "docs" / "design").glob("*.md"),
    ]
    for page in pages:
        for path in re.findall(r"`((?:lab/)?[a-z_]+/(?:[\w/]+(?:\.\w+)?)?)`", page.read_text("utf-8")):
            assert any((base / path).exists() for base in (ROOT, ROOT / "src", ROOT / "src" / "unslant")), (
                f"{page.name}: {path}"
            )


def test_the_site_builds_without_a_warning(tmp_path: Path) -> None:
    build = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(tmp_path)]
    built = subprocess.run(build, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (built.returncode, built.stdout) == (0, ""), built.stderr
    assert "legendary" in (tmp_path / "index.html").read_text("utf-8")
    assert (tmp_path / "ARCHITECTURE" / "index.html").is_file()
    assert "fix.md" not in (tmp_path / "check" / "index.html").read_text("utf-8"), "links lead to pages"
    assert (tmp_path / "search" / "search_index.json").stat().st_size > 100_000
