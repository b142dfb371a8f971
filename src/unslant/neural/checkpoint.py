"""Model folders: finding them, reading them, and verifying them against their digests.

The folder is what ``unslant train detector --export`` writes: ``model.onnx``, ``tokenizer.json``, ``card.json`` and a
``model.json`` that names the heads and the SHA-256 of every other file.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from unslant.core.errors import InputError, ModelError
from unslant.core.files import read_bytes
from unslant.core.types import Edit, Span

KEEP, DELETE = "keep", "delete"
_REPLACE, _BEFORE = "replace:", "before:"


def labelled_edit(label: str, span: Span, probability: float | None = None) -> Edit:
    """Return the edit of a span that a label stands for; raise ``ValueError`` for any other label."""
    if label == DELETE:
        return Edit(span.start, span.end, "", probability=probability)
    for prefix, end in ((_REPLACE, span.end), (_BEFORE, span.start)):
        if label.startswith(prefix) and label[len(prefix) :].strip():
            return Edit(span.start, end, label[len(prefix) :], probability=probability)
    raise ValueError(f"no such edit: {label!r}")


def edit_label(edit: Edit) -> str:
    """Return the label of an edit; :func:`labelled_edit` reads it back."""
    if not edit.replacement:
        return DELETE
    return (_BEFORE if edit.start == edit.end else _REPLACE) + edit.replacement


FORMAT = "unslant/model/1"
"""The name and version of the folder format."""
GRAPH, TOKENIZER = "model.onnx", "tokenizer.json"
TABLES = "edits.npz"
"""The file that a head of type ``edits`` needs in addition to the graph."""
_ABOUT = "model.json"
_WEIGHTS = Path(__file__).with_name("weights")


@dataclass(frozen=True, slots=True)
class HeadSpec:
    """What the decoder needs to know about a head."""

    name: str
    type: str
    """``sentence``, ``spans``, ``kinds``, …"""
    level: str
    """``text`` or ``subword``: what each row of logits belongs to."""
    labels: tuple[str, ...]
    exclusive: bool
    """Whether the labels are exclusive."""
    decision: Mapping[str, Any] = field(default_factory=dict)
    """Calibration and thresholds, chosen on development data."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """The options of the recipe that made the head."""


@dataclass(frozen=True, slots=True)
class Package:
    """A model's folder with a complete ``model.json``."""

    folder: Path
    heads: Mapping[str, HeadSpec]
    files: Mapping[str, str]
    """The SHA-256 of every file, by name."""
    max_length: int
    """The maximum number of subwords of an input."""
    features: tuple[str, ...] = ()
    """The rules whose findings are an input of the network."""
    prefix: str = ""
    """The text that the encoder expects before every input."""
    group_masks: Mapping[str, str] = field(default_factory=dict)
    """What the network reads in place of each masked word."""
    name_mask: str = ""
    """What the network reads in place of other names of persons; nothing if names are not masked."""
    mask_people: bool = False
    """Whether the network reads all words for people by age, work, class or health as one."""
    span_heads: tuple[Mapping[str, str], ...] = ()
    """Each span head with the sentence head that gates it, where the folder lists them."""

    def size(self) -> int:
        """Return how many bytes the files take."""
        return sum((self.folder / name).stat().st_size for name in self.files)

    def read(self, name: str) -> bytes:
        """Return a file's content; raise unless its digest is the one in ``model.json``."""
        try:
            content = read_bytes(self.folder / name, max_bytes=_MAX_BYTES)
        except InputError as error:
            raise _read_error(self.folder, name, error) from None
        if hashlib.sha256(content).hexdigest() != self.files[name]:
            raise _model_error(self.folder, f"{name} is damaged: its SHA-256 is not the one in {_ABOUT}")
        return content

    def verify(self) -> None:
        """Check every file; raise on the first that is missing or damaged."""
        for name in self.files:
            self.read(name)

    def card(self) -> dict[str, Any]:
        """Return the model card; empty if there is none."""
        if "card.json" not in self.files:
            return {}
        try:
            card = json.loads(self.read("card.json"))
        except (ValueError, RecursionError):
            return {}
        return card if isinstance(card, dict) else {}


_MAX_BYTES = 4 << 30
"""The maximum size of a file of a model."""


_LEVELS = ("text", "subword")
"""What a head labels."""


def shipped_model() -> Path | None:
    """Return the folder of the model that ships with unslant, if one does."""
    return _WEIGHTS if (_WEIGHTS / _ABOUT).is_file() else None


def locate(named: str) -> Path:
    """Return the folder that a setting names; an empty setting means the model that ships."""
    if named:
        return Path(named)
    folder = shipped_model()
    if folder is None:
        raise ModelError("no model ships with this build of unslant; name one with --model DIR")
    return folder


def identity(named: str) -> str:
    """Return a digest that changes with any file of a model; only ``model.json`` is read."""
    folder = locate(named)
    return hashlib.sha256(_about(folder)).hexdigest()


def load_package(folder: Path) -> Package:
    """Read the description of the model in a folder; the large files are read, and verified, on first use."""
    try:
        about = json.loads(_about(folder))
    except (ValueError, RecursionError):
        raise _model_error(folder, f"{_ABOUT} cannot be read as JSON") from None
    form = about.get("format") if isinstance(about, dict) else None
    if form != FORMAT:
        raise _model_error(folder, f"{_ABOUT} has the format {form!r}, not {FORMAT!r}")
    try:
        package = _package(folder, about)
    except (KeyError, TypeError, ValueError, AttributeError):
        raise _model_error(folder, f"{_ABOUT} is incomplete") from None
    for head in package.heads.values():
        if head.level not in _LEVELS:
            raise _model_error(
                folder, f"{_ABOUT} gives the head {head.name!r} the unknown level {head.level!r}"
            )
    for name in package.files:
        if Path(name).name != name:
            raise _model_error(folder, f"{_ABOUT} names a file outside the folder")
    needed = [GRAPH, TOKENIZER]
    if any(head.type == "edits" for head in package.heads.values()):
        needed.append(TABLES)
    for name in needed:
        if name not in package.files:
            raise _model_error(folder, f"{_ABOUT} has no digest of {name}")
    return package


def _package(folder: Path, about: Mapping[str, Any]) -> Package:
    for head in about["heads"].values():
        if head["type"] == "edits":
            _check_edits(head["labels"])
    heads = {
        name: HeadSpec(
            name,
            str(head["type"]),
            str(head["level"]),
            tuple(map(str, head["labels"])),
            bool(head["exclusive"]),
            dict(head.get("decision", {})),
            dict(head.get("options", {})),
        )
        for name, head in about["heads"].items()
    }
    return Package(
        folder=folder,
        heads=heads,
        files={str(name): str(digest) for name, digest in about["files"].items()},
        max_length=int(about["max_length"]),
        features=tuple(map(str, about.get("features", ()))),
        prefix=str(about.get("prefix", "")),
        group_masks={str(word): str(mask) for word, mask in about.get("group_masks", {}).items()},
        name_mask=str(about.get("name_mask", "")),
        mask_people=bool(about.get("mask_people", False)),
        span_heads=tuple(dict(entry) for entry in about.get("span_heads", ())),
    )


def _check_edits(labels: Sequence[str]) -> None:
    if labels[0] != KEEP:
        raise ValueError("the first edit must be to keep the words")
    for name in labels[1:]:
        labelled_edit(name, Span(0, 1))


def _about(folder: Path) -> bytes:
    try:
        return read_bytes(folder / _ABOUT)
    except InputError as error:
        if not folder.is_dir():
            raise _model_error(folder, "there is no such folder") from None
        raise _read_error(folder, _ABOUT, error) from None


def _read_error(folder: Path, name: str, error: InputError) -> ModelError:
    cause = error.__cause__
    if isinstance(cause, FileNotFoundError):
        return _model_error(folder, f"{name} is missing")
    what = getattr(cause, "strerror", None) or cause or "it is too large"
    return _model_error(folder, f"{name} cannot be read ({what})")


def _model_error(folder: Path, what: str) -> ModelError:
    if folder == _WEIGHTS:
        return ModelError(f"the model that ships with unslant cannot be used: {what}; reinstall unslant")
    return ModelError(
        f"the model in {str(folder)!r} cannot be used: {what}; name one that 'unslant train detector --export' wrote"
    )


CORPUS_HEADS = " (corpus heads)"
"""How the card names a task that was measured with the heads trained on its corpus, not with those of the product."""

HEADLINES: Mapping[str, Sequence[tuple[str, str]]] = {
    "babe": (("", "macro-F1"),),
    "wikibias": (("", "macro-F1"),),
    "tagging": (("", "exact F1"), ("", "overlap F1")),
    "pairwise": (("", "source above its target"),),
    "fine-grained": (("", "macro-F1"), ("sources alone", "macro-F1"), ("biased sources", "macro-F1")),
    "diagnosis": (("", "accuracy, even odds"),),
    "dimensions": (("together", "macro-F1"),),
    "phrases": (("", "token F1, mean of texts"),),
    "calibration": (("", "ECE"),),
    "even-handed": (
        ("exchanges in real sentences", "mean change"),
        ("exchanges in real sentences", "verdicts flipped"),
    ),
}
"""For each task the beginning of a section's title and the end of a figure's name."""


def headlines(task: str, sections: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the headline figures of a task with their section's title; the first section that has one counts.

    BABE has a section for each of its parts, and calibration one for each corpus: there, every section counts.
    """
    task = task.removesuffix(CORPUS_HEADS)
    for beginning, end in HEADLINES.get(task, ()):
        for section in sections:
            if not section["title"].startswith(beginning):
                continue
            found = [figure for figure in section["figures"] if figure["name"].endswith(end)]
            if found:
                yield section["title"], found[0]
                if task not in ("babe", "calibration"):
                    break


def describe_model(name: str, folder: Path) -> dict[str, Any]:
    """Return what is known about a model, and what is wrong with it, if anything."""
    about: dict[str, Any] = {"name": name, "folder": str(folder), "problem": None}
    try:
        package = load_package(folder)
        package.verify()
        about |= {"bytes": package.size(), "digest": identity(str(folder)), "heads": list(package.heads)}
        card = package.card()
    except ModelError as error:
        return about | {"problem": str(error)}
    data = card.get("data")
    corpora = data if isinstance(data, list) else []
    return about | {
        "about": str(card.get("about", "")),
        "encoder": str(card.get("encoder", "")),
        "trained_on": [
            {key: str(corpus.get(key, "")) for key in ("name", "title", "licence", "url")}
            for corpus in corpora
            if isinstance(corpus, dict)
        ],
        "figures": _read_headlines(card.get("figures")),
    }


def _read_headlines(figures: Any) -> list[dict[str, Any]]:
    """Return the headline figures of a card; a malformed card has none."""
    try:
        return [
            {"task": task, "text": title, **figure}
            for task, result in (figures or {}).items()
            for title, figure in headlines(task, result["sections"])
        ]
    except (AttributeError, KeyError, TypeError):
        return []
