"""Which configuration counts, and what comes out of it."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from unslant.config import Settings, SettingsCache, find_config, load_settings
from unslant.config.schema import KEYS
from unslant.core.errors import ConfigError
from unslant.core.types import Severity
from unslant.spec import Spec

Load = Callable[..., Settings]


def _no_rules(_: object) -> tuple[str, ...]:
    raise AssertionError("the rules must not be asked for")


def _write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
    return path


KEY_VALUES = {
    # key: (its value in TOML, the value in the settings)
    "select": ('["framing", "gender", "house/style"]', ("framing", "gender", "house/style")),
    "ignore": ('["epistemological/*"]', ("epistemological/*",)),
    "include": ('["docs/plain"]', ("docs/plain",)),
    "profile": ('"docs"', "docs"),
    "threshold": ("1", 1.0),
    "min-severity": ('"warning"', Severity.WARNING),
    "sentences": ("true", True),
    "quotations": ("true", True),
    "analyzers": ('["rules"]', ("rules",)),
    "uncertain": ("[0.25, 0.5]", (0.25, 0.5)),
    "segmenter": ('"nupunkt"', "nupunkt"),
    "rewriter": ('"none"', "none"),
    "budget": ("0.5", 0.5),
    "extends": ('["rules/house.toml"]', (("rules/house.toml", "house/style\n"),)),
    "rule-files": ('["rules/house.toml"]', (("rules/house.toml", "house/style\n"),)),
    "fail-on": ('"never"', "never"),
    "output-format": ('"sarif"', "sarif"),
    "exclude": ('["drafts/", "!drafts/kept.md"]', ("drafts/", "!drafts/kept.md")),
    "respect-gitignore": ("false", False),
    "max-bytes": ("1_000", 1000),
    "cache": ("false", False),
    "jobs": ("3", 3),
    "per-file-ignores": ('{ "docs/**" = ["race"] }', (("docs/**", ("race",)),)),
    "severity": (
        '{ demographic = "error", "framing/*" = "suggestion" }',
        (("demographic", Severity.ERROR), ("framing/*", Severity.SUGGESTION)),
    ),
    "profiles": ('{ "news/**" = "news" }', (("news/**", "news"),)),
    "formats": ('{ "*.rst" = "text" }', {"*.rst": "text"}),
    "vocabulary.accept": ('["legendary creature"]', ("legendary creature",)),
    "vocabulary.flag": ('["synergy"]', ("synergy",)),
    "vocabulary.suggest": (
        '{ utilize = "use", "very unique" = "" }',
        (("utilize", "use"), ("very unique", "")),
    ),
}


@pytest.mark.parametrize("name", KEY_VALUES)
def test_a_key_reaches_the_settings_and_nothing_else_changes(project: Path, load: Load, name: str) -> None:
    _write(project / "rules" / "house.toml", "house/style\n")
    written, expected = KEY_VALUES[name]
    needed = f"rule-files = {KEY_VALUES['rule-files'][0]}\n" if name == "select" else ""
    settings = load(f"{needed}{name} = {written}\n")
    others = [key for key in KEYS.values() if key.name not in {name, *({"rule-files"} if needed else ())}]
    defaults = Settings()
    assert KEYS[name].of(settings) == expected
    assert [key.name for key in others if key.of(settings) != key.of(defaults)] == []
    assert settings.origin(name).startswith("unslant.toml:")


def test_no_key_is_left_out_above_but_the_model() -> None:
    """A folder of a model needs the user's trust, which test_files.py is about."""
    assert set(KEYS) - set(KEY_VALUES) == {"model"}


def test_all_keys_together_can_travel_to_another_process(project: Path, load: Load) -> None:
    _write(project / "rules" / "house.toml", "house/style\n")
    settings = load("".join(f"{name} = {written}\n" for name, (written, _) in KEY_VALUES.items()))
    assert settings.root == project
    assert settings.config == project / "unslant.toml"
    assert pickle.loads(pickle.dumps(settings)) == settings  # noqa: S301 - settings may travel to a process
    assert isinstance(hash(settings), int)


def test_without_a_file_everything_is_the_default(project: Path) -> None:
    settings = load_settings(project, use_config=False, known_rules=_no_rules)
    assert settings == Settings(root=project)
    assert settings.spec == Spec()
    assert settings.origin("select") == "default"


def test_options_replace_the_file_and_the_file_the_defaults(load: Load) -> None:
    settings = load(
        'select = ["framing"]\nignore = ["race"]\ncache = true\njobs = 2\n\n[vocabulary]\nflag = ["x"]\n',
        overrides={"select": ("gender",), "cache": False, "quotations": True, "ignore": (), "jobs": None},
    )
    assert settings.spec.select == ("gender",)
    assert settings.spec.ignore == ("race",)
    assert (settings.cache, settings.spec.quotations, settings.jobs) == (False, True, 2)
    assert settings.origins == {
        "select": "--select",
        "ignore": "unslant.toml:2",
        "cache": "--no-cache",
        "jobs": "unslant.toml:4",
        "vocabulary.flag": "unslant.toml:7",
        "quotations": "--quotations",
    }
    assert settings.origin("fail-on") == "default"


def test_the_rules_are_asked_for_only_when_kinds_and_dimensions_do_not_decide(load: Load) -> None:
    text = 'select = ["framing", "political affiliation"]\nper-file-ignores = { x = ["race"] }\n'
    assert load(text + 'severity.age = "error"\n', known_rules=_no_rules).spec.select == (
        "framing",
        "political affiliation",
    )


def test_own_rules_can_be_selected(project: Path, load: Load) -> None:
    _write(project / "house.toml", "house/style")
    assert load('rule-files = ["house.toml"]\nselect = ["house/*"]').spec.select == ("house/*",)
    with pytest.raises(ConfigError, match=r"house/\*"):
        load('select = ["house/*"]')


def test_rule_files_lie_beside_the_configuration_or_the_working_directory(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _write(project / "unslant.toml", 'rule-files = ["house.toml"]')
    _write(project / "house.toml", "of the configuration")
    _write(project / "below" / "house.toml", "of the working directory")
    monkeypatch.chdir(project / "below")
    settings = load_settings(Path(), known_rules=_no_rules)
    assert settings.spec.rule_files == (("house.toml", "of the configuration"),)
    settings = load_settings(Path(), known_rules=_no_rules, overrides={"rule-files": ("house.toml",)})
    assert settings.spec.rule_files == (("below/house.toml", "of the working directory"),)


def test_the_nearest_configuration_counts(project: Path) -> None:
    top = _write(project / "unslant.toml", "jobs = 1")
    beside = _write(project / "a" / "pyproject.toml", "[tool.unslant]\njobs = 2")
    _write(project / "a" / "b" / "pyproject.toml", "[tool.other]\nname = 'unslant'")
    text = _write(project / "a" / "b" / "c" / "text.md", "")
    assert find_config(text) == beside
    assert find_config(text.parent) == beside
    assert find_config(project / "a" / "b" / "missing.md") == beside
    assert find_config(project / "other.md") == top


def test_unslant_toml_comes_before_pyproject(project: Path) -> None:
    _write(project / "pyproject.toml", "[tool.unslant]\njobs = 2")
    own = _write(project / "unslant.toml", "")
    assert find_config(project) == own


def test_an_empty_table_is_a_configuration(project: Path) -> None:
    _write(project / "unslant.toml", "jobs = 1")
    _write(project / "a" / "pyproject.toml", "[tool.unslant]")
    assert load_settings(project / "a", known_rules=_no_rules).jobs == 0


def test_a_broken_pyproject_of_someone_else_does_not_matter(project: Path) -> None:
    top = _write(project / "unslant.toml", "jobs = 1")
    _write(project / "a" / "pyproject.toml", "[[[ not toml")
    (project / "a" / "unslant.toml").mkdir()
    assert find_config(project / "a") == top


def test_a_named_file_counts_alone(project: Path) -> None:
    _write(project / "unslant.toml", "jobs = 1\ncache = false")
    _write(project / "conf" / "strict.toml", 'fail-on = "suggestion"')
    settings = load_settings(project, config=Path("conf/strict.toml"), known_rules=_no_rules)
    assert (settings.fail_on, settings.jobs, settings.cache) == ("suggestion", 0, True)
    assert settings.root == project / "conf"
    assert settings.origin("fail-on") == f"{Path('conf', 'strict.toml')}:1"


def test_no_config_reads_none(project: Path) -> None:
    _write(project / "unslant.toml", "this is not toml")
    settings = load_settings(project, use_config=False, overrides={"jobs": 4}, known_rules=_no_rules)
    assert (settings.jobs, settings.config, settings.root) == (4, None, project)


def test_each_file_has_the_settings_nearest_to_it(project: Path) -> None:
    _write(project / "unslant.toml", "jobs = 1\ncache = false")
    _write(project / "a" / "unslant.toml", "jobs = 2")
    cache = SettingsCache(project, known_rules=_no_rules, overrides={"fail-on": "error"})
    above, below = cache.for_path(project / "x.md"), cache.for_path(project / "a" / "b" / "x.md")
    assert (above.jobs, above.cache, above.root) == (1, False, project)
    assert (below.jobs, below.cache, below.root) == (2, True, project / "a")
    assert above.fail_on == below.fail_on == "error"
    assert cache.for_path(project / "a" / "y.md") is below
    assert cache.for_path(project / "c" / "d" / "y.md") is above


def test_a_configuration_is_read_once(project: Path) -> None:
    file = _write(project / "unslant.toml", "jobs = 1")
    cache = SettingsCache(project, known_rules=_no_rules)
    first = cache.for_path(project / "a.md")
    file.write_text("jobs = 2")
    assert cache.for_path(project / "a.md") is first


def test_a_broken_configuration_stops_only_the_files_below_it(project: Path) -> None:
    _write(project / "unslant.toml", "jobs = 1")
    _write(project / "typo" / "unslant.toml", "jbs = 1")
    _write(project / "syntax" / "unslant.toml", "jobs")
    cache = SettingsCache(project, known_rules=_no_rules)
    for name in ("typo", "syntax", "typo"):
        with pytest.raises(ConfigError, match=rf"^{name}.unslant.toml:1: "):
            cache.for_path(project / name / "deeper" / "x.md")
    assert cache.for_path(project / "x.md").jobs == 1


def test_one_configuration_for_all_when_it_is_named_or_refused(project: Path) -> None:
    _write(project / "a" / "unslant.toml", "jobs = 2")
    named = _write(project / "named.toml", "jobs = 7")
    cache = SettingsCache(project, config=named, known_rules=_no_rules)
    assert cache.for_path(project / "a" / "x.md").jobs == 7
    cache = SettingsCache(project, use_config=False, known_rules=_no_rules)
    assert cache.for_path(project / "a" / "x.md").jobs == 0


def test_where_there_is_no_configuration_the_start_is_the_root(project: Path) -> None:
    assert find_config(project) is None, "a configuration lies above the folder for temporary files"
    cache = SettingsCache(project, known_rules=_no_rules)
    assert cache.for_path(project / "a" / "x.md").root == project


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("a.rst", "text"),
        ("deep/er/a.rst", "text"),
        ("wiki/a.rst", "wikitext"),
        ("b/wiki/a.rst", "wikitext"),
        ("a.md", None),
    ],
)
def test_formats_by_name_or_by_path(path: str, expected: str | None, project: Path, load: Load) -> None:
    settings = load('[formats]\n"*.rst" = "text"\n"wiki/*" = "wikitext"')
    assert settings.format_for(project / path) == expected
    assert settings.format_for(Path(path)) == expected
    assert settings.relative(project / path) == path


def test_a_run_without_configuration_reads_no_toml(project: Path) -> None:
    script = (
        "import sys; from pathlib import Path; from unslant.config import load_settings;"
        "load_settings(Path('.'), known_rules=lambda files: ());"
        "late = {'tomllib', 'difflib', 'unslant.registry', 'unslant.config.schema'};"
        "print(sorted(late & set(sys.modules)))"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=project,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == "[]"


def test_other_packages_are_asked_only_for_a_name_that_unslant_does_not_have(
    load: Load, monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded: list[str] = []
    monkeypatch.setattr("unslant.registry._plugins", lambda kind: loaded.append(kind) or {"slow": "a:B"})
    assert load('analyzers = ["rules"]').spec.analyzers == ("rules",)
    assert loaded == []
    assert load('analyzers = ["rules", "slow"]').spec.analyzers == ("rules", "slow")
    assert loaded == ["analyzer"]
