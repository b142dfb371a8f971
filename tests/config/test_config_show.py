"""What ``--show-config`` prints: every value, where it came from, and TOML that can be pasted back."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from unslant.config import Settings, load_settings, show
from unslant.config.schema import KEYS
from unslant.core.taxonomy import dimensions, kinds
from unslant.core.types import Severity
from unslant.profiles import AUTO, profiles
from unslant.registry import names
from unslant.spec import Spec


def test_a_whole_configuration_is_shown(project: Path, load: Callable[..., Settings]) -> None:
    text = """\
jobs = 2

[severity]
"framing/*" = "error"
race = "suggestion"

[vocabulary]
accept = ["a\\tb"]
"""
    shown = show(load(text, overrides={"cache": False, "select": ("framing",)}))
    assert (
        shown
        == f"""\
# unslant: every setting and its origin (read from {project / "unslant.toml"})
select            = ["framing"]         # --select
ignore            = []                  # default
include           = []                  # default
profile           = "auto"              # default
threshold         = "auto"              # default
min-severity      = "suggestion"        # default
sentences         = false               # default
quotations        = false               # default
analyzers         = ["rules", "model"]  # default
model             = ""                  # default
uncertain         = [0.4, 0.6]          # default
segmenter         = "nupunkt"           # default
rewriter          = "auto"              # default
budget            = 0.2                 # default
extends           = []                  # default
rule-files        = []                  # default
fail-on           = "warning"           # default
output-format     = "text"              # default
exclude           = []                  # default
respect-gitignore = true                # default
max-bytes         = 100000000           # default
cache             = false               # --no-cache
jobs              = 2                   # unslant.toml:1
per-file-ignores  = {{}}                  # default
profiles          = {{}}                  # default
formats           = {{}}                  # default

[severity]  # unslant.toml:3
"framing/*" = "error"
race        = "suggestion"

[vocabulary]
accept  = ["a\\u0009b"]  # unslant.toml:8
flag    = []            # default
suggest = {{}}            # default
"""
    )


def test_long_lists_have_a_line_for_each_item(load: Callable[..., Settings]) -> None:
    words = [f"word number {number}" for number in range(9)]
    shown = show(load("exclude = [" + ", ".join(f'"{word}"' for word in words) + "]"))
    assert '# unslant.toml:1\n    "word number 0",\n' in shown
    assert tomllib.loads(shown)["exclude"] == words
    assert max(map(len, shown.splitlines()[1:])) < 80


def test_every_key_is_shown_when_nothing_is_configured() -> None:
    shown = show(Settings())
    data = tomllib.loads(shown)
    data |= {f"vocabulary.{name}": value for name, value in data.pop("vocabulary").items()}
    assert set(data) == set(KEYS)
    assert shown.startswith("# unslant: every setting and its origin (no configuration file found)\n")


def test_what_toml_cannot_hold_is_replaced() -> None:
    shown = show(Settings(exclude=("\udcff", "\ud800", "\udfff", "\x1b[2J", "😀")))
    assert tomllib.loads(shown)["exclude"] == ["\N{REPLACEMENT CHARACTER}"] * 3 + ["\x1b[2J", "😀"]
    assert "\x1b" not in shown


_texts = st.text(st.characters(codec="utf-8"), min_size=1, max_size=12).filter(str.strip)
_selectors = st.sampled_from((*kinds(), *dimensions()))
_lists = st.lists(_texts, max_size=6).map(tuple)
_selector_lists = st.lists(_selectors, max_size=4).map(tuple)
_specs = st.builds(
    Spec,
    quotations=st.booleans(),
    select=_selector_lists,
    ignore=_selector_lists,
    per_file_ignores=st.dictionaries(_texts, _selector_lists, max_size=3).map(
        lambda table: tuple(table.items())
    ),
    profile=st.sampled_from((AUTO, *profiles())),
    profiles=st.dictionaries(_texts, st.sampled_from(profiles()), max_size=3).map(
        lambda table: tuple(table.items())
    ),
    threshold=st.none() | st.floats(0, 1),
    min_severity=st.sampled_from(Severity),
    sentences=st.booleans(),
    severity=st.dictionaries(_selectors, st.sampled_from(Severity), max_size=3).map(
        lambda table: tuple(table.items())
    ),
    accept=_lists,
    flag=_lists,
    suggest=st.dictionaries(_texts, st.text(st.characters(codec="utf-8"), max_size=20), max_size=3).map(
        lambda table: tuple(table.items())
    ),
)
_settings = st.builds(
    Settings,
    spec=_specs,
    fail_on=st.sampled_from(("suggestion", "warning", "error", "never")),
    output_format=st.sampled_from(("text", "json", "jsonl", "sarif", "github", "html")),
    exclude=_lists,
    respect_gitignore=st.booleans(),
    formats=st.dictionaries(_texts, st.sampled_from(names("reader")), max_size=3),
    max_bytes=st.integers(1, 10**12),
    cache=st.booleans(),
    jobs=st.integers(0, 64),
    root=st.just(Path()),
    config=st.none(),
    origins=st.dictionaries(st.sampled_from(sorted(KEYS)), st.text(max_size=9), max_size=3),
)


@settings(
    max_examples=100,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(expected=_settings)
def test_what_is_shown_can_be_pasted_back(expected: Settings, project: Path) -> None:
    file = project / "unslant.toml"
    file.write_text(show(expected), "utf-8", newline="")
    again = load_settings(project, known_rules=lambda _: ())
    assert replace(again, root=Path(), config=None) == expected


def test_rule_files_can_be_pasted_back(project: Path, load: Callable[..., Settings]) -> None:
    (project / "house rules.toml").write_text("x")
    once = load('rule-files = ["house rules.toml"]')
    assert load(show(once)) == once
