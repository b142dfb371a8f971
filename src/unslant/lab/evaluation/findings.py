"""Measures 'unslant check' on the editors' corpus: how many findings an editor accepts, and what it misses.

Whole documents are checked with the settings that ship. The profile of a document is the one that the product detects
(``auto``), one for all, or that of its genre (``genre``), as if a configuration named it.

A finding is *accepted* if it shares a character with words that an editor marked, ``must`` or ``may``; it *meets a
must* if they are graded ``must``. A ``must`` is *found* if some finding touches it. All other findings are *wrong*,
counted per 1,000 words.

How exactly the words are met is measured word by word: a word of a ``must`` that a finding covers is right, one that
none covers is missed, and a covered word that nobody marked is wrong; words of a ``may`` count neither way. A finding
of the model names the *right technique* if it is that of the marked words with which it shares most. Intervals resample
documents.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from unslant.acceptance import Bound
from unslant.core.example import LabelledSpan
from unslant.core.taxonomy import techniques
from unslant.core.types import Finding, SentenceVerdict, Severity, Span
from unslant.lab import corpora
from unslant.lab.corpora.editor import EDITOR, EVERYTHING, GRADES, OWN, MarkedPassage, read_passages
from unslant.lab.evaluation.result import Figure, Result, Section, figures
from unslant.lab.stats.bootstrap import Resampling
from unslant.lab.stats.metrics import Metric, calibration_error, ratios
from unslant.text.words import split_words

if TYPE_CHECKING:
    from unslant.lab.evaluation.held_out import Lineage, Setting
    from unslant.lab.stats.metrics import Numbers
    from unslant.protocols import Analyzer
    from unslant.spec import Spec

ORIGINS = ("allsides", "ptc", "wikibias")
"""The corpora that the editors' corpus takes its text from."""
GENRE = "genre"
"""The setting that judges every document by the profile of its genre."""
BOUNDS = (0.3, 0.4, 0.5, 0.55, 0.6, 0.7, 0.8, 0.9)
"""The values of ``--threshold`` for which it is shown what each gives."""
_AROUND = 110
"""How much of the text before and after a finding is shown."""
_FIRST = "ridicule"
"""The technique that is named wrongly most often: it is shown first."""
_LOWER = ("wrong findings per 1,000 words", "calibration error")


@dataclass(frozen=True, slots=True)
class CheckedDocument:
    """A passage, and what the product reports about it."""

    passage: MarkedPassage
    findings: tuple[Finding, ...]
    sentences: Sequence[SentenceVerdict] = ()

    def is_accepted(self, finding: Finding, grades: Sequence[str] = GRADES) -> bool:
        """Return whether an editor marked some of the same words."""
        return any(span.grade in grades and span.span.overlaps(finding.span) for span in self.passage.marked)

    def grades(self, sentence: SentenceVerdict) -> set[str]:
        """Return the grades of what an editor marked in a sentence."""
        marked = (span for span in self.passage.marked if span.span.overlaps(sentence.span))
        return {span.grade for span in marked if span.grade}

    def is_found(self, marked: LabelledSpan, findings: Iterable[Finding]) -> bool:
        """Return whether any finding touches these words."""
        return any(finding.span.overlaps(marked.span) for finding in findings)

    def nearest(self, finding: Finding) -> LabelledSpan | None:
        """Return the marked words that share most with a finding; None if no marked words do."""
        shared = [
            (min(marked.span.end, finding.span.end) - max(marked.span.start, finding.span.start), marked)
            for marked in self.passage.marked
        ]
        length, marked = max(shared, key=lambda pair: pair[0], default=(0, None))
        return marked if length > 0 else None


def check_passages(
    passages: Sequence[MarkedPassage],
    spec: Spec,
    progress: Callable[[str, int, int], None] = lambda *_: None,
    around: Callable[[str, Analyzer], Analyzer] | None = None,
) -> list[CheckedDocument]:
    """Check each passage as a user would; with the profile ``genre``, by the standard of its genre.

    ``around`` is that of the pipeline: it returns what to use in place of an analyzer.
    """
    from unslant.pipeline import Pipeline
    from unslant.text.reading import read

    checked: dict[str, CheckedDocument] = {}
    by_genre = spec.profile == GENRE
    for profile in dict.fromkeys(passage.profile if by_genre else None for passage in passages):
        chosen = [passage for passage in passages if profile in (None, passage.profile)]
        pipeline = Pipeline(replace(spec, profile=profile) if profile else spec, around=around)
        documents = (read(passage.text, "text", passage.id) for passage in chosen)
        for passage, report in zip(chosen, pipeline.check(documents), strict=True):
            checked[passage.id] = CheckedDocument(passage, report.findings, report.sentences)
            progress("documents", len(checked), len(passages))
    return [checked[passage.id] for passage in passages]


def check_bounds(
    passages: Sequence[MarkedPassage],
    spec: Spec,
    chosen: Sequence[float] = BOUNDS,
    progress: Callable[[str, int, int], None] = lambda *_: None,
) -> dict[float, list[CheckedDocument]]:
    """Check each passage with every value of ``--threshold``; the analyzers are shared, and read each text once."""
    shared: dict[str, Analyzer] = {}

    def share(name: str, analyzer: Analyzer) -> Analyzer:
        return shared.setdefault(name, analyzer)

    return {
        bound: check_passages(passages, replace(spec, threshold=bound), progress, share) for bound in chosen
    }


def show_findings(checked: Sequence[CheckedDocument], count: int, seed: int) -> str:
    """Return findings drawn at random, each in its context, with the editor's grade."""
    pairs = [(document, finding) for document in checked for finding in document.findings]
    lines = []
    for document, finding in random.Random(seed).sample(pairs, min(count, len(pairs))):  # noqa: S311
        text, span = document.passage.text, finding.span
        verdict = next((grade for grade in GRADES if document.is_accepted(finding, (grade,))), "wrong")
        before = " ".join(text[max(0, span.start - _AROUND) : span.start].split())
        after = " ".join(text[span.end : span.end + _AROUND].split())
        likely = "" if finding.probability is None else f" {finding.probability:.2f}"
        source = f"{finding.id} ({finding.origin}), {document.passage.genre}"
        lines.append(
            f"{verdict:5}  {finding.severity.value}{likely}  {source}\n"
            f"       … {before} [[{' '.join(finding.text.split())}]] {after} …\n"
        )
    return "\n".join(lines)


def measure_findings(checked: Sequence[CheckedDocument], resampling: Resampling, model: str) -> Result:
    """Return the figures: all findings, then by severity, genre, leaning, origin and technique."""
    whole = (*_figures(checked, _any, resampling), *_word_figures(checked, resampling))
    sections = [Section("all findings", whole)]
    for severity in reversed(Severity):
        wanted = partial(_has, "severity", severity)
        chosen = _figures(checked, wanted, resampling)
        if chosen[0].items and chosen[0].estimate.value is not None:
            rows = [(len(item.findings), sum(map(wanted, item.findings))) for item in checked]
            share = figures("findings", ratios(rows, {"share of findings": (1, 0)}), resampling)
            sections.append(Section(f"{severity.value}s", (*chosen, *share), "by severity"))
    for name, some in _groups(checked):
        sections.append(Section(name, _figures(some, _any, resampling), "by text"))
    sections += _sides(checked, resampling)
    for origin in sorted({finding.origin for document in checked for finding in document.findings}):
        chosen = _figures(checked, partial(_has, "origin", origin), resampling)
        sections.append(Section(f"from {origin}", chosen, "by origin"))
    for technique in sorted({span.technique or "" for item in checked for span in item.passage.marked}):
        rows = [_musts(item, item.findings, technique) for item in checked]
        recall = figures("findings", ratios(rows, {"recall of must": (1, 0)}), resampling)
        sections.append(Section(technique, recall, "by technique"))
    sections += _techniques(checked, resampling)
    sections += _sentences(checked, resampling)
    notes = (
        "accepted: an editor marked some of the same words, must or may; recall: of what editors must change",
        "sentences: the probability of a sentence, against whether an editor must change some of it; "
        "sentences with only a may do not count",
        "words of must: every word of a must against every word of a finding, words of a may left out; "
        "words of found musts: only around the musts that were found",
        "right technique: of the model's findings that meet marked words, how many name the editor's technique",
        "intervals resample documents",
    )
    return Result("findings", model, tuple(sections), notes)


def _any(_: Finding) -> bool:
    return True


def _has(name: str, value: object, finding: Finding) -> bool:
    return bool(getattr(finding, name) == value)


def _musts(
    item: CheckedDocument, findings: Sequence[Finding], technique: str | None = None
) -> tuple[int, int]:
    """Return how many words or phrases must change, of one technique or of all, and how many are found."""
    musts = [
        span for span in item.passage.marked if span.grade == "must" and technique in (None, span.technique)
    ]
    return len(musts), sum(item.is_found(span, findings) for span in musts)


def _groups(checked: Sequence[CheckedDocument]) -> Iterator[tuple[str, list[CheckedDocument]]]:
    for genre in dict.fromkeys(item.passage.genre for item in checked):
        yield genre, [item for item in checked if item.passage.genre == genre]
    standards = dict.fromkeys(item.passage.profile for item in checked)
    if len({item.passage.genre for item in checked}) > len(standards):
        for profile in standards:
            yield f"standard {profile}", [item for item in checked if item.passage.profile == profile]
    for leaning in ("left", "center", "right"):
        some = [item for item in checked if item.passage.leaning == leaning]
        if some:
            yield f"news, {leaning}", some


def _sides(checked: Sequence[CheckedDocument], resampling: Resampling) -> list[Section]:
    """Return the figures for news of right outlets minus those for left outlets; nothing unless there are both."""
    left, right = ([item for item in checked if item.passage.leaning == side] for side in ("left", "right"))
    if not left or not right:
        return []
    of_left, of_right = (np.array(_counts(some), dtype=float) for some in (left, right))
    # a document counts in the columns of its own side, so that documents of both sides are resampled together
    counts = np.block([[of_left, np.zeros_like(of_left)], [np.zeros_like(of_right), of_right]])
    columns = of_left.shape[1]
    measures = {
        name: Metric(counts, partial(_difference, over=over, of=of, columns=columns))
        for name, over, of in (("accepted", 1, 0), ("recall of must", 4, 3))
    }
    return [Section("news, right minus left", figures("findings", measures, resampling))]


def _difference(sums: Numbers, *, over: int, of: int, columns: int) -> Numbers:
    right = sums[..., columns + over] / sums[..., columns + of]
    return right - sums[..., over] / sums[..., of]


_MEASURES = {"accepted": (1, 0), "meets a must": (2, 0), "recall of must": (4, 3), _LOWER[0]: (6, 5)}


def _figures(
    checked: Sequence[CheckedDocument], wanted: Callable[[Finding], bool], resampling: Resampling
) -> tuple[Figure, ...]:
    judged = [
        (document.passage.id, finding.probability, document.is_accepted(finding))
        for document in checked
        for finding in document.findings
        if wanted(finding) and finding.probability is not None
    ]
    measures = ratios(_counts(checked, wanted), _MEASURES)
    if judged:
        names, chances, labels = zip(*judged, strict=True)
        measures["calibration error"] = calibration_error(chances, labels).group_items(names)
    return figures("findings", measures, resampling, _LOWER)


def _counts(
    checked: Sequence[CheckedDocument], wanted: Callable[[Finding], bool] = _any
) -> list[tuple[int, ...]]:
    """Return one row per document: findings, accepted, meeting a must; musts, found; words; 1,000 x wrong findings."""
    rows: list[tuple[int, ...]] = []
    for document in checked:
        findings = list(filter(wanted, document.findings))
        accepted = sum(map(document.is_accepted, findings))
        meeting = sum(document.is_accepted(finding, ("must",)) for finding in findings)
        musts, words = _musts(document, findings), document.passage.words
        rows.append((len(findings), accepted, meeting, *musts, words, 1000 * (len(findings) - accepted)))
    return rows


def _word_figures(checked: Sequence[CheckedDocument], resampling: Resampling) -> tuple[Figure, ...]:
    """Return how exactly findings meet the words that must change: of all musts, and around those that are found."""
    rows = []
    for item in checked:
        found = [
            span
            for span in item.passage.marked
            if span.grade == "must" and item.is_found(span, item.findings)
        ]
        for marked in (item.passage.marked, found):
            right, missed, wrong = _word_counts(item, marked)
            rows += [2 * right, 2 * right + missed + wrong]
    by_document = [rows[at : at + 4] for at in range(0, len(rows), 4)]
    columns = {"words of must, F1": (0, 1), "words of found musts, F1": (2, 3)}
    return figures("findings", ratios(by_document, columns), resampling)


def _word_counts(document: CheckedDocument, marked: Sequence[LabelledSpan]) -> tuple[int, int, int]:
    """Return how many words of these musts findings cover and do not cover, and how many unmarked words they cover.

    Where only some musts are asked about, only the findings that meet them count.
    """
    musts = [span.span for span in marked if span.grade == "must"]
    whole = len(marked) == len(document.passage.marked)
    found = [
        finding.span
        for finding in document.findings
        if whole or any(finding.span.overlaps(must) for must in musts)
    ]
    others = [span.span for span in document.passage.marked if span.span not in musts]
    right = missed = wrong = 0
    words = split_words(document.passage.text)
    for word in (Span(*words.spans[at]) for at in range(len(words)) if words.is_word(at)):
        covered = _touches(word, found)
        if _touches(word, musts):
            right += covered
            missed += not covered
        elif covered and not _touches(word, others):
            wrong += 1
    return right, missed, wrong


def _touches(word: Span, spans: Sequence[Span]) -> bool:
    return any(span.overlaps(word) for span in spans)


def _techniques(checked: Sequence[CheckedDocument], resampling: Resampling) -> list[Section]:
    """Return how often the model names the technique that the editor named; for each technique that it names, too."""
    judged = [
        (document, name, document.nearest(finding))
        for document in checked
        for finding in document.findings
        if (name := finding.id.partition("/")[2]) in techniques() and finding.id.startswith("model/")
    ]
    if not judged:
        return []
    places = {document.passage.id: at for at, document in enumerate(checked)}
    sections = []
    for wanted in ("", *sorted({name for _, name, _ in judged}, key=lambda name: (name != _FIRST, name))):
        counts = np.zeros((len(checked), 3))
        for document, name, marked in judged:
            if wanted in ("", name):
                met = marked is not None
                right = met and marked is not None and marked.technique == name
                counts[places[document.passage.id]] += (1, met, right)
        measures = ratios(counts.tolist(), {"accepted": (1, 0), "right technique": (2, 1)})
        title = f"called {wanted}" if wanted else "techniques named by the model"
        sections.append(Section(title, figures("findings", measures, resampling), "techniques"))
    return sections


def _sentences(checked: Sequence[CheckedDocument], resampling: Resampling) -> list[Section]:
    """Return how well the probabilities of sentences are calibrated; nothing if no sentence has one."""
    judged = [
        (document.passage.id, sentence.probability, "must" in grades)
        for document in checked
        for sentence in document.sentences
        if sentence.probability is not None and (grades := document.grades(sentence)) != {"may"}
    ]
    if not judged:
        return []
    names, chances, labels = zip(*judged, strict=True)
    measures = {"calibration error": calibration_error(chances, labels)}
    return [Section("sentences", figures("findings", measures, resampling, _LOWER, groups=names))]


class CheckedPart(NamedTuple):
    """The documents of a part that the model has not learned from, checked; and what to say about them."""

    documents: list[CheckedDocument]
    notes: tuple[str, ...]


def check_part(
    spec: Spec, lineage: Lineage, setting: Setting, part: str, corpus: str = EDITOR
) -> CheckedPart:
    """Run the product with these settings on one part of the editors' corpus, or of one in the same form.

    Leaves out, and counts, text that the model or a model it was trained from has learned from.
    """
    passages, notes = _unseen_passages(spec, lineage, setting, part, corpus)
    return CheckedPart(check_passages(passages, spec, setting.progress), notes)


def _unseen_passages(
    spec: Spec, lineage: Lineage, setting: Setting, part: str, corpus: str
) -> tuple[list[MarkedPassage], tuple[str, ...]]:
    lineage.check_known(spec.model or "the model")
    part = part if corpus in (EDITOR, OWN) else EVERYTHING
    examples = list(corpora.load(corpus, setting.data))
    passages = list(read_passages(examples, part))
    learned = {origin for origin in ORIGINS if lineage.learned_from(origin, unless_guarding=EDITOR)}
    read = {item.document for item in examples if corpus == OWN and not lineage.allows(OWN, item.split or "")}
    if read:
        learned.add(OWN)
    unseen = [
        passage
        for passage in passages
        if passage.origin not in learned - {OWN}
        and passage.id not in read
        and not lineage.has_seen(passage.text)
    ]
    notes = [f"{part} part, {len(unseen)} documents, profile {spec.profile}"]
    left_out = len(passages) - len(unseen)
    if left_out:
        names = f" of {', '.join(sorted(learned))}" if learned else ""
        notes.append(
            f"{left_out} of {len(passages)} documents are left out: the model learned from text{names}"
        )
    return unseen, tuple(notes)


def findings(
    spec: Spec, lineage: Lineage, setting: Setting, *, part: str, model: str, corpus: str = EDITOR
) -> Result:
    """Measure the product with these settings on one part of the editors' corpus, or of one in the same form."""
    documents, notes = check_part(spec, lineage, setting, part, corpus)
    result = measure_findings(documents, setting.resampling, model)
    return replace(result, notes=(*notes, *result.notes))


def bounds(
    spec: Spec, lineage: Lineage, setting: Setting, *, part: str, model: str, corpus: str = EDITOR
) -> Result:
    """Measure what each value of ``--threshold`` gives on one part of the editors' corpus, or of another one."""
    passages, notes = _unseen_passages(spec, lineage, setting, part, corpus)
    checked = check_bounds(passages, spec, progress=setting.progress)
    sections = tuple(
        Section(f"from {bound}", measure_bound(documents, setting.resampling), "by threshold")
        for bound, documents in checked.items()
    )
    return Result("findings", model, sections, (*notes, "intervals resample documents"))


def measure_bound(checked: Sequence[CheckedDocument], resampling: Resampling) -> tuple[Figure, ...]:
    """Return what one bound gives: how many findings are accepted, how much is found, and how many are wrong."""
    chosen = {name: pair for name, pair in _MEASURES.items() if name != "meets a must"}
    return figures("findings", ratios(_counts(checked), chosen), resampling, _LOWER)


def measure_bounds(passages: Sequence[MarkedPassage], spec: Spec) -> tuple[Bound, ...]:
    """Return what each value of ``--threshold`` gives, without intervals, as a model's folder stores it."""
    found = []
    for bound, documents in check_bounds(passages, spec).items():
        values = [figure.estimate.value for figure in measure_bound(documents, Resampling(0))]
        if None not in values:
            found.append(Bound(bound, *(round(value or 0.0, 4) for value in values)))
    return tuple(found)
