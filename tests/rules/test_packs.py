"""Rule packs: what they must say, where they are read from, and whether their sentences hold."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import unslant
from unslant.core.errors import RuleError
from unslant.rules.analyzer import RuleAnalyzer, rules_for
from unslant.rules.examples import FailedExample, run_examples
from unslant.rules.pack import PACK_FILE, bundled_packs, parse_pack, read_pack
from unslant.spec import Spec
from unslant.text.reading import read
from unslant.text.sentences import NupunktSegmenter

HEAD = 'version = 1\n[pack]\nname = "acme"\nversion = "2.1"\nlicence = "CC0-1.0"\n'
RULE = """
[[rule]]
id = "framing/acme-quux"
title = "Quux"
kind = "framing"
why = "We write it another way."
source = "our style guide"
terms = ["quuxish"]
flags = ["It is quuxish."]
passes = ["The Quuxish Party met."]
"""
PACK = HEAD + RULE


def test_a_pack_says_what_it_is() -> None:
    pack = parse_pack(PACK, "acme.toml")
    assert (pack.name, pack.version, pack.licence, pack.about) == ("acme", "2.1", "CC0-1.0", "")
    assert [rule.id for rule in pack.rules] == ["framing/acme-quux"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("version = = 1", "acme.toml is not valid TOML: "),
        ("a = " + "[" * 100_000, "acme.toml is not valid TOML: it is nested too deeply"),
        ("version = 1" + RULE, "acme.toml: not a rule pack; add a table [pack] with name, version, licence"),
        ("version = 1\npack = 3", "acme.toml: not a rule pack"),
        (PACK.replace("licence", "license"), "unknown key 'license' in [pack]. Did you mean 'licence'?"),
        (PACK.replace('"2.1"', "2.1"), "acme.toml: 'version' in [pack] must be a string"),
        (PACK.replace('"acme"', '" "'), "acme.toml: 'name' in [pack] is required and must be a string"),
        (HEAD, "acme.toml: the pack has no rules; add a [[rule]]"),
        (PACK.replace("version = 1", "version = 2"), "acme.toml: version must be 1"),
        ("rule = 3\n" + HEAD, "acme.toml: 'rule' must be a list of tables; write [[rule]] above each rule"),
        ('rule = ["x"]\n' + HEAD, "acme.toml: 'rule' must be a list of tables"),
        ("classes = 3\n" + PACK, "acme.toml: 'classes' must be a table of lists of strings"),
        ("classes = {a = 3}\n" + PACK, "acme.toml: 'classes' must be a table of lists of strings"),
        (PACK.replace("acme-quux", "Acme\\u001b[2J"), "must be the kind, a slash and lower-case words"),
        (PACK.replace('["It is quuxish."]', "[]"), "a rule of a pack needs a sentence in 'flags'"),
        (PACK.replace('["The Quuxish Party met."]', "[]"), "a rule of a pack needs a sentence in 'passes'"),
        (
            "classes = {a = ["
            + '"b",' * 3_000
            + "]}\n"
            + PACK.replace('"quuxish"', '"q <a> <a> <a> <a> <a> <a> <a>"'),
            "its word lists stand for more than 20,000 terms; shorten them",
        ),
        (PACK + 'least = "two"\ncounts = ["framing"]', "rule 'framing/acme-quux': 'least' must be a number"),
        (PACK + "set = []", "rule 'framing/acme-quux': 'set' must be a string"),
        (PACK + 'names = "yes"', "rule 'framing/acme-quux': 'names' must be true or false"),
        (
            PACK.replace('"quuxish"', f'"{"(" * 5_000}a{")" * 5_000}"'),
            "more than 8 brackets inside each other",
        ),
    ],
)
def test_every_mistake_in_a_pack_is_one_sentence(text: str, message: str) -> None:
    with pytest.raises(RuleError) as caught:
        parse_pack(text, "acme.toml")
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 200


def test_alternatives_that_multiply_are_refused() -> None:
    many = "|".join(f"(x{number})" for number in range(600))
    text = PACK.replace('"quuxish"', f'"({many}) ({many})"')
    with pytest.raises(RuleError, match="the rules have more than 200,000 words and alternatives"):
        RuleAnalyzer(Spec(extends=(("acme.toml", text),)))


@pytest.mark.parametrize("field", ["extends", "rule_files"])
def test_the_rules_of_a_pack_are_reported(field: str) -> None:
    spec = Spec(analyzers=("rules",), profile="news", **{field: (("acme.toml", PACK),)})  # type: ignore[arg-type]
    (finding,) = unslant.check("The plan is quuxish.", spec=spec).findings
    assert (finding.text, finding.rule) == ("quuxish", "framing/acme-quux")


def test_a_pack_cannot_replace_a_built_in_rule() -> None:
    taken = rules_for(Spec())[0]
    text = PACK.replace("framing/acme-quux", taken.id).replace(
        'kind = "framing"', f'kind = "{taken.kind}"\ndimension = "gender"'
    )
    with pytest.raises(RuleError) as caught:
        RuleAnalyzer(Spec(extends=(("acme.toml", text),)))
    assert str(caught.value) == f"acme.toml: a rule {taken.id!r} already exists; use another id"


def test_two_packs_cannot_have_the_same_rule() -> None:
    with pytest.raises(
        RuleError, match=r"b\.toml: a rule 'framing/acme-quux' already exists; use another id"
    ):
        RuleAnalyzer(Spec(extends=(("a.toml", PACK), ("b.toml", PACK))))


def test_sentences_that_fail_are_named() -> None:
    text = PACK.replace('["It is quuxish."]', '["It is quuxish.", "It is quuxlike."]').replace(
        '["The Quuxish Party met."]', '["The Quuxish Party met.", "He was quuxish. She was quuxish too."]'
    )
    result = run_examples(text, "acme.toml")
    assert result.sentences == 4
    assert result.failures == (
        FailedExample("framing/acme-quux", "It is quuxlike.", ()),
        FailedExample("framing/acme-quux", "He was quuxish. She was quuxish too.", ("quuxish", "quuxish")),
    )


def test_weak_terms_count_in_sentences() -> None:
    assert run_examples(PACK + 'weak = ["quuxish"]', "acme.toml").failures == ()


@pytest.mark.parametrize("name", bundled_packs())
def test_the_packs_that_ship_pass(name: str) -> None:
    assert run_examples(read_pack(name, Path()), name).failures == ()


@pytest.mark.parametrize("name", bundled_packs())
def test_the_packs_that_ship_say_nothing_that_the_catalogue_says(name: str) -> None:
    """Each sentence is there for words that no built-in rule finds, not even weakly."""
    analyzer = RuleAnalyzer(Spec(extends=((name, read_pack(name, Path())),)))
    segmenter = NupunktSegmenter(Spec())
    built_in = {rule.id for rule in rules_for(Spec())}
    repeated = []
    for rule in parse_pack(read_pack(name, Path()), name).rules:
        for text in rule.flags:
            for analysis in analyzer.analyze(list(segmenter.split(read(text)))):
                ours = [finding for finding in analysis.findings if finding.rule == rule.id]
                theirs = [finding for finding in analysis.findings if finding.rule in built_in]
                repeated += [
                    (own.text, other.rule)
                    for own in ours
                    for other in theirs
                    if own.span.overlaps(other.span)
                ]
    assert repeated == []


def install(site: Path, record: str, name: str = "acme-style") -> Path:
    """Make a folder of installed packages with one package, whose code must not run."""
    package = site / "acme_style"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("raise SystemExit('imported')")
    info = site / "acme_style-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (info / "RECORD").write_text(record)
    return package


def test_a_pack_of_an_installed_package_is_read_without_running_its_code(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = install(tmp_path, f"acme_style/__init__.py,,\nacme_style/{PACK_FILE},,\n")
    (package / PACK_FILE).write_text(PACK)
    monkeypatch.syspath_prepend(tmp_path)
    assert read_pack("acme-style", Path()) == PACK
    assert read_pack("Acme_Style", Path()) == PACK
    assert "acme_style" not in sys.modules


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ("acme_style/__init__.py,,\n", "the package 'acme-style' has no file named unslant-pack.toml"),
        ("a/unslant-pack.toml,,\nb/unslant-pack.toml,,\n", "has 2 files named unslant-pack.toml"),
        ("../unslant-pack.toml,,\n", "is outside the folder of installed packages"),
        ("acme_style/unslant-pack.toml,,\n", "is outside the folder of installed packages"),
        # whether files that are gone are listed depends on the version of Python
        ("acme_style/gone/unslant-pack.toml,,\n", "does not exist|has no file named"),
        ("acme_style/unslant-pack.toml,,many\n", "is damaged; install it again"),
    ],
)
def test_a_package_with_a_bad_list_of_files(
    record: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    outside = tmp_path / PACK_FILE
    outside.write_text(PACK)
    package = install(tmp_path / "site", record)
    (package / PACK_FILE).symlink_to(outside)
    monkeypatch.syspath_prepend(tmp_path / "site")
    with pytest.raises(RuleError, match=message):
        read_pack("acme-style", Path())


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ("wikipeda", "no package named 'wikipeda' is installed. Did you mean 'wikipedia'?"),
        ("quux", "no package named 'quux' is installed; for a file, write its path: './quux.toml'"),
        ("acme style", "'acme style' is neither a path to a .toml file nor the name of a package"),
        ("acme\x1b[2J", r"'acme\x1b[2J' is neither a path to a .toml file nor the name of a package"),
        ("..", "'..' is neither a path to a .toml file nor the name of a package"),
    ],
)
def test_names_that_are_no_pack(written: str, message: str) -> None:
    with pytest.raises(RuleError) as caught:
        read_pack(written, Path())
    assert str(caught.value) == message
