"""Taking the texts of many requests through one pass of the pipeline."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from unslant.core.errors import MissingExtra, UnslantError
from unslant.core.types import Document
from unslant.pipeline import Pipeline
from unslant.server.orders import Job, Result, Text
from unslant.server.refusal import Refusal
from unslant.spec import Spec
from unslant.text.reading import read

__all__ = ["Abandoned", "Passes"]

_KEPT = 4
"""How many pipelines are kept beside the one of the server's own settings."""


class Abandoned(Exception):
    """Nobody waits for this pass any more."""


class Passes:
    """The pipelines of a server, each built once, and what becomes of texts in them."""

    def __init__(self, spec: Spec) -> None:
        self._local = threading.local()
        self._lock = threading.Lock()
        self._own = Job(spec), Pipeline(spec, self._progress)
        self._others: OrderedDict[tuple[Job, int], Any] = OrderedDict()

    def run(self, job: Job, texts: Sequence[Text], wanted: Callable[[], bool]) -> list[Result]:
        """Return one result per text, in order; ``Abandoned`` as soon as nothing is wanted any more.

        A text that cannot be read, or that a component stumbles over, is refused, and only that one.
        """
        self._local.wanted = wanted
        documents = [_document(text) for text in texts]
        readable = [one for one in documents if isinstance(one, Document)]
        done = iter(self._pass(job, readable))
        return [next(done) if isinstance(one, Document) else one for one in documents]

    def _pass(self, job: Job, documents: Sequence[Document]) -> list[Result]:
        run = self._runner(job)
        try:
            return list(run(documents))
        except Abandoned:
            raise
        except UnslantError as error:
            if len(documents) == 1:
                return [Refusal(422, "not_checkable", str(error))]
        except Exception:
            if len(documents) <= 1:
                raise
        return [self._alone(run, document) for document in documents]

    def _alone(self, run: Callable[[Iterable[Document]], Iterable[Result]], document: Document) -> Result:
        """Take one text through a pass of its own, as one of those that came with it breaks the common one."""
        try:
            return next(iter(run([document])))
        except Abandoned:
            raise
        except Exception as error:
            from unslant.server.logs import log_failure

            log_failure("a text could not be checked", error)
            return Refusal(500, "internal", "a bug in unslant: this text could not be checked")

    def _runner(self, job: Job) -> Callable[[Iterable[Document]], Iterable[Result]]:
        """Return what takes documents through a pass; the least recently used is given up for a new one."""
        if job == self._own[0]:
            return self._own[1].check
        # a pipeline keeps no state, but a fixer looks on while its own pipeline works
        key = job, threading.get_ident() if job.fix else 0
        with self._lock:
            found = self._others.pop(key, None) or self._build(job)
            self._others[key] = found
            if len(self._others) > _KEPT:
                self._others.popitem(last=False)
        return found.fix if job.fix else found.check  # type: ignore[no-any-return]

    def _build(self, job: Job) -> Any:
        if not job.fix:
            return Pipeline(job.spec, self._progress)
        from unslant.rewrite import Fixer

        return Fixer(job.spec, progress=self._progress)

    def _progress(self, _: int) -> None:
        """Look up between batches of sentences whether anybody still waits."""
        if not self._local.wanted():
            raise Abandoned


def _document(text: Text) -> Document | Refusal:
    try:
        return read(text.source, text.format, text.id)
    except MissingExtra:
        raise
    except UnslantError as error:
        return Refusal(422, "not_readable", str(error))
