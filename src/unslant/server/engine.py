"""The queue in front of the pipeline: bounded, batched, and finished before the server stops.

While a pass runs, requests gather; the next pass takes as many as may go together. So nobody waits for company, and
the busier the server, the more a pass holds. Long texts have a lane of their own, so that short ones need not wait
for them.
"""

from __future__ import annotations

import asyncio
import math
import re
import threading
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from unslant.core.errors import MissingExtra, UnslantError
from unslant.core.types import Document, Report
from unslant.pipeline import Pipeline
from unslant.report.wire import dumps
from unslant.server.monitoring import Metrics, log_failure
from unslant.server.requests import Refusal
from unslant.server.settings import ServerSettings
from unslant.spec import Spec
from unslant.text.reading import read

__all__ = ["Abandoned", "BatchEngine", "Order", "Passes", "Result", "SentText", "TextJob"]

_SHORT = 20_000
"""Requests with more code points than this go to the lane for long ones."""
_LONGEST_WAIT = 30


@dataclass(slots=True, eq=False)
class _Ticket:
    """An order in the queue and who waits for it."""

    order: Order
    length: int
    answer: asyncio.Future[bytes]
    abandoned: bool = False


class BatchEngine:
    """Takes orders, and answers them through as few passes as it can."""

    def __init__(self, settings: ServerSettings, metrics: Metrics) -> None:
        """Build what the settings name; that may take a moment, and a bad model is told now."""
        limits = settings.limits
        self._limits = limits
        self._metrics = metrics
        passes = Passes(settings.spec)
        self._lanes = {
            "short": _Lane("short", passes, limits.batch, metrics),
            "long": _Lane("long", passes, 1, metrics),
        }
        metrics.waiting.set_function(lambda: sum(lane.waiting for lane in self._lanes.values()))

    async def answer(self, order: Order) -> bytes:
        """Return the answer as JSON; a full queue is a refusal with the time to come back."""
        length = order.length
        lane = self._lanes["short" if length <= _SHORT else "long"]
        self._admit(lane, length)
        ticket = _Ticket(order, length, asyncio.get_running_loop().create_future())
        lane.put(ticket)
        try:
            return await ticket.answer
        finally:
            ticket.abandoned = True

    def ready(self) -> bool:
        """Say whether another request would be taken."""
        return all(lane.alive and lane.waiting < self._limits.waiting for lane in self._lanes.values())

    def start(self) -> None:
        """Begin to work."""
        for lane in self._lanes.values():
            lane.start()

    def close(self) -> None:
        """Finish what was taken, and stop."""
        for lane in self._lanes.values():
            lane.close()

    def _admit(self, lane: _Lane, length: int) -> None:
        waiting = sum(one.waiting_length for one in self._lanes.values())
        if lane.waiting < self._limits.waiting and waiting + length <= self._limits.waiting_length:
            return
        self._metrics.refused.labels("queue_full").inc()
        raise Refusal(503, "busy", "too many requests are waiting; come back in a moment", lane.patience())


class _Lane:
    """A queue and the thread that works it off."""

    def __init__(self, name: str, passes: Passes, batch: int, metrics: Metrics) -> None:
        self._passes = passes
        self._batch = batch
        self._metrics = metrics
        self._queue: deque[_Ticket] = deque()
        self._changed = threading.Condition()
        self._closing = False
        self._pace = 0.01
        self.waiting_length = 0
        self._thread = threading.Thread(target=self._work, name=f"unslant-{name}", daemon=True)

    @property
    def waiting(self) -> int:
        """How many requests wait."""
        return len(self._queue)

    @property
    def alive(self) -> bool:
        """Whether anybody works."""
        return self._thread.is_alive() and not self._closing

    def patience(self) -> int:
        """Return in how many seconds the queue should be worked off, by the pace of the last passes."""
        return max(1, min(_LONGEST_WAIT, math.ceil(self._pace * len(self._queue))))

    def start(self) -> None:
        """Begin to work."""
        self._thread.start()

    def put(self, ticket: _Ticket) -> None:
        """Take an order."""
        with self._changed:
            self._queue.append(ticket)
            self.waiting_length += ticket.length
            self._changed.notify()

    def close(self) -> None:
        """Work off the queue and stop."""
        with self._changed:
            self._closing = True
            self._changed.notify()
        if self._thread.ident is not None:
            self._thread.join()

    def _work(self) -> None:
        while tickets := self._take():
            began = time.perf_counter()
            self._serve([ticket for ticket in tickets if not ticket.abandoned])
            pace = (time.perf_counter() - began) / len(tickets)
            self._pace += 0.2 * (pace - self._pace)

    def _take(self) -> list[_Ticket]:
        """Wait for orders, and take those that go through the next pass; none: it is time to stop."""
        with self._changed:
            self._changed.wait_for(lambda: self._queue or self._closing)
            taken: list[_Ticket] = []
            length = 0
            while self._queue and len(taken) < self._batch:
                if taken and length + self._queue[0].length > 10 * _SHORT:
                    break
                taken.append(self._queue.popleft())
                length += taken[-1].length
            self.waiting_length -= length
            return taken

    def _serve(self, tickets: Sequence[_Ticket]) -> None:
        """Answer these orders, those with equal jobs together."""
        while tickets:
            job = tickets[0].order.job
            self._together([ticket for ticket in tickets if ticket.order.job == job])
            tickets = [ticket for ticket in tickets if ticket.order.job != job]

    def _together(self, tickets: Sequence[_Ticket]) -> None:
        texts = [text for ticket in tickets for text in ticket.order.texts]
        began = time.perf_counter()
        try:
            results = iter(
                self._passes.run(
                    tickets[0].order.job, texts, lambda: not all(ticket.abandoned for ticket in tickets)
                )
            )
        except Abandoned:
            return
        except Exception as error:
            for ticket in tickets:
                _tell(ticket, error)
            return
        self._metrics.pass_seconds.observe(time.perf_counter() - began)
        self._metrics.pass_texts.observe(len(texts))
        for ticket in tickets:
            _finish(ticket, [next(results) for _ in ticket.order.texts])


def _finish(ticket: _Ticket, results: Sequence[object]) -> None:
    try:
        answer = dumps(ticket.order.finish(results)).encode("ascii")
    except Exception as error:
        _tell(ticket, error)
    else:
        _resolve(ticket, answer)


def _tell(ticket: _Ticket, error: Exception) -> None:
    if not isinstance(error, Refusal):
        log_failure("a pass failed", error)
        error = Refusal(500, "internal", "a bug in unslant: the request could not be answered")
    _resolve(ticket, error)


def _resolve(ticket: _Ticket, outcome: bytes | Exception) -> None:
    def settle() -> None:
        if ticket.answer.done():
            return
        if isinstance(outcome, Exception):
            ticket.answer.set_exception(outcome)
        else:
            ticket.answer.set_result(outcome)

    loop = ticket.answer.get_loop()
    if not loop.is_closed():
        loop.call_soon_threadsafe(settle)


_KEPT = 4
"""How many pipelines are kept beside the one of the server's own settings."""


class Abandoned(Exception):
    """Nobody waits for this pass any more."""


class Passes:
    """The pipelines of a server, each built once, and what becomes of texts in them."""

    def __init__(self, spec: Spec) -> None:
        self._local = threading.local()
        self._lock = threading.Lock()
        self._own = TextJob(spec), Pipeline(spec, self._progress)
        self._others: OrderedDict[tuple[TextJob, int], Any] = OrderedDict()

    def run(self, job: TextJob, texts: Sequence[SentText], wanted: Callable[[], bool]) -> list[Result]:
        """Return one result per text, in order; ``Abandoned`` as soon as nothing is wanted any more.

        A text that cannot be read, or that a component stumbles over, is refused, and only that one.
        """
        self._local.wanted = wanted
        documents = [_document(text) for text in texts]
        readable = [one for one in documents if isinstance(one, Document)]
        done = iter(self._pass(job, readable))
        return [next(done) if isinstance(one, Document) else one for one in documents]

    def _pass(self, job: TextJob, documents: Sequence[Document]) -> list[Result]:
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
            from unslant.server.monitoring import log_failure

            log_failure("a text could not be checked", error)
            return Refusal(500, "internal", "a bug in unslant: this text could not be checked")

    def _runner(self, job: TextJob) -> Callable[[Iterable[Document]], Iterable[Result]]:
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

    def _build(self, job: TextJob) -> Any:
        if not job.fix:
            return Pipeline(job.spec, self._progress)
        from unslant.rewrite import Fixer

        return Fixer(job.spec, progress=self._progress)

    def _progress(self, _: int) -> None:
        """Look up between batches of sentences whether anybody still waits."""
        if not self._local.wanted():
            raise Abandoned


def _document(text: SentText) -> Document | Refusal:
    try:
        return read(text.source, text.format, text.id)
    except MissingExtra:
        raise
    except UnslantError as error:
        return Refusal(422, "not_readable", str(error))


_HALF = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class TextJob:
    """What is done with texts; those with equal jobs go through one pass."""

    spec: Spec
    fix: bool = False
    """Whether the texts are rewritten too."""


@dataclass(frozen=True, slots=True)
class SentText:
    """A text as it was sent."""

    source: str
    format: str = "text"
    id: str = "<text>"

    def __post_init__(self) -> None:
        # JSON can spell half a character, which no file holds and no tokenizer takes
        if not self.source.isascii() and _HALF.search(self.source):
            raise Refusal(
                422, "invalid", "the text holds half a character, a lone surrogate; send whole ones"
            )


Result = Report | Any | Refusal
"""What became of a text: a report, a rewritten text, or the reason why there is none."""


@dataclass(frozen=True, slots=True, eq=False)
class Order:
    """The work of one request."""

    job: TextJob
    texts: Sequence[SentText]
    finish: Callable[[Sequence[Result]], dict[str, Any]]
    """Makes the answer of the results, which are as many as the texts and in their order."""

    beside: int = 0
    """Code points of what the texts are compared with."""

    @property
    def length(self) -> int:
        """Code points of everything that has to be looked at."""
        return self.beside + sum(len(text.source) for text in self.texts)
