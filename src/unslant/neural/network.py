"""The network: returns the logits of all heads for a text, in one pass.

Each text is run by itself, several at once in threads. On a few cores that is faster than padded batches, and since
int8 arithmetic scales a batch as a whole, only a text run by itself gets the same answer whatever comes with it.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache, cached_property, lru_cache
from pathlib import Path
from typing import Any, TypeVar
from weakref import WeakSet

from unslant.core.errors import ConfigError, ModelError
from unslant.core.types import Document, Sentence, Span
from unslant.neural.checkpoint import GRAPH, TABLES, TOKENIZER, Package
from unslant.neural.decoder import Decoder, HeadSelection, NetworkOutput, select_product_heads
from unslant.neural.group_masking import GroupMask
from unslant.neural.span_edits import SpanEditDecoder
from unslant.neural.subwords import NormalizedText, Offsets, Window, normalize_whitespace, windows

T = TypeVar("T")
R = TypeVar("R")

_SILENT = 4
_MANY = 32
_CHUNK = 8
"""How many texts a thread takes at once: each hand-over costs time, but threads should not wait for each other."""


def threads() -> int:
    """Return how many texts are run at once: ``UNSLANT_THREADS``, or the number of usable cores."""
    named = os.environ.get("UNSLANT_THREADS", "")
    if named:
        if not named.isdecimal() or int(named) < 1:
            raise ConfigError(f"UNSLANT_THREADS must be a whole number, 1 or more, not {named!r}")
        return int(named)
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on every system
        return os.cpu_count() or 1


_networks: WeakSet[Network] = WeakSet()


def _after_fork() -> None:
    for network in _networks:
        network.forget_threads()


if hasattr(os, "register_at_fork"):  # not on Windows, which does not fork
    os.register_at_fork(after_in_child=_after_fork)


class Network:
    """A model ready to run."""

    def __init__(self, package: Package, *, wait: bool = True) -> None:
        """Load a model; without ``wait``, a thread goes on loading the graph until :meth:`ready` is called."""
        self.package = package
        # the graph is read, verified and loaded without the interpreter's lock, beside everything else; imports need
        # the lock and come first, or loading would wait for it until the tokenizer is ready
        beside = ThreadPoolExecutor(1, "unslant-model")
        graph = beside.submit(package.read, GRAPH)
        self._numpy: Any = import_runtime("numpy")
        import_runtime("onnxruntime")
        self._loading = beside.submit(lambda: _session(package, graph.result()))
        beside.shutdown(wait=False)
        self._tokenizer = _tokenizer(package)
        self._mask = GroupMask(
            package.group_masks,
            package.name_mask,
            people=package.mask_people,
            is_subword=_subword_test(self._tokenizer),
        )
        self._span_edits = _read_span_edits(package)
        self._heads = list(package.heads)
        self._count = threads()
        self._pool: ThreadPoolExecutor | None = None
        _networks.add(self)
        if wait:
            self.ready()

    @cached_property
    def _session(self) -> Any:
        session = self._loading.result()
        _check_graph(self.package, session, self._span_edits)
        return session

    def ready(self) -> None:
        """Wait until texts can be read; raise if the graph cannot be used."""
        self._session  # noqa: B018

    def map(self, function: Callable[[T], R], items: Sequence[T]) -> list[R]:
        """Call a function for each item, several at once; results are in order."""
        if self._count == 1 or len(items) < 2:
            return [function(item) for item in items]
        if self._pool is None:
            self._pool = ThreadPoolExecutor(self._count, "unslant-model")
        size = max(1, min(_CHUNK, len(items) // (4 * self._count)))
        chunks = [items[start : start + size] for start in range(0, len(items), size)]
        done = self._pool.map(lambda chunk: [function(item) for item in chunk], chunks)
        return [result for results in done for result in results]

    def forget_threads(self) -> None:
        """Start new threads when they are needed next; those of a parent process do not exist in its children."""
        self._pool = None

    def decoder(self, selection: HeadSelection | None = None, *, threshold: float = 0.5) -> Decoder:
        """Return the decoder of its outputs; without a selection, the heads of the product answer."""
        package = self.package
        chosen = selection or select_product_heads(package.heads, package.span_heads)
        return Decoder(package.heads, chosen, span_edits=self._span_edits, threshold=threshold)

    def read(self, text: str) -> NetworkOutput:
        """Run one text; a long text is run in overlapping windows."""
        prefix = self.package.prefix
        normalized = normalize_whitespace(text)
        masked = self._mask.mask(normalized.text)
        encoding = self._tokenizer.encode(prefix + masked.text)
        lead, tail = _frame(encoding, len(prefix))
        ids = encoding.ids
        inner = len(ids) - tail
        offsets = encoding.offsets[lead:inner]
        if prefix or masked.starts:
            # the tokenizer may merge the end of the prefix with the beginning of the text
            offsets = [
                masked.original(max(start - len(prefix), 0), end - len(prefix)) for start, end in offsets
            ]
        features = self._features(normalized.text, offsets, lead, tail)
        room = max(self.package.max_length - lead - tail, 1)
        cuts = windows(inner - lead, room)
        if len(cuts) == 1:
            return self._single_run(normalized, offsets, lead, self._run(ids, features))
        outputs = []
        for cut in cuts:
            start, end = lead + cut.start, lead + cut.end
            chosen = [*range(lead), *range(start, end), *range(inner, len(ids))]
            outputs.append(
                self._run([ids[at] for at in chosen], features and [features[at] for at in chosen])
            )
        return self._join_windows(normalized, offsets, lead, list(zip(cuts, outputs, strict=True)))

    def _features(
        self, text: str, offsets: Sequence[tuple[int, int]], lead: int, tail: int
    ) -> list[list[float]] | None:
        names = self.package.features
        if not names:
            return None
        blank = [0.0] * len(names)
        return [*[blank] * lead, *feature_rows(text, offsets, names), *[blank] * tail]

    def _run(self, ids: list[int], features: list[list[float]] | None) -> dict[str, Any]:
        numpy = self._numpy
        row = numpy.array([ids], numpy.int64)
        inputs = {"input_ids": row, "attention_mask": numpy.ones_like(row)}
        if features is not None:
            inputs["features"] = numpy.array([features], numpy.float32)
        values = self._session.run(self._heads, inputs)
        return {name: value[0] for name, value in zip(self._heads, values, strict=True)}

    def _single_run(
        self,
        normalized: NormalizedText,
        offsets: Sequence[tuple[int, int]],
        lead: int,
        output: Mapping[str, Any],
    ) -> NetworkOutput:
        """Return the output of a text that was run as a whole."""
        text_logits: dict[str, list[float]] = {}
        subword_logits: dict[str, Any] = {}
        for name, head in self.package.heads.items():
            value = output[name]
            if head.level == "subword":
                subword_logits[name] = value[lead : lead + len(offsets)]
            else:
                text_logits[name] = value.tolist() if value.ndim else [value.item()]
        return NetworkOutput(normalized, offsets, text_logits, _RowsByHead(subword_logits))

    def _join_windows(
        self,
        normalized: NormalizedText,
        offsets: Sequence[tuple[int, int]],
        lead: int,
        outputs: Sequence[tuple[Window, dict[str, Any]]],
    ) -> NetworkOutput:
        """Return the output of a text that was run in windows."""
        numpy = self._numpy
        text_logits: dict[str, list[float]] = {}
        subword_logits: dict[str, Any] = {}
        for name, head in self.package.heads.items():
            values = [output[name] for _, output in outputs]
            if head.level == "subword":
                cuts = [cut for cut, _ in outputs]
                parts = [
                    value[lead - cut.start + cut.first : lead - cut.start + cut.last]
                    for cut, value in zip(cuts, values, strict=True)
                ]
                subword_logits[name] = _rows(numpy.concatenate(parts))
            else:
                stacked = numpy.stack([numpy.atleast_1d(value) for value in values])
                # a long sentence is as slanted as its most slanted window; exclusive labels are averaged
                text_logits[name] = (stacked.mean(axis=0) if head.exclusive else stacked.max(axis=0)).tolist()
        return NetworkOutput(normalized, offsets, text_logits, subword_logits)


class _RowsByHead(Mapping[str, Any]):
    """The rows of each head at the subword level, converted on first access: most are never read."""

    def __init__(self, values: dict[str, Any]) -> None:
        self._values = values
        self._rows: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self._rows:
            self._rows[name] = _rows(self._values[name])
        return self._rows[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)


def _rows(rows: Any) -> Any:
    # thousands of numbers are slow as a list, a few are slow as an array
    return rows if rows.shape[-1] > _MANY else rows.tolist()


def _frame(encoding: Any, prefix: int) -> tuple[int, int]:
    """Return the number of subwords before and after the text: special tokens, and the prefix."""
    marks, offsets = encoding.special_tokens_mask, encoding.offsets
    lead = 0
    while lead < len(marks) and (marks[lead] or (prefix and offsets[lead][1] <= prefix)):
        lead += 1
    tail = 0
    while tail < len(marks) - lead and marks[len(marks) - 1 - tail]:
        tail += 1
    return lead, tail


def import_runtime(name: str) -> Any:
    """Return a library that models need; its absence is one clear sentence."""
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        raise ModelError(
            f"the model needs {error.name}, which is missing; reinstall unslant, or use --tier rules"
        ) from None


def _subword_test(tokenizer: Any) -> Callable[[str], bool]:
    """Return a test for words that a tokenizer does not split."""

    @lru_cache(maxsize=20_000)
    def is_subword(word: str) -> bool:
        return len(tokenizer.encode(word, add_special_tokens=False).ids) == 1

    return is_subword


def _tokenizer(package: Package) -> Any:
    tokenizers = import_runtime("tokenizers")
    content = package.read(TOKENIZER)
    with _explain_failure(package, TOKENIZER):
        tokenizer = tokenizers.Tokenizer.from_str(content.decode("utf-8"))
        tokenizer.no_truncation()
        tokenizer.no_padding()
    return tokenizer


def _read_span_edits(package: Package) -> dict[str, SpanEditDecoder]:
    """Return the decoders of heads of type ``edits``, by name."""
    found = {}
    for name, head in package.heads.items():
        if head.type == "edits":
            content = package.read(TABLES)
            with _explain_failure(package, TABLES):
                found[name] = SpanEditDecoder.read(content, head.labels)
    return found


EXACT_SUMS = "session.x64quantprecision"
"""The runtime setting that stores weights so that sums saturate on no processor; it changes the graph."""
WEIGHTS_BESIDE = "session.model_external_initializers_file_folder_path"
"""The runtime setting that names the folder of weights outside the graph."""
_SLOWER_FUSIONS = ["SkipLayerNormFusion"]
"""Fusions of the runtime that make a CPU slower, by three times or more."""


def session_options() -> Any:
    """Return options that make quantised products exact, so that every processor gives the same answer.

    Without VNNI instructions, sums of two products saturate at 16 bits unless a slower setting prevents it; with them,
    sums are exact anyway.
    """
    options = import_runtime("onnxruntime").SessionOptions()
    options.add_session_config_entry(EXACT_SUMS, "0" if _has_vnni(_PROCESSORS) else "1")
    return options


_PROCESSORS = Path("/proc/cpuinfo")
_VNNI = frozenset(("avx512_vnni", "avx_vnni"))


@cache
def _has_vnni(processors: Path) -> bool:
    """Return whether all processors sum 8-bit products exactly; False if unknown."""
    try:
        lines = processors.read_text("utf-8", "replace").splitlines()
    except OSError:
        return False
    flags = [line.partition(":")[2].split() for line in lines if line.startswith("flags")]
    return bool(flags) and all(_VNNI.intersection(each) for each in flags)


def _session(package: Package, graph: bytes) -> Any:
    with _explain_failure(package, GRAPH):
        return open_session(graph)


def _check_graph(package: Package, session: Any, span_edits: Mapping[str, SpanEditDecoder]) -> None:
    """Raise unless a graph has the inputs and outputs that its package describes."""
    given = {node.name for node in session.get_inputs()}
    wanted = {"input_ids", "attention_mask", *(["features"] if package.features else [])}
    if given != wanted or not set(package.heads) <= {node.name for node in session.get_outputs()}:
        raise ModelError(f"{str(package.folder / GRAPH)!r} does not have the inputs and heads of model.json")
    for output in session.get_outputs():
        last = output.shape[-1] if output.shape else None
        reader = span_edits.get(output.name)
        if reader is not None and last != reader.outputs:
            raise ModelError(
                f"{str(package.folder / GRAPH)!r} has {last} outputs per word, but {TABLES} needs {reader.outputs}"
            )


def open_session(graph: bytes) -> Any:
    """Return a session with one thread for a verified graph."""
    onnxruntime = import_runtime("onnxruntime")
    options = session_options()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.enable_mem_pattern = False  # lengths differ from text to text
    options.log_severity_level = _SILENT
    # the same graph on every processor, except for what keeps sums exact
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_EXTENDED
    # from memory, so that exactly the verified bytes run; weights that a graph expects in other files are looked for
    # where there are none, not in the current folder
    options.add_session_config_entry(WEIGHTS_BESIDE, os.devnull)
    return onnxruntime.InferenceSession(
        graph, options, providers=["CPUExecutionProvider"], disabled_optimizers=_SLOWER_FUSIONS
    )


@contextmanager
def _explain_failure(package: Package, name: str) -> Iterator[None]:
    """Turn any error of a library about an unusable file into one sentence."""
    try:
        yield
    except Exception as error:  # each library raises errors of its own
        first = (str(error).strip().splitlines() or [type(error).__name__])[0]
        raise ModelError(f"{str(package.folder / name)!r} cannot be used: {first[:200]}") from None


@cache
def _rules() -> Any:
    from unslant.rules.analyzer import RuleAnalyzer
    from unslant.spec import Spec

    return RuleAnalyzer(Spec())


def feature_rows(text: str, offsets: Offsets, names: Sequence[str]) -> list[list[float]]:
    """Return a row for each subword: 1 for each named rule that flags its word, else 0."""
    rows = [[0.0] * len(names) for _ in offsets]
    if not text:
        return rows
    places = {name: at for at, name in enumerate(names)}
    (analysis,) = _rules().analyze([Sentence(Document(text, text), Span(0, len(text)))])
    for finding in analysis.findings:
        for row, (start, end) in zip(rows, offsets, strict=True):
            if finding.rule in places and start < finding.span.end and finding.span.start < end:
                row[places[finding.rule]] = 1.0
    return rows
