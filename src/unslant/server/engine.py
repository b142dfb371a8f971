"""The queue in front of the pipeline: bounded, batched, and emptied before the server stops.

While one batch runs, requests queue up, and the next batch takes as many as it can, up to a number of characters. No
request waits for a batch to fill, and batches grow with the load. Texts of some pages and whole books have lanes of
their own, so that shorter ones do not wait for them, and so has fixing, which takes longer than checking. After each
slice of a text, these lanes give way to shorter requests, but only in proportion to what the slice took: however many
short requests there are, a share of the time remains for the others.
"""

from __future__ import annotations

import asyncio
import math
import re
import threading
import time
from collections import Counter, OrderedDict, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

from unslant.core.errors import InputError, MissingExtra, UnslantError
from unslant.core.types import Document, Report, WordSenses
from unslant.pipeline import Pipeline, SlicedAnalyzer
from unslant.report.wire import dumps
from unslant.server.monitoring import Metrics, log_failure
from unslant.server.requests import RequestError
from unslant.server.settings import ServerSettings
from unslant.spec import Spec
from unslant.text.reading import read

_SHORT = 2_000
"""Requests with more code points than this do not go first."""
_MEDIUM = 8_000
"""Requests with more code points than this go to the lane for long texts: twenty comments do not wait for a book."""
_READS = {"explain": 20.0, "profile": 0.05}
"""How long a task takes, about, where a check takes 1: an explanation reads a text without each of its words, and a
profile needs no model."""
_BATCH_LENGTH = 4_000
"""Code points in a batch of short requests, so that the next request never waits for long."""
_SLICE_LENGTH = 600
"""Code points that are read at once; between slices, a long text gives way to short requests."""
_PATIENCE = 2.0
"""How many times as long as its last slice took a text gives way to shorter requests: it keeps a third of the time."""
_LONGEST_WAIT = 30
_LAST_SECONDS = 2.0
"""How long to wait for work that nobody waits for any more to end by itself."""


@dataclass(slots=True, eq=False)
class _Ticket:
    """A request in the queue, and the future that its client waits for."""

    order: EngineRequest
    length: int
    answer: asyncio.Future[bytes]
    cancelled: bool = False


class BatchEngine:
    """Answers requests in as few batches as possible."""

    def __init__(self, settings: ServerSettings, metrics: Metrics) -> None:
        """Build the pipeline, which may take a moment; an invalid model raises an error here."""
        limits = settings.limits
        self._limits = limits
        self._metrics = metrics
        self._turns = Turns()
        passes = PipelinePool(settings.spec, self._turns)
        self._lanes = {
            "short": _Lane("short", passes, limits.batch, metrics),
            "medium": _Lane("medium", passes, 1, metrics),
            "long": _Lane("long", passes, 1, metrics),
            "fix": _Lane("fix", passes, 1, metrics),
        }
        self._passes = passes
        metrics.waiting.set_function(lambda: sum(lane.waiting for lane in self._lanes.values()))

    async def answer(self, order: EngineRequest) -> bytes:
        """Return the response as JSON; a full queue is an error with a time to retry after."""
        length = order.length
        lane = self._lanes[_lane_of(order.job, length)]
        self._admit(lane, length)
        ticket = _Ticket(order, length, asyncio.get_running_loop().create_future())
        with self._turns.wait_for(lane.rank):
            lane.put(ticket)
            try:
                return await ticket.answer
            finally:
                ticket.cancelled = True

    def ready(self) -> bool:
        """Return whether another request would be accepted."""
        return all(lane.alive and lane.waiting < self._limits.waiting for lane in self._lanes.values())

    def start(self) -> None:
        """Start working."""
        for lane in self._lanes.values():
            lane.start()

    async def close(self) -> None:
        """Stop working; requests that anybody still waits for have been answered before.

        The event loop goes on meanwhile, so that signals still arrive. A thread that does not end soon is left behind:
        it ends with the process.
        """
        self._passes.stop()
        for lane in self._lanes.values():
            lane.close()
        until = time.monotonic() + _LAST_SECONDS
        while any(lane.working for lane in self._lanes.values()) and time.monotonic() < until:
            await asyncio.sleep(_LAST_SECONDS / 100)

    def _admit(self, lane: _Lane, length: int) -> None:
        waiting = sum(other.waiting_length for other in self._lanes.values())
        if lane.waiting < self._limits.waiting and waiting + length <= self._limits.waiting_length:
            return
        self._metrics.rejected.labels("queue_full").inc()
        raise RequestError(
            503, "busy", "too many requests are waiting; try again in a moment", lane.retry_after()
        )


def _lane_of(job: TextJob, length: int) -> str:
    if job.task == "fix":
        return "fix"
    read = length * _READS.get(job.task, 1.0)
    if read > _MEDIUM:
        return "long"
    return "short" if job.task == "check" and read <= _SHORT else "medium"


class _Lane:
    """A queue and the thread that processes it."""

    def __init__(self, name: str, passes: PipelinePool, batch: int, metrics: Metrics) -> None:
        self._passes = passes
        self._batch = batch
        self._metrics = metrics
        self._queue: deque[_Ticket] = deque()
        self._changed = threading.Condition()
        self._closing = False
        self._pace = 0.01
        self.waiting_length = 0
        self.rank = _RANKS.get(name, max(_RANKS.values()) + 1)
        self._thread = threading.Thread(target=self._work, name=f"unslant-{name}", daemon=True)

    @property
    def waiting(self) -> int:
        """The number of waiting requests."""
        return len(self._queue)

    @property
    def alive(self) -> bool:
        """Whether the thread is working."""
        return self._thread.is_alive() and not self._closing

    @property
    def working(self) -> bool:
        """Whether the thread has not ended yet."""
        return self._thread.is_alive()

    def retry_after(self) -> int:
        """Return the seconds until the queue should be empty, judging by the last batches."""
        return max(1, min(_LONGEST_WAIT, math.ceil(self._pace * len(self._queue))))

    def start(self) -> None:
        """Start working."""
        self._thread.start()

    def put(self, ticket: _Ticket) -> None:
        """Add a request."""
        with self._changed:
            self._queue.append(ticket)
            self.waiting_length += ticket.length
            self._changed.notify()

    def close(self) -> None:
        """Let the thread end when the queue is empty; do not wait for it."""
        with self._changed:
            self._closing = True
            self._changed.notify()

    def _work(self) -> None:
        while tickets := self._take():
            began = time.perf_counter()
            self._run([ticket for ticket in tickets if not ticket.cancelled])
            pace = (time.perf_counter() - began) / len(tickets)
            self._pace += 0.2 * (pace - self._pace)

    def _take(self) -> list[_Ticket]:
        """Wait for requests and return those of the next batch; an empty list means that it is time to stop."""
        with self._changed:
            self._changed.wait_for(lambda: self._queue or self._closing)
            taken: list[_Ticket] = []
            length = 0
            while self._queue and len(taken) < self._batch:
                if taken and length + self._queue[0].length > _BATCH_LENGTH:
                    break
                taken.append(self._queue.popleft())
                length += taken[-1].length
            self.waiting_length -= length
            return taken

    def _run(self, tickets: Sequence[_Ticket]) -> None:
        """Answer these requests, batching those with equal jobs."""
        while tickets:
            job = tickets[0].order.job
            self._run_batch([ticket for ticket in tickets if ticket.order.job == job])
            tickets = [ticket for ticket in tickets if ticket.order.job != job]

    def _run_batch(self, tickets: Sequence[_Ticket]) -> None:
        texts = [text for ticket in tickets for text in ticket.order.texts]
        began = time.perf_counter()
        try:
            results = iter(
                self._passes.run(
                    tickets[0].order.job,
                    texts,
                    lambda: not all(ticket.cancelled for ticket in tickets),
                    rank=self.rank,
                )
            )
        except Cancelled:
            return
        except Exception as error:
            for ticket in tickets:
                _fail(ticket, error)
            return
        self._metrics.batch_seconds.observe(time.perf_counter() - began)
        self._metrics.batch_texts.observe(len(texts))
        for ticket in tickets:
            _finish(ticket, [next(results) for _ in ticket.order.texts])


def _finish(ticket: _Ticket, results: Sequence[object]) -> None:
    try:
        answer = dumps(ticket.order.build_response(results)).encode("ascii")
    except Exception as error:
        _fail(ticket, error)
    else:
        _resolve(ticket, answer)


def _fail(ticket: _Ticket, error: Exception) -> None:
    if not isinstance(error, RequestError):
        log_failure("a batch failed", error)
        error = RequestError(500, "internal", "internal error: this is a bug in unslant")
    _resolve(ticket, error)


def _resolve(ticket: _Ticket, outcome: bytes | Exception) -> None:
    def resolve() -> None:
        if ticket.answer.done():
            return
        if isinstance(outcome, Exception):
            ticket.answer.set_exception(outcome)
        else:
            ticket.answer.set_result(outcome)

    loop = ticket.answer.get_loop()
    if not loop.is_closed():
        loop.call_soon_threadsafe(resolve)


_KEPT = 4
"""How many pipelines to keep, in addition to the one with the server's own settings."""


class Cancelled(Exception):
    """Nobody is waiting for this batch any more."""


class PipelinePool:
    """The pipelines of a server, each built once."""

    def __init__(self, spec: Spec, turns: Turns | None = None) -> None:
        self._local = threading.local()
        self._lock = threading.Lock()
        self._turns = turns or Turns()
        self._stopping = False
        self._own = TextJob(spec), self._pipeline(spec.without_rewriter())
        self._others: OrderedDict[TextJob, Any] = OrderedDict()

    def stop(self) -> None:
        """Give up what is running: it raises ``Cancelled`` at its next step."""
        self._stopping = True

    def run(
        self,
        job: TextJob,
        texts: Sequence[SentText],
        wanted: Callable[[], bool],
        *,
        rank: int = 0,
    ) -> list[Result]:
        """Return one result per text, in order; raise ``Cancelled`` as soon as ``wanted`` returns False.

        A text that cannot be parsed, or that makes a component fail, gets an error; the others are not affected. A pass
        gives way to requests of lower ranks.
        """
        self._local.wanted = wanted
        self._local.rank = rank
        self._local.began = time.perf_counter()
        documents = [_read(text) for text in texts]
        readable = [document for document in documents if isinstance(document, Document)]
        done = iter(self._pass(job, readable))
        return [next(done) if isinstance(document, Document) else document for document in documents]

    def _pass(self, job: TextJob, documents: Sequence[Document]) -> list[Result]:
        try:
            run = self._runner(job)
        except InputError as error:  # the server of a language model may be gone
            return [RequestError(422, "not_checkable", str(error)) for _ in documents]
        try:
            return list(run(documents))
        except Cancelled:
            raise
        except UnslantError as error:
            if len(documents) == 1:
                return [RequestError(422, "not_checkable", str(error))]
        except Exception:
            if len(documents) <= 1:
                raise
        return [self._run_alone(run, document) for document in documents]

    def _run_alone(self, run: Callable[[Iterable[Document]], Iterable[Result]], document: Document) -> Result:
        """Process one text by itself, because one of the batch makes the whole batch fail."""
        try:
            return next(iter(run([document])))
        except Cancelled:
            raise
        except Exception as error:
            log_failure("a text could not be checked", error)
            return RequestError(500, "internal", "internal error: this is a bug in unslant")

    def _runner(self, job: TextJob) -> Callable[[Iterable[Document]], Iterable[Result]]:
        """Return the function that processes documents; a new one replaces the least recently used."""
        if job == self._own[0]:
            return self._own[1].check
        # a fixer is not shared between threads: only one lane fixes
        with self._lock:
            found = self._others.pop(job, None) or self._build(job)
            self._others[job] = found
            if len(self._others) > _KEPT:
                self._others.popitem(last=False)
        return found

    def _build(self, job: TextJob) -> Callable[[Iterable[Document]], Iterable[Result]]:
        if job.task == "fix":
            from unslant.edits.fixer import Fixer

            spec = job.spec.with_wordings()
            return Fixer(spec, pipeline=self._pipeline(spec)).fix
        if job.task == "explain":
            from unslant.server.explaining import Explainer

            return Explainer(job.spec, self._step).explain
        if job.task == "profile":
            from unslant.server.explaining import profiles_to_dicts

            return partial(profiles_to_dicts, spec=job.spec)
        return self._pipeline(job.spec.without_rewriter()).check

    def _pipeline(self, spec: Spec) -> Pipeline:
        return Pipeline(spec, around=lambda _, analyzer: SlicedAnalyzer(analyzer, _SLICE_LENGTH, self._step))

    def _progress(self, _: int) -> None:
        self._step()

    def _step(self) -> None:
        """Check between slices of a text whether anybody still waits for it, and let others go first."""
        if self._stopping or not self._local.wanted():
            raise Cancelled
        took = time.perf_counter() - self._local.began
        self._turns.give_way(self._local.rank, _PATIENCE * took)
        self._local.began = time.perf_counter()


def _read(text: SentText) -> Document | RequestError:
    try:
        return text.read()
    except MissingExtra:
        raise
    except UnslantError as error:
        return RequestError(422, "not_readable", str(error))


_HALF = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class TextJob:
    """What to do with texts; texts with equal jobs can share a batch."""

    spec: Spec
    task: Literal["check", "fix", "explain", "profile"] = "check"


@dataclass(frozen=True, slots=True)
class SentText:
    """A text in a request."""

    source: str
    format: str = "text"
    id: str = "<text>"
    before: str = ""
    """What stands before it in its document: read, but not checked."""
    after: str = ""
    senses: WordSenses | None = None
    """What its document says about its words."""

    def __post_init__(self) -> None:
        # JSON can encode lone surrogates, which no file contains and no tokenizer accepts
        if any(not sent.isascii() and _HALF.search(sent) for sent in (self.source, self.before, self.after)):
            raise RequestError(422, "invalid", "the text contains a lone surrogate, which is not a character")

    @property
    def length(self) -> int:
        """Code points to read."""
        return len(self.before) + len(self.source) + len(self.after)

    def read(self) -> Document:
        """Return the text as a document."""
        return read(
            self.source, self.format, self.id, before=self.before, after=self.after, senses=self.senses
        )


Result = Report | Any | RequestError
"""The result for a text: a report, a rewritten text, or an error."""


@dataclass(frozen=True, slots=True, eq=False)
class EngineRequest:
    """A validated request: the texts, and how to build the response."""

    job: TextJob
    texts: Sequence[SentText]
    build_response: Callable[[Sequence[Result]], dict[str, Any]]
    """Builds the response from one result per text, in order."""

    compared_length: int = 0
    """Code points of the texts to compare with."""

    @property
    def length(self) -> int:
        """Code points of everything in the request."""
        return self.compared_length + sum(text.length for text in self.texts)


_RANKS = {"short": 0, "medium": 1}
"""The lanes that others give way to, the first of all first."""
_LONGEST_PAUSE = 0.1
"""Seconds that a text gives way at most before it reads its next slice."""


class Turns:
    """Counts the requests that are waiting for an answer, by rank.

    All requests share the cores. A text of many pages would keep them for seconds, so the passes that read it stop
    after each slice of a few sentences and give way to shorter requests that are waiting.
    """

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._waiting: Counter[int] = Counter()

    @contextmanager
    def wait_for(self, rank: int) -> Iterator[None]:
        """Wait for an answer: requests of higher ranks give way until this ends."""
        with self._changed:
            self._waiting[rank] += 1
        try:
            yield
        finally:
            with self._changed:
                self._waiting[rank] -= 1
                self._changed.notify_all()

    def give_way(self, rank: int, seconds: float) -> None:
        """Wait until nobody of a lower rank waits, but for so many seconds at most, and never for long."""
        with self._changed:
            self._changed.wait_for(
                lambda: not any(self._waiting[lower] for lower in range(rank)), min(seconds, _LONGEST_PAUSE)
            )
