"""How an annotation project is going: agreement batch by batch, on the items that were given out twice."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from unslant.core.errors import UnknownName
from unslant.core.types import Span
from unslant.lab.corpora.agreement import AgreementReport, Resampling, agreement, alignment_agreement
from unslant.lab.corpora.agreement.report import AgreementSettings
from unslant.lab.corpora.agreement.spans import PRF
from unslant.lab.corpora.annotation_results import edits_of, flat
from unslant.lab.corpora.forms import NOT_BIASED
from unslant.lab.corpora.label_studio import Completion
from unslant.lab.corpora.word_diff import EditedPair, word_spans

__all__ = ["ProjectReport", "report_project"]


@dataclass(frozen=True, slots=True)
class ProjectReport:
    """The state of a project of the form ``edits`` or ``kinds``."""

    annotated: int
    """Items that somebody has annotated."""
    items: int
    """Items in the project."""
    doubled: int
    """Items that two or more have annotated."""
    agreement: Sequence[AgreementReport]
    alignment: Mapping[str, Mapping[str, PRF]] = field(default_factory=dict)
    """For edits: each annotator's links against the reference's, by word and by phrase."""
    reference: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the wire form."""
        return {
            "annotated": self.annotated,
            "items": self.items,
            "doubled": self.doubled,
            "reference": self.reference,
            "agreement": [one.to_dict() for one in self.agreement],
            "alignment": {
                name: {
                    level: {
                        "precision": prf.precision.to_dict(),
                        "recall": prf.recall.to_dict(),
                        "f1": prf.f1.to_dict(),
                    }
                    for level, prf in levels.items()
                }
                for name, levels in self.alignment.items()
            },
        }


def report_project(
    manifest: Mapping[str, Any],
    done: Sequence[Completion],
    resampling: Resampling | None = None,
    reference: str | None = None,
) -> ProjectReport:
    """Report on a project; ``reference`` is the annotator who is taken as right, by default the first."""
    who: dict[str, set[str]] = defaultdict(set)
    for one in done:
        who[one.item].add(one.annotator)
    twice = [one for one in done if len(who[one.item]) > 1]
    found = flat(manifest, twice)
    if manifest["form"] == "kinds":
        biased = [replace(one, task="biased", label=_binary(one.label)) for one in found]
        found = [*found, *biased]
    resampling = resampling or Resampling()
    settings = AgreementSettings(resampling=resampling, by=frozenset({"batch", "label"}))
    reports = [agreement(found, task, settings) for task in dict.fromkeys(one.task for one in found)]
    annotators = sorted({one.annotator for one in done})
    if reference is not None and reference not in annotators:
        raise UnknownName("annotator", reference, annotators)
    reference = reference or annotators[0]
    aligned = _alignment(twice, reference, resampling) if manifest["form"] == "edits" else {}
    doubled = sum(len(names) > 1 for names in who.values())
    return ProjectReport(len(who), len(manifest["items"]), doubled, reports, aligned, reference)


def _binary(kind: str) -> str:
    return NOT_BIASED if kind == NOT_BIASED else "biased"


def _alignment(
    done: Sequence[Completion], reference: str, resampling: Resampling
) -> dict[str, dict[str, PRF]]:
    words: dict[str, dict[str, set[Hashable]]] = defaultdict(dict)
    phrases: dict[str, dict[str, set[Hashable]]] = defaultdict(dict)
    for one in done:
        pairs = edits_of(one)
        phrases[one.annotator][one.item] = set(pairs)
        words[one.annotator][one.item] = {link for pair in pairs for link in _word_links(pair, one.data)}
    return {
        name: {
            "word": alignment_agreement(words[reference], words[name], resampling),
            "phrase": alignment_agreement(phrases[reference], phrases[name], resampling),
        }
        for name in sorted(words)
        if name != reference and reference in words
    }


def _word_links(pair: EditedPair, data: Mapping[str, Any]) -> set[Hashable]:
    before = _words_in(data["source"], pair.source)
    after = _words_in(data["target"], pair.target)
    return {(one, other) for one in before for other in after}


def _words_in(text: str, span: Span | None) -> list[Span | None]:
    """Return the words of a span; a missing side is one empty word, to which all others are linked."""
    if span is None:
        return [None]
    return [word for word in word_spans(text) if word.overlaps(span)]
