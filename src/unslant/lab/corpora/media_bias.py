"""News sentences judged for bias: BABE (Spinde et al. 2021), anno-lexical, MultiDimNews and a crowd's ratings."""

from __future__ import annotations

import ast
import hashlib
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from functools import partial

from unslant.core.example import Example
from unslant.lab.corpora.alignment import find_words
from unslant.lab.corpora.dataset import Annotation, CorpusSource, reads
from unslant.lab.corpora.news import RATINGS
from unslant.lab.corpora.tables import (
    CorpusError,
    CorpusMissing,
    CsvDialect,
    DataProblem,
    TableRow,
    TableRows,
    UnusableRow,
    convert_rows,
    read_csv,
    read_parquet,
    read_xlsx,
)

BIAS: Mapping[str, bool | None] = {"Biased": True, "Non-biased": False, "No agreement": None}
_FINAL_COLUMNS = (
    "text",
    "news_link",
    "outlet",
    "topic",
    "type",
    "label_bias",
    "label_opinion",
    "biased_words",
)
_BABE_LEANINGS = {"left": "left", "center": "center", "right": "right"}
_REANNOTATED_SPLITS = {"train_dev": "train", "test": "test"}


def item_id(text: str) -> str:
    """Return an id that depends on every space: three pairs in SG2 differ in nothing else."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _final(variant: str | None) -> str:
    return "final_labels_MBIC.xlsx" if variant == "mbic" else f"final_labels_{(variant or 'sg2').upper()}.csv"


def final_rows(source: CorpusSource) -> TableRows:
    """Yield the rows of the file with the labels that annotators agreed on."""
    path = source.path(_final(source.card.variant))
    return (
        read_xlsx(path, _FINAL_COLUMNS)
        if path.suffix == ".xlsx"
        else read_csv(path, _FINAL_COLUMNS, CsvDialect(";"))
    )


def read_babe(source: CorpusSource) -> Iterator[Example | DataProblem]:
    """Yield one example per sentence; the soft label comes from the raw annotations if they are present."""
    if source.card.variant == "reannotated":
        return _reannotated(source)
    share = biased_shares(source)
    return convert_rows(final_rows(source), lambda row: _babe_example(row, source, share))


def _babe_example(
    row: TableRow, source: CorpusSource, share: Mapping[str, float]
) -> Iterator[Example | DataProblem]:
    text, label = row.needed("text").strip(), row.choice("label_bias", BIAS)
    words = _marked_words(row)
    spans, lost = find_words(text, words)
    for word in lost:
        yield row.problem("marked word not in its sentence", word)
    name = item_id(row.text("text"))
    yield source.example(
        name,
        text,
        label=label,
        share=share.get(name),
        spans=spans,
        outlet=_normalize_outlet(row.text("outlet")),
        topic=row.text("topic") or None,
        leaning=_BABE_LEANINGS.get(row.text("type")),
        document=row.text("news_link") or None,
        extra={"opinion": row.text("label_opinion"), "words": len(words)},
    )


@reads(
    "reannotated.jsonl.gz",
    *("text", "label", "sg2", "in_sg2", "split_naacl2025", "experts", "llms", "biased_words"),
)
def _reannotated(row: TableRow, source: CorpusSource) -> Iterator[Example | DataProblem]:
    """Yield a sentence with its new label; the label of SG2 and those of language models are in ``extra``."""
    text, experts = row.text("text").strip(), list((row.values["experts"] or {}).values())
    split = _REANNOTATED_SPLITS.get(row.text("split_naacl2025"))
    if row.values["label"] not in (0, 1) or split is None:
        raise UnusableRow("unknown label", f"{row.values['label']}, {row.text('split_naacl2025')}")
    spans, lost = find_words(text, _marked_words(row))
    for word in lost:
        yield row.problem("marked word not in its sentence", word)
    yield source.example(
        item_id(row.text("text")),
        text,
        split=split,
        label=bool(row.values["label"]),
        share=sum(experts) / len(experts) if experts else None,
        spans=spans,
        outlet=_normalize_outlet(row.text("outlet")),
        topic=row.text("topic") or None,
        extra={
            "sg2": row.values["sg2"],
            "in_sg2": bool(row.values["in_sg2"]),
            **{f"llm_{name}": vote for name, vote in (row.values["llms"] or {}).items()},
        },
    )


def _marked_words(row: TableRow) -> list[str]:
    try:
        words = ast.literal_eval(row.text("biased_words") or "[]")
    except (ValueError, SyntaxError):
        raise UnusableRow("biased_words is not a list", row.text("biased_words")[:60]) from None
    if not isinstance(words, list):
        raise UnusableRow("biased_words is not a list")
    return words


def _normalize_outlet(name: str) -> str | None:
    # SG1 and MBIC write "usa-today" and "fox-news", SG2 "USA Today" and "Fox News".
    return name.lower().replace(" ", "-") or None


_RAW_BIAS = {"Biased": "Biased", "Non-biased": "Non-biased", "Biased, unfair": "Biased"}
_FACTUAL = "Entirely factual"
_OPINIONATED = "Expresses writer\u2019s opinion"
_MIXED = "Somewhat factual but also opinionated"
_RAW_OPINION = {
    _FACTUAL: _FACTUAL,
    _OPINIONATED: _OPINIONATED,
    "Expresses wleter\u00b4s opinion": _OPINIONATED,  # as the SG1 file writes it
    _MIXED: _MIXED,
    "Somewhat factional but also opinionated": _MIXED,  # likewise
}
_RAW_COLUMNS = {
    "sg1": ("text", "label_bias", "label_opinion", "biased_words", "annotator_id"),
    "sg2": ("text", "label_bias", "label_opinion", "biased_words", "annotator_id", "df_id"),
    "mbic": ("text", "label_bias", "label_opinion", "words", "mturk_id", "survey_record_id", "group_id"),
}
_NO_ANSWER = ("", "nan", "None")


def read_annotations(source: CorpusSource) -> Iterator[Annotation]:
    """Yield each annotator's judgements; an unknown label is an error.

    A judgement that was left blank is no judgement and yields nothing. In MBIC a worker may have judged a sentence in
    two surveys: the survey is the annotator there, so that no annotator judges a sentence twice.
    """
    variant = _raw_variant(source)
    path = source.path(f"raw_labels_{variant.upper()}.xlsx")
    if not path.is_file():
        raise CorpusMissing(
            f"{source.name}: the raw annotations are missing; put {path.name} into {source.folder}"
        )
    linked = _ItemIndex(source)
    for row in read_xlsx(path, _RAW_COLUMNS[variant]):
        if isinstance(row, DataProblem):
            raise CorpusError(str(row))
        yield from _judgements(row, variant, linked)


def _raw_variant(source: CorpusSource) -> str:
    variant = source.card.variant
    if source.card.corpus != "babe" or variant not in _RAW_COLUMNS:
        raise CorpusError(f"{source.name} has no raw annotations; try babe/sg1, babe/sg2 or babe/mbic")
    return variant


def _judgements(row: TableRow, variant: str, linked: _ItemIndex) -> Iterator[Annotation]:
    text = row.text("text")
    item = linked.item(text, row.text("news_link"))
    annotator = row.text("survey_record_id" if variant == "mbic" else "annotator_id").removesuffix(".0")
    batch = row.text({"mbic": "group_id", "sg2": "df_id"}.get(variant, "")).removesuffix(".0") or None
    bias, opinion = row.text("label_bias"), row.text("label_opinion")
    if bias not in _NO_ANSWER:
        if bias not in _RAW_BIAS:
            raise CorpusError(str(row.problem("unknown label", bias)))
        yield Annotation(item, annotator, _RAW_BIAS[bias], "bias", batch, text)
    if opinion not in _NO_ANSWER:
        if opinion not in _RAW_OPINION:
            raise CorpusError(str(row.problem("unknown label", opinion)))
        yield Annotation(item, annotator, _RAW_OPINION[opinion], "opinion", batch, text)
    words = row.text("words" if variant == "mbic" else "biased_words")
    if words not in _NO_ANSWER:
        for word in words.split(","):
            if word.strip():
                yield Annotation(item, annotator, word.strip(), "words", batch, text)


class _ItemIndex:
    """Links a sentence of a raw file to its example; a few raw sentences were retyped and differ by a character."""

    def __init__(self, source: CorpusSource) -> None:
        self._known: set[str] = set()
        self._letters: dict[str, str] = {}
        self._by_link: dict[str, list[tuple[str, str]]] = defaultdict(list)
        self._cache: dict[str, str] = {}
        for row in final_rows(source):
            if isinstance(row, TableRow):
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


def biased_shares(source: CorpusSource) -> Mapping[str, float]:
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


_MODELS = ("zephyr", "openchat", "llama")
_DIMENSIONS = {"framing": "framing", "hidden_assumpt": "hidden_assumptions", "subj": "subjectivity"}


def read_anno_lexical(source: CorpusSource) -> Iterator[Example | DataProblem]:
    """Yield one example per sentence in the published splits; with ``anno_lexical/votes`` the votes of each model."""
    if source.card.variant == "votes":
        yield from _voted(source)
        return
    for split in ("train", "dev", "test"):
        rows = read_parquet(
            source.path(f"anno-lexical-{split}.parquet"), ("text", "source_name", "label", "sentence_id")
        )
        yield from convert_rows(rows, partial(_majority, split=split, source=source))


def _majority(row: TableRow, split: str, source: CorpusSource) -> Iterator[Example]:
    label = bool(row.choice("label", (0, 1)))
    outlet = row.text("source_name") or None
    yield source.example(row.text("sentence_id"), row.needed("text"), split=split, label=label, outlet=outlet)


@reads("votes.parquet", *("text", "source_name", "source_party", *_MODELS, "share", "label", "sentence_id"))
def _voted(row: TableRow, source: CorpusSource) -> Iterator[Example]:
    if row.values["label"] not in (0, 1) or any(row.values[model] not in (0, 1) for model in _MODELS):
        raise UnusableRow("unknown label", row.values["label"])
    votes = {model: row.values[model] for model in _MODELS}
    yield source.example(
        row.text("sentence_id"),
        row.needed("text"),
        label=bool(row.values["label"]),
        share=row.values["share"],
        outlet=row.text("source_name") or None,
        leaning=RATINGS.get(row.text("source_party")),
        extra={**votes, "anno_lexical_split": row.text("anno_lexical_split") or None},
    )


@reads("sentences.jsonl.gz", "text", "bias", *_DIMENSIONS)
def read_multi_dim_news(row: TableRow, source: CorpusSource) -> Iterator[Example]:
    """Yield one example per sentence; framing, hidden assumptions and subjectivity are in ``extra``, 1 or 0."""
    label = bool(row.choice("bias", (0, 1)))
    extra = {name: row.values[column] for column, name in _DIMENSIONS.items()}
    yield source.example(str(row.number), row.needed("text"), label=label, genre="news", extra=extra)


@reads("sentences.jsonl.gz", "text", "share")
def read_crowd_bias(row: TableRow, source: CorpusSource) -> Iterator[Example]:
    """Yield one example per sentence; ``share`` is the mean rating of five workers, scaled to 0 to 1."""
    share = float(row.values["share"])
    yield source.example(str(row.number), row.needed("text"), share=share, genre="news")
