"""Running the rewriter: one passage at a time, with a beam search over its wordings.

Each passage is run by itself, because int8 arithmetic scales a batch as a whole: so a passage gets the same wordings
whatever is asked with it.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from unslant.core.errors import ModelError
from unslant.neural.network import import_runtime, open_session, threads
from unslant.protocols import Wording, WordsInSentence
from unslant.rewriter.package import (
    DECODER,
    ENCODER,
    MAX_SUBWORDS,
    MAX_WRITTEN,
    TOKENIZER,
    VECTORS,
    RewriterPackage,
    load_rewriter,
)
from unslant.rewriter.passage import as_query, from_output
from unslant.spec import Spec

PROPOSALS = 8
"""How many wordings a passage gets at most."""
_FAR_BEHIND = 6.0
"""Beams whose log probability is this far behind that of a finished wording are given up: nobody would choose them."""
_START, _END = 0, 1


@dataclass(frozen=True, slots=True)
class _Beam:
    ids: tuple[int, ...]
    score: float


class WordingNetwork:
    """A rewriter ready to run."""

    def __init__(self, package: RewriterPackage) -> None:
        self.package = package
        self._numpy = import_runtime("numpy")
        tokenizers = import_runtime("tokenizers")
        try:
            self._tokenizer = tokenizers.Tokenizer.from_str(package.read(TOKENIZER).decode("utf-8"))
            vectors = self._numpy.load(io.BytesIO(package.read(VECTORS)), allow_pickle=False)
            self._rows, self._scales = vectors["rows"], vectors["scales"]
            self._encoder, self._decoder = (open_session(package.read(name)) for name in (ENCODER, DECODER))
        except ModelError:
            raise
        except Exception as error:
            raise ModelError(
                f"the rewriter in {str(package.folder)!r} cannot be used: {type(error).__name__}"
            ) from None

    def propose(self, passages: Sequence[WordsInSentence]) -> list[list[Wording]]:
        """Return up to eight wordings for each passage, best first; none is what already stands there."""
        if len(passages) < 2 or threads() == 1:
            return [self._propose(passage) for passage in passages]
        # threads of their own for each call, so that a forked process does not inherit dead ones
        with ThreadPoolExecutor(min(threads(), len(passages)), "unslant-rewriter") as pool:
            return list(pool.map(self._propose, passages))

    def _propose(self, passage: WordsInSentence) -> list[Wording]:
        query = as_query(passage)
        old = " ".join(passage.sentence[passage.span.start : passage.span.end].split())
        found: dict[str, Wording] = {}
        for beam in self._search(query.text):
            written = self._tokenizer.decode(list(beam.ids), skip_special_tokens=False)
            text = from_output(written, query.sides)
            if text is not None and text != old and text not in found:
                found[text] = Wording(text, beam.score)
        return list(found.values())[:PROPOSALS]

    def _search(self, text: str) -> list[_Beam]:
        """Return finished wordings, most probable first."""
        numpy, package = self._numpy, self.package
        ids = self._tokenizer.encode(text).ids
        if len(ids) > MAX_SUBWORDS:
            ids = [*ids[: MAX_SUBWORDS - 1], _END]
        keys, values = self._encoder.run(["keys", "values"], {"states": self._vectors(ids)})
        past_keys = past_values = numpy.zeros(
            (package.layers, 1, package.heads, 0, package.width), numpy.float32
        )
        beams = [_Beam((), 0.0)]
        finished: list[_Beam] = []
        last = [_START]
        for _ in range(MAX_WRITTEN):
            logits, past_keys, past_values = self._decoder.run(
                ["logits", "new_keys", "new_values"],
                {
                    "states": self._vectors(last),
                    "past_keys": past_keys,
                    "past_values": past_values,
                    "keys": keys,
                    "values": values,
                },
            )
            scores = self._log_softmax(logits) + numpy.array([[beam.score] for beam in beams], numpy.float64)
            finished += [
                _Beam(beam.ids, float(scores[at, _END])) for at, beam in enumerate(beams) if beam.ids
            ]
            finished = sorted(finished, key=lambda beam: -beam.score)[: PROPOSALS + 2]
            least = finished[0].score - _FAR_BEHIND if finished else -numpy.inf
            if len(finished) == PROPOSALS + 2:
                least = max(least, finished[-1].score)
            scores[:, [_START, _END]] = -numpy.inf
            flat = scores.ravel()
            best = numpy.argpartition(-flat, PROPOSALS)[:PROPOSALS]
            best = best[numpy.lexsort((best, -flat[best]))]
            chosen = [int(at) for at in best if flat[at] > least]
            if not chosen:
                break
            parents = [at // scores.shape[1] for at in chosen]
            last = [at % scores.shape[1] for at in chosen]
            beams = [
                _Beam((*beams[parent].ids, token), float(flat[at]))
                for at, parent, token in zip(chosen, parents, last, strict=True)
            ]
            past_keys, past_values = past_keys[:, parents], past_values[:, parents]
        return finished

    def _vectors(self, ids: Sequence[int]) -> Any:
        return self._rows[ids].astype(self._numpy.float32) * self._scales[ids]

    def _log_softmax(self, logits: Any) -> Any:
        numpy = self._numpy
        shifted = logits.astype(numpy.float64) - logits.max(axis=1, keepdims=True)
        return shifted - numpy.log(numpy.exp(shifted).sum(axis=1, keepdims=True))


@lru_cache(maxsize=1)
def _load(folder: Path | None) -> WordingNetwork:
    return WordingNetwork(load_rewriter(folder))


class ShippedRewriter:
    """The rewriter ``unslant`` of the settings; it is loaded when it is first asked."""

    def __init__(self, _spec: Spec) -> None:
        """Need nothing."""

    def propose(self, passages: Sequence[WordsInSentence]) -> list[list[Wording]]:
        """Return up to eight wordings for each passage, best first."""
        return propose(passages)


def propose(passages: Sequence[WordsInSentence], folder: Path | None = None) -> list[list[Wording]]:
    """Return up to eight wordings for each passage, best first; an empty one leaves the words out.

    The rewriter is loaded on the first call.
    """
    return _load(folder).propose(passages) if passages else []
