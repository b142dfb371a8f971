"""Errors in a configuration name the file, the line and the closest valid name."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from unslant.config import Settings, find_config, load_settings
from unslant.core.errors import ConfigError, RuleError
from unslant.registry import names

Problems = Callable[..., list[str]]

CASES = [
    case.partition("\n=> ")[::2]
    for case in (Path(__file__).parent / "cases" / "errors.txt").read_text("utf-8").rstrip().split("\n\n")[1:]
]


@pytest.mark.parametrize(("written", "sentence"), CASES)
def test_an_invalid_value_gives_one_sentence(written: str, sentence: str, problems: Problems) -> None:
    assert problems(f"# comment\n\n{written}\n") == [f"unslant.toml:3: {sentence}"]


@pytest.mark.parametrize(
    ("written", "what", "said"),
    [
        ('analyzers = ["ruls"]', "analyzer", ("analyzers", "'ruls'. Did you mean 'rules'?")),
        ('segmenter = "nupunk"', "segmenter", ("segmenter", "'nupunk'. Did you mean 'nupunkt'?")),
        ('formats = { "*.rst" = "txt" }', "reader", ('formats."*.rst"', "'txt'. Did you mean 'text'?")),
    ],
)
def test_registered_names_are_offered(
    written: str, what: str, said: tuple[str, str], problems: Problems
) -> None:
    known = ", ".join(names(what))
    assert problems(written) == [f"unslant.toml:1: {said[0]} must be one of {known}, not {said[1]}"]


def test_the_table_of_pyproject_is_out_of_place_elsewhere(problems: Problems) -> None:
    assert problems("\n[tool.unslant]\ncache = 1\n") == [
        "unslant.toml:2: unknown key 'tool'. Only pyproject.toml has [tool.unslant]; write the keys at the top level."
    ]


def test_all_errors_are_reported_in_the_order_of_their_lines(problems: Problems) -> None:
    text = 'jobs = -1\nselect = [\n  "framing",\n  "framng",\n]\nselct = []\n[severity]\nrace = "eror"\n'
    assert [line.partition(" ")[0] for line in problems(text)] == [
        "unslant.toml:1:",
        "unslant.toml:4:",
        "unslant.toml:6:",
        "unslant.toml:8:",
    ]


def test_an_error_in_a_list_item_names_its_line(problems: Problems) -> None:
    text = '[per-file-ignores]\n"docs/**" = [\n  "framing",\n  # "wrong",\n  "wrong",\n]\n'
    assert problems(text)[0].startswith("unslant.toml:5: per-file-ignores: 'wrong'")


def test_an_error_in_pyproject_names_its_line(project: Path) -> None:
    (project / "pyproject.toml").write_text(
        '[project]\nfail-on = "x"\n\n[tool.other]\nfail-on = 1\n[tool.unslant]\nfail-on = "warn"\n'
    )
    with pytest.raises(ConfigError) as caught:
        load_settings(project, known_rules=lambda _: ())
    assert str(caught.value) == (
        "pyproject.toml:7: fail-on must be one of suggestion, warning, error, never, not 'warn'. "
        "Did you mean 'warning'?"
    )


def test_tool_unslant_must_be_a_table(project: Path) -> None:
    (project / "pyproject.toml").write_text("[tool]\nunslant = 3\n")
    with pytest.raises(ConfigError) as caught:
        load_settings(project, known_rules=lambda _: ())
    assert str(caught.value) == "pyproject.toml:2: tool.unslant must be a table, not 3."


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (
            "a = 1\nselect [\n",
            "unslant.toml:2: not valid TOML: expected '=' after a key in a key/value pair.",
        ),
        ("a = 1\n\nb =\n", "unslant.toml:3: not valid TOML: invalid value."),
        ('a = 1\nb = "x', "unslant.toml:2: not valid TOML: unterminated string."),
        ("cache = true\ncache = true\n", "unslant.toml:2: not valid TOML: cannot overwrite a value."),
        ("a = " + "[" * 100_000, "unslant.toml: nested too deeply."),
    ],
)
def test_invalid_toml_names_its_line(text: str, sentence: str, problems: Problems) -> None:
    assert problems(text) == [sentence]


def test_other_encodings_name_the_line(project: Path) -> None:
    (project / "unslant.toml").write_bytes(b'cache = true\nexclude = ["caf\xe9"]\n')
    with pytest.raises(ConfigError) as caught:
        find_config(project)
    assert str(caught.value) == "unslant.toml:2: not UTF-8 text; save the file as UTF-8."


def test_a_byte_order_mark_is_forgiven(project: Path) -> None:
    (project / "unslant.toml").write_bytes(b"\xef\xbb\xbfcache = false\r\n")
    settings = load_settings(project, known_rules=lambda _: ())
    assert not settings.cache
    assert settings.origin("cache") == "unslant.toml:1"


def test_a_named_file_must_exist_and_be_a_file(project: Path) -> None:
    for name, sentence in {
        "none.toml": "none.toml: no such configuration file.",
        ".": ".: is a folder, not a file.",
    }.items():
        with pytest.raises(ConfigError) as caught:
            load_settings(project, config=Path(name), known_rules=lambda _: ())
        assert str(caught.value) == sentence


def test_a_named_pyproject_needs_the_table(project: Path) -> None:
    (project / "pyproject.toml").write_text("[tool.other]\nunslant = 1\n")
    with pytest.raises(ConfigError) as caught:
        load_settings(project, config=Path("pyproject.toml"), known_rules=lambda _: ())
    assert str(caught.value) == "pyproject.toml: no [tool.unslant] table; add one or pass another file."


def test_a_rule_file_in_another_encoding(project: Path, problems: Problems) -> None:
    (project / "house.toml").write_bytes(b"\xff")
    assert problems('rule-files = [\n  "house.toml",\n]') == [
        "unslant.toml:2: rule-files names 'house.toml', which is not UTF-8 text."
    ]


def test_files_that_the_system_will_not_open(project: Path, problems: Problems) -> None:
    (project / "loop.toml").symlink_to("loop.toml")
    with pytest.raises(ConfigError) as caught:
        load_settings(project, config=Path("loop.toml"), known_rules=lambda _: ())
    assert re.fullmatch(
        r"loop\.toml: cannot be read \(too many .*\); use --no-config to run without it\.", str(caught.value)
    )
    reported = problems('rule-files = ["loop.toml"]')
    assert len(reported) == 1
    assert re.fullmatch(
        r"unslant\.toml:1: rule-files names 'loop\.toml', which cannot be read \(too many .*\)\.", reported[0]
    )


def test_an_invalid_rule_file_is_reported_with_the_rest(problems: Problems) -> None:
    def broken(_: object) -> tuple[str, ...]:
        raise RuleError("house.toml:3: 'why' is missing.")

    reported = problems('jobs = -1\nselect = ["framing/praise-adjective"]', known_rules=broken)
    assert reported == [
        "house.toml:3: 'why' is missing.",
        "unslant.toml:1: jobs must be a whole number, 0 or more, not -1.",
    ]


def test_errors_in_options_name_the_option(problems: Problems) -> None:
    overrides = {"select": ("framng",), "fail-on": "warn", "threshold": 2.0, "rule-files": (Path("x.toml"),)}
    assert problems("", overrides=overrides) == [
        "--fail-on must be one of suggestion, warning, error, never, not 'warn'. Did you mean 'warning'?",
        "--threshold must be a number from 0 to 1, not 2.0.",
        "--rule-files names 'x.toml', which does not exist.",
        "--select: 'framng' is not a rule, kind or dimension. Did you mean 'framing'?",
    ]


def test_config_and_no_config_cannot_be_combined(project: Path) -> None:
    with pytest.raises(ConfigError, match=r"^--config and --no-config cannot be used together\.$"):
        load_settings(project, config=Path("a.toml"), use_config=False, known_rules=lambda _: ())


def test_nothing_from_a_file_can_move_the_cursor(problems: Problems) -> None:
    text = '"\\u001b[2J" = 1\nfail-on = "\\u001b[2J\\n"\nselect = ["\\u009b"]\nignore = "\\n\\u001b"\n'
    reported = problems(text)
    assert len(reported) == 4
    assert all(line.isprintable() for line in reported)


def test_a_long_value_is_cut_short(problems: Problems) -> None:
    assert len(problems(f'fail-on = "{"x" * 5000}"')[0]) < 200


def test_a_configuration_above_is_named_from_here(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (project / "unslant.toml").write_text("\njobs = -1")
    (project / "a" / "b").mkdir(parents=True)
    monkeypatch.chdir(project / "a" / "b")
    with pytest.raises(ConfigError) as caught:
        load_settings(Path(), known_rules=lambda _: ())
    above = Path("..", "..", "unslant.toml")
    assert str(caught.value).startswith(f"{above}:2: jobs must be")


def test_bounds_may_be_equal_and_a_pattern_names_rules(
    load: Callable[..., Settings], problems: Problems
) -> None:
    assert load("uncertain = [0.5, 0.5]").spec.uncertain == (0.5, 0.5)
    assert "smaller number first" in problems("uncertain = [0.6, 0.5]")[0]
    assert load('select = ["framing/*"]').spec.select == ("framing/*",)
    assert "matches no rule" in problems('select = ["*"]')[0]
