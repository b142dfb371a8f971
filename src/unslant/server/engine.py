"""The queue in front of the pipeline: bounded, batched, and finished before the server stops.

While a pass runs, requests gather; the next pass takes as many as may go together. So nobody waits for company, and
the busier the server, the more a pass holds. Long texts have a lane of their own, so that short ones need not wait
for them.
"""

from __future__ import annotations

import asyncio
import math
import threading
import time
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

from unslant.report.wire import dumps
from unslant.server.logs import log_failure
from unslant.server.metrics import Metrics
from unslant.server.orders import Order
from unslant.server.passes import Abandoned, Passes
from unslant.server.refusal import Refusal
from unslant.server.settings import ServerSettings

__all__ = ["Engine"]

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


class Engine:
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
