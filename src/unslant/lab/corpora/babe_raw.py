"""The raw annotations of BABE and MBIC: one row per annotator and sentence."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping

from unslant.lab.corpora.annotation import Annotation
from unslant.lab.corpora.babe import final_rows, item_id
from unslant.lab.corpora.dataset import Source
from unslant.lab.corpora.problems import CorpusError, CorpusMissing, Problem
from unslant.lab.corpora.tables import Row, xlsx_rows

__all__ = ["read_annotations", "shares"]

_BIAS = {"Biased": "Biased", "Non-biased": "Non-biased", "Biased, unfair": "Biased"}
_FACTUAL = "Entirely factual"
_OPINIONATED = "Expresses writer\u2019s opinion"
_MIXED = "Somewhat factual but also opinionated"
_OPINION = {
    _FACTUAL: _FACTUAL,
    _OPINIONATED: _OPINIONATED,
    "Expresses wleter\u00b4s opinion": _OPINIONATED,  # as the SG1 file writes it
    _MIXED: _MIXED,
    "Somewhat factional but also opinionated": _MIXED,  # likewise
}
_COLUMNS = {
    "sg1": ("text", "label_bias", "label_opinion", "biased_words", "annotator_id"),
    "sg2": ("text", "label_bias", "label_opinion", "biased_words", "annotator_id", "df_id"),
    "mbic": ("text", "label_bias", "label_opinion", "words", "mturk_id", "survey_record_id", "group_id"),
}
_EMPTY = ("", "nan", "None")


def read_annotations(source: Source) -> Iterator[Annotation]:
    """Yield what each annotator said; raises on a label that nobody knows.

    A judgement that was left blank is no judgement and yields nothing. In MBIC a worker may have judged a sentence in
    two surveys: the survey is the annotator there, so that no annotator judges a sentence twice.
    """
    variant = _raw_variant(source)
    path = source.path(f"raw_labels_{variant.upper()}.xlsx")
    if not path.is_file():
        raise CorpusMissing(
            f"{source.name}: the raw annotations are not there; put {path.name} into {source.folder}"
        )
    linked = _Items(source)
    for row in xlsx_rows(path, _COLUMNS[variant]):
        if isinstance(row, Problem):
            raise CorpusError(str(row))
        yield from _judgements(row, variant, linked)


def _raw_variant(source: Source) -> str:
    variant = source.card.variant
    if source.card.module != "babe" or variant not in _COLUMNS:
        raise CorpusError(f"{source.name} has no raw annotations; try babe/sg1, babe/sg2 or babe/mbic")
    return variant


def _judgements(row: Row, variant: str, linked: _Items) -> Iterator[Annotation]:
    text = row.text("text")
    item = linked.item(text, row.text("news_link"))
    annotator = row.text("survey_record_id" if variant == "mbic" else "annotator_id").removesuffix(".0")
    batch = row.text({"mbic": "group_id", "sg2": "df_id"}.get(variant, "")).removesuffix(".0") or None
    bias, opinion = row.text("label_bias"), row.text("label_opinion")
    if bias not in _EMPTY:
        if bias not in _BIAS:
            raise CorpusError(str(row.problem("unknown label", bias)))
        yield Annotation(item, annotator, _BIAS[bias], "bias", batch, text)
    if opinion not in _EMPTY:
        if opinion not in _OPINION:
            raise CorpusError(str(row.problem("unknown label", opinion)))
        yield Annotation(item, annotator, _OPINION[opinion], "opinion", batch, text)
    words = row.text("words" if variant == "mbic" else "biased_words")
    if words not in _EMPTY:
        for word in words.split(","):
            if word.strip():
                yield Annotation(item, annotator, word.strip(), "words", batch, text)


class _Items:
    """Links a sentence of a raw file to its example; a few raw sentences were retyped and differ by a character."""

    def __init__(self, source: Source) -> None:
        self._known: set[str] = set()
        self._letters: dict[str, str] = {}
        self._by_link: dict[str, list[tuple[str, str]]] = defaultdict(list)
        self._cache: dict[str, str] = {}
        for row in final_rows(source):
            if isinstance(row, Row):
                text = row.text("text")
                name = item_id(text)
                self._known.add(name)
                self._letters.setdefault(_letters(text), name)
                self._by_link[row.text("news_link")].append((text, name))

    def item(self, text: str, link: str) -> str:
        """Return the id of the example that this sentence is."""
        if text not in self._cache:
            name = item_id(text)
            self._cache[text] = name if name in self._known else self._nearest(text, link) or name
        return self._cache[text]

    def _nearest(self, text: str, link: str) -> str | None:
        letters = _letters(text)
        if (name := self._letters.get(letters)) is not None:
            return name
        # A few cells were cut off at a comma or a semicolon.
        whole = [
            name for known, name in self._letters.items() if len(letters) > 20 and known.startswith(letters)
        ]
        if len(whole) == 1:
            return whole[0]
        import difflib

        texts = dict(self._by_link.get(link, ()))
        close = difflib.get_close_matches(text, list(texts), n=1, cutoff=0.9)
        return texts[close[0]] if close else None


def _letters(text: str) -> str:
    return re.sub(r"[\W_]+", "", text).lower()


def shares(source: Source) -> Mapping[str, float]:
    """Return for each sentence the share of annotators who called it biased; empty without the raw file."""
    variant = _raw_variant(source)
    if not source.path(f"raw_labels_{variant.upper()}.xlsx").is_file():
        return {}
    votes: Counter[tuple[str, str]] = Counter()
    for annotation in read_annotations(source):
        if annotation.task == "bias":
            votes[annotation.item, annotation.label] += 1
    items = {item for item, _ in votes}
    return {
        item: votes[item, "Biased"] / (votes[item, "Biased"] + votes[item, "Non-biased"]) for item in items
    }
