"""The systems whose rewrites are measured, by name: copy, rules, edit, a trained folder, or a model from the hub."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Protocol

from unslant.core.errors import ConfigError, MissingExtra
from unslant.core.types import Applicability, Document, Edit
from unslant.edits.fixer import Fixer
from unslant.lab.evaluation.held_out import Lineage, read_lineage
from unslant.lab.published import published
from unslant.neural.checkpoint import load_package, shipped_model
from unslant.neural.decoder import Decoder, NetworkOutput
from unslant.pipeline import Pipeline
from unslant.spec import Spec
from unslant.text.edits import apply_edits
from unslant.text.quotations import find_quotations
from unslant.text.tidy import tidy_edit

_STEP = 64
_EVEN = 0.5
_SELDOM_LEFT = 0.95
"""A sentence is edited if an editor leaves it alone with a lower probability; chosen on the development pairs."""


@dataclass(frozen=True, slots=True)
class Output:
    """A system's rewrite of one sentence."""

    text: str
    edits: tuple[Edit, ...] | None = None
    """The edits behind it, by positions in the sentence; None: the system does not report edits."""

    def safe(self, source: str) -> str | None:
        """Return the sentence with only its safe edits; None if the system does not report edits."""
        if self.edits is None:
            return None
        return apply_edits(source, [edit for edit in self.edits if edit.applicability is Applicability.SAFE])


class RewriteSystem(Protocol):
    """A rewriter as evaluation sees it."""

    @property
    def name(self) -> str:
        """The name shown with its figures."""
        ...

    @property
    def lineage(self) -> Lineage:
        """What it learned from."""
        ...

    @property
    def ranked_by(self) -> frozenset[str]:
        """Detectors that influenced its wordings and so cannot judge them: ``rules``, ``default`` or a folder."""
        ...

    def rewrite(self, texts: Sequence[str]) -> Iterator[Output]:
        """Yield the rewrite of each sentence, in order."""
        ...


@dataclass(frozen=True)
class FunctionSystem:
    """A system built from a function, which is created only when the system runs."""

    name: str
    make: Callable[[], Callable[[Sequence[str]], Sequence[Output]]]
    lineage: Lineage = field(default_factory=Lineage)
    ranked_by: frozenset[str] = frozenset()

    def rewrite(self, texts: Sequence[str]) -> Iterator[Output]:
        """Yield the rewrite of each sentence, in batches."""
        function = self.make()
        for start in range(0, len(texts), _STEP):
            yield from function(texts[start : start + _STEP])


def open_system(name: str, data: str | Path | None = None) -> RewriteSystem:
    """Return the system that a name stands for.

    ``copy``: every sentence as it is. ``rules``: the rules' first alternative for every finding. ``edit``: the edit
    model with its gates, safe edits only, as ``unslant fix --write`` works; ``edit-unsafe`` also makes those that need
    review; ``edit-first`` makes the model's likeliest edit, where an edit is likelier than none, without rules and
    gates, as papers measure their systems; ``edit-pairs`` chooses its wording by counts of training pairs as well, and
    edits more often; ``data`` is the folder of the corpora. ``:DIR`` after any of these four names a model's folder.
    ``fix:REWRITER``, ``fix-unsafe:REWRITER``: the wordings of any rewriter of the fixer, such as ``fix:trained:DIR``.
    ``hf:NAME``: any sequence-to-sequence model of transformers, as it is. Else the folder of a run of ``unslant train
    rewriter``, as it is.
    """
    if name == "copy":
        return FunctionSystem(name, lambda: lambda texts: [Output(text, ()) for text in texts])
    if name == "rules":
        return FunctionSystem(name, _rules, ranked_by=frozenset({"rules"}))
    if name.partition(":")[0] in ("edit", "edit-unsafe", "edit-first", "edit-pairs"):
        return _edit(name, data)
    if name.startswith(("fix:", "fix-unsafe:")):
        return _fixer_system(name)
    if name.startswith("hf:"):
        return FunctionSystem(name, lambda: _load_generator(name), Lineage(unknown=(name,)))
    folder = Path(name)
    place = next(
        (candidate for candidate in (folder, folder / "model") if (candidate / "rewriter.json").is_file()),
        None,
    )
    if place is None:
        raise ConfigError(
            f"{name}: no such system; name copy, rules, edit, fix:REWRITER, hf:NAME, or the folder of a trained "
            "rewriter"
        )
    return FunctionSystem(folder.name, lambda: _load_generator(str(place)), read_lineage(place))


def _document(text: str) -> Document:
    return Document(text, text, quotations=find_quotations(text, None))


def _rules() -> Callable[[Sequence[str]], Sequence[Output]]:
    pipeline = Pipeline(Spec(analyzers=("rules",)))

    def rewrite(texts: Sequence[str]) -> list[Output]:
        found = []
        for text, report in zip(texts, pipeline.check(_document(text) for text in texts), strict=True):
            edits = _without_conflicts(finding.edits[0] for finding in report.findings if finding.edits)
            found.append(Output(" ".join(apply_edits(text, edits).split()), edits))
        return found

    return rewrite


def _without_conflicts(edits: Iterable[Edit]) -> tuple[Edit, ...]:
    """Return edits by position; of two that overlap, the first counts."""
    kept: list[Edit] = []
    for edit in sorted(edits, key=lambda edit: edit.change):
        if not kept or edit.start >= kept[-1].end:
            kept.append(edit)
    return tuple(kept)


def _edit(name: str, data: str | Path | None) -> FunctionSystem:
    kind, _, chosen = name.partition(":")
    folder = Path(chosen) if chosen else shipped_model()
    if folder is None or not folder.is_dir():
        what = f"no model in {chosen}" if chosen else "this build of unslant has no model of its own"
        raise ConfigError(f"{name}: {what}; name {kind}:DIR with the package of a trained model")
    # the shipped model may be named by its folder or as the default
    ours = shipped_model()
    same = {"default"} if ours is not None and folder.resolve() == ours.resolve() else set()
    if kind in ("edit-first", "edit-pairs"):
        make = _choose_first if kind == "edit-first" else _choose_by_pairs(data)
        return FunctionSystem(
            name,
            lambda: _ungated_rewriter(folder, make),
            read_lineage(folder),
            frozenset({str(folder.resolve()), *same}),
        )
    ranked = frozenset({"rules", str(folder.resolve()), *same})
    spec = Spec(analyzers=("rules", "model"), model=chosen)
    return FunctionSystem(
        name, lambda: _fixer(spec, unsafe=kind == "edit-unsafe"), read_lineage(folder), ranked
    )


_Choose = Callable[[Decoder, NetworkOutput], Sequence[Edit]]
"""Returns the edit to make, if any."""


def _ungated_rewriter(folder: Path, choose: _Choose) -> Callable[[Sequence[str]], Sequence[Output]]:
    """Return a function that makes one edit without rules and gates, and corrects articles and spaces."""
    from unslant.neural.network import Network
    from unslant.neural.span_edits import suggest

    network = Network(load_package(folder))
    decoder = network.decoder()
    if decoder.selection.edits is None:
        raise ConfigError(f"the model in {folder} has no head of type 'edits'")

    def rewrite(text: str) -> Output:
        output = network.read(text)
        found = suggest(output.text, choose(decoder, output), 0.0)
        if not found:
            return Output(text)
        return Output(apply_edits(output.text, [tidy_edit(output.text, found[0])]))

    return lambda texts: network.map(rewrite, texts)


def _choose_first(decoder: Decoder, output: NetworkOutput) -> Sequence[Edit]:
    chosen = decoder.edits(output)
    return chosen.edits[:1] if chosen and chosen.none < _EVEN else ()


def _choose_by_pairs(data: str | Path | None) -> _Choose:
    @cache
    def table() -> Any:
        phrases = published("phrase table")
        return phrases.PhraseTable.learn(phrases.training_pairs(data))

    def choose(decoder: Decoder, output: NetworkOutput) -> Sequence[Edit]:
        places, none = decoder.edit_places(output) or ([], 1.0)
        edit = table().best(output.text, places) if none < _SELDOM_LEFT else None
        return () if edit is None else (edit,)

    return choose


def _fixer_system(name: str) -> FunctionSystem:
    """Return the fixer with another rewriter: its proposals go through alignment, ranking and gates."""
    kind, _, rewriter = name.partition(":")
    folder, sort = shipped_model(), rewriter.partition(":")[0]
    spec = Spec(analyzers=("rules", "model") if folder else ("rules",), rewriter=rewriter)
    ranked = {"rules", *(("default", str(folder.resolve())) if folder else ())}
    lineages = [read_lineage(folder)] if folder else []
    if sort == "trained":
        lineages.append(read_lineage(Path(rewriter.partition(":")[2])))
    elif sort not in ("edits", "none"):
        lineages.append(Lineage(unknown=(rewriter,)))
    lineage = Lineage(
        tuple(source for part in lineages for source in part.learned),
        unknown=tuple(model for part in lineages for model in part.unknown),
        seen=frozenset().union(*(part.seen for part in lineages)),
    )
    return FunctionSystem(name, lambda: _fixer(spec, unsafe=kind == "fix-unsafe"), lineage, frozenset(ranked))


def _fixer(spec: Spec, *, unsafe: bool) -> Callable[[Sequence[str]], Sequence[Output]]:
    """Return a function that fixes sentences; the only place where evaluation uses the fixer."""
    fixer = Fixer(spec, unsafe=unsafe)

    def rewrite(texts: Sequence[str]) -> list[Output]:
        return [Output(fixed.text, fixed.applied) for fixed in fixer.fix(_document(text) for text in texts)]

    return rewrite


def _load_generator(name: str) -> Callable[[Sequence[str]], Sequence[Output]]:
    try:
        from unslant.lab.rewriters.rewriter import TrainedRewriter
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        raise MissingExtra("a trained rewriter", package or "torch", "train") from error
    hub = name.startswith("hf:")
    rewriter = TrainedRewriter.pretrained(name[3:]) if hub else TrainedRewriter.load(name)

    def rewrite(texts: Sequence[str]) -> list[Output]:
        found = rewriter.rewrite_texts(texts)
        # a text that it cannot process stays unchanged
        return [Output(some[0].text if some else text) for text, some in zip(texts, found, strict=True)]

    return rewrite
