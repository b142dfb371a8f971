"""Whether the rules of a pack do what the sentences in ``flags`` and ``passes`` say."""

from __future__ import annotations

from dataclasses import dataclass

from unslant.rules.analyzer import RuleAnalyzer
from unslant.rules.pack import Pack, parse_pack
from unslant.spec import Spec
from unslant.text.reading import read
from unslant.text.sentences import NupunktSegmenter


@dataclass(frozen=True, slots=True)
class FailedExample:
    """A sentence with which a rule did not do what its file says."""

    rule: str
    sentence: str
    found: tuple[str, ...]
    """The words that the rule found although it must find none; empty: it found none although it must."""


@dataclass(frozen=True, slots=True)
class PackTest:
    """The result of a pack's sentences."""

    pack: Pack
    sentences: int
    """How many sentences were checked."""
    failures: tuple[FailedExample, ...]


def run_examples(text: str, name: str) -> PackTest:
    """Check every sentence of a pack, weak terms included; a pack that cannot be used raises a ``RuleError``."""
    pack = parse_pack(text, name)
    spec = Spec(analyzers=("rules",), extends=((name, text),))
    analyzer = RuleAnalyzer(spec)
    segmenter = NupunktSegmenter(spec)

    def found(rule: str, sentence: str) -> tuple[str, ...]:
        analyses = analyzer.analyze(list(segmenter.split(read(sentence))))
        return tuple(
            finding.text for analysis in analyses for finding in analysis.findings if finding.rule == rule
        )

    failures = []
    for rule in pack.rules:
        for sentence in rule.flags:
            if not found(rule.id, sentence):
                failures.append(FailedExample(rule.id, sentence, ()))
        for sentence in rule.passes:
            if words := found(rule.id, sentence):
                failures.append(FailedExample(rule.id, sentence, words))
    sentences = sum(len(rule.flags) + len(rule.passes) for rule in pack.rules)
    return PackTest(pack, sentences, tuple(failures))
