"""Limits at the very edge, and work that nobody waits for any more, without a server."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any, Literal

import pytest

from unslant.core.errors import ConfigError
from unslant.server.engine import BatchEngine, Cancelled, EngineRequest, PipelinePool, SentText, TextJob
from unslant.server.guard import BodyMemory, parse_body, receive_body
from unslant.server.handlers import check, compare, profile
from unslant.server.monitoring import Metrics, log_failure
from unslant.server.requests import RequestError
from unslant.server.settings import Limits, ServerSettings, read_limits
from unslant.spec import Spec

RULES = Spec(analyzers=("rules",))
JOB = TextJob(RULES)


def order(text: str, job: TextJob = JOB) -> EngineRequest:
    return EngineRequest(job, [SentText(text)], lambda results: {"count": len(results)})


def engine(**limits: Any) -> BatchEngine:
    return BatchEngine(ServerSettings(spec=RULES, limits=replace(Limits(), **limits)), Metrics())


async def admitted(one: BatchEngine, requests: list[EngineRequest]) -> list[str]:
    """Send requests to an engine that does not work yet, and say what became of each."""
    tasks = [asyncio.ensure_future(one.answer(request)) for request in requests]
    await asyncio.sleep(0)
    said = [
        "waits" if not task.done() else f"{task.exception().status}"  # type: ignore[union-attr]
        for task in tasks
    ]
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    return said


def test_so_many_requests_may_wait_and_no_more() -> None:
    assert asyncio.run(admitted(engine(waiting=2), [order("a")] * 3)) == ["waits", "waits", "503"]


def test_whoever_asks_for_a_profile_waits_as_well() -> None:
    """The whole text is searched for its names and terms, which takes seconds for a book."""
    one = engine(waiting=2)
    asked = [profile({"text": "A town."}, ServerSettings(spec=RULES)) for _ in range(3)]
    assert asyncio.run(admitted(one, asked)) == ["waits", "waits", "503"]


def test_so_many_characters_may_wait_and_no_more() -> None:
    long = engine(waiting_length=10)
    assert asyncio.run(admitted(long, [order("abcdef"), order("abcd")])) == ["waits", "waits"]
    assert asyncio.run(admitted(engine(waiting_length=10), [order("abcdef"), order("abcde")])) == [
        "waits",
        "503",
    ]
    three = [order("abcd")] * 3
    assert asyncio.run(admitted(engine(waiting_length=10), three)) == ["waits", "waits", "503"]
    # those of all lanes count together
    both = [order("abcdef"), order("abcde", TextJob(RULES, "fix"))]
    assert asyncio.run(admitted(engine(waiting_length=10), both)) == ["waits", "503"]


def test_a_batch_holds_only_so_much_text() -> None:
    """The third request would make a batch longer than 4,000 characters; it is read in the next."""

    async def batches(*lengths: int) -> float | None:
        metrics = Metrics()
        one = BatchEngine(ServerSettings(spec=RULES), metrics)
        asked = [asyncio.ensure_future(one.answer(order("a" * length))) for length in lengths]
        await asyncio.sleep(0)
        one.start()
        await asyncio.wait_for(asyncio.gather(*asked), 60)
        await one.close()
        return metrics.registry.get_sample_value("unslant_batch_texts_count")

    assert asyncio.run(batches(2_000, 1_000, 1_000)) == 1
    assert asyncio.run(batches(2_000, 1_000, 1_001)) == 2


def test_only_a_few_pipelines_are_kept() -> None:
    """Every request can ask for other settings; memory must not grow with them."""
    pool = PipelinePool(RULES)
    jobs = [TextJob(replace(RULES, threshold=number / 10)) for number in range(6)]
    runners = [pool._runner(job) for job in jobs]
    assert [pool._runner(job) == runner for job, runner in zip(jobs[2:], runners[2:], strict=True)] == [
        True
    ] * 4
    assert pool._runner(jobs[0]) != runners[0]


def test_what_stands_around_a_text_counts_as_well() -> None:
    settings = ServerSettings(spec=RULES, limits=replace(Limits(), text_length=4))
    assert check({"text": "ab", "before": "c", "after": "d"}, settings).length == 4
    for around in ("before", "after"):
        with pytest.raises(RequestError, match="at most 4"):
            check({"text": "ab", around: "cde"}, settings)


def test_both_texts_of_a_comparison_count() -> None:
    settings = ServerSettings(spec=RULES, limits=replace(Limits(), text_length=4))
    assert compare({"before": "ab", "after": "cd"}, settings).length == 4
    with pytest.raises(RequestError, match="at most 4"):
        compare({"before": "abc", "after": "de"}, settings)


def test_whoever_comes_back_waits_for_a_second_at_least() -> None:
    async def told() -> Any:
        one = engine(waiting=1)
        waits = asyncio.ensure_future(one.answer(order("a")))
        await asyncio.sleep(0)
        with pytest.raises(RequestError) as refused:
            await one.answer(order("a"))
        waits.cancel()
        return refused.value.headers["retry-after"]

    assert asyncio.run(told()) == "1"


def test_what_is_compared_with_counts_as_well() -> None:
    compared = replace(order("abcd"), compared_length=7)
    assert asyncio.run(admitted(engine(waiting_length=10), [compared])) == ["503"]


def test_fixing_and_checking_wait_in_different_lanes() -> None:
    both = [order("a"), order("a", TextJob(RULES, "fix"))]
    assert asyncio.run(admitted(engine(waiting=1), both)) == ["waits", "waits"]
    assert asyncio.run(admitted(engine(waiting=1), [order("a"), order("a" * 2_001)])) == ["waits", "waits"]
    assert asyncio.run(admitted(engine(waiting=1), [order("a"), order("a" * 2_000)])) == ["waits", "503"]


def test_who_asks_for_little_waits_for_no_book() -> None:
    """The profile of a text of some pages takes no longer than a check of some sentences."""
    text = "a" * 15_000
    about = order(text, TextJob(RULES, "profile"))
    assert asyncio.run(admitted(engine(waiting=1), [order(text), about])) == ["waits", "waits"]
    book = order("a" * 400_000, TextJob(RULES, "profile"))
    assert asyncio.run(admitted(engine(waiting=1), [order(text), book])) == ["waits", "503"]


@pytest.mark.parametrize("task", ["check", "fix"])
def test_a_pass_that_nobody_waits_for_is_given_up(task: Literal["check", "fix"]) -> None:
    pool = PipelinePool(RULES)
    job = TextJob(RULES, task)
    texts = [SentText("The legendary singer slammed the plan. " * 3)]
    assert len(pool.run(job, texts, lambda: True)) == 1
    with pytest.raises(Cancelled):
        pool.run(job, texts, lambda: False)
    assert len(pool.run(job, texts, lambda: True)) == 1
    pool.stop()
    with pytest.raises(Cancelled):
        pool.run(job, texts, lambda: True)


def test_an_engine_stops_without_waiting_for_its_threads() -> None:
    async def run() -> None:
        running = engine()
        running.start()
        assert await running.answer(order("The plan.")) == b'{"count": 1}'
        await running.close()
        assert not running.ready()

    asyncio.run(run())


def body(*parts: bytes) -> Callable[[], Awaitable[dict[str, Any]]]:
    messages = [{"type": "http.request", "body": part, "more_body": True} for part in parts[:-1]]
    messages.append({"type": "http.request", "body": parts[-1], "more_body": False})

    async def receive() -> dict[str, Any]:
        return messages.pop(0)

    return receive


def received(declared: int | None, *parts: bytes, **limits: Any) -> bytes | int:
    """Return the body that is received, or the status of the error."""
    chosen = replace(Limits(), **limits)
    try:
        with BodyMemory(chosen).share() as take:
            return asyncio.run(receive_body(body(*parts), declared, chosen, take))
    except RequestError as error:
        return error.status


def test_a_body_that_declares_too_much_is_refused_before_it_is_read() -> None:
    async def never() -> dict[str, Any]:
        raise AssertionError("the body was read")

    limits = Limits(body_bytes=4)
    with pytest.raises(RequestError) as refused:
        asyncio.run(receive_body(never, 5, limits, lambda _: None))
    assert refused.value.status == 413
    assert received(4, b"abcd", body_bytes=4) == b"abcd"


def test_a_body_that_declares_nothing_is_refused_when_it_grows_too_long() -> None:
    assert received(None, b"ab", b"cd", body_bytes=4) == b"abcd"
    assert received(None, b"ab", b"cde", body_bytes=4) == 413
    assert received(1, b"ab", b"cde", body_bytes=4) == 413


def test_bodies_share_their_memory_and_give_it_back() -> None:
    assert received(None, b"abcd", held_bytes=4) == b"abcd"
    assert received(None, b"abcde", held_bytes=4) == 503
    memory = BodyMemory(Limits(held_bytes=4))
    for _ in range(3):
        with memory.share() as take:
            take(4)
            with pytest.raises(RequestError):
                take(1)


def test_json_at_the_edge_of_its_limits() -> None:
    limits = replace(Limits(), depth=2, values=3)
    assert parse_body(b"[[]]", limits) == [[]]
    with pytest.raises(RequestError, match="nested"):
        parse_body(b"[[[]]]", limits)
    assert parse_body(b"[[1,1]]", replace(limits, values=4)) == [[1, 1]]
    with pytest.raises(RequestError, match="values"):
        parse_body(b"[[1,1]]", replace(limits, values=3))


def test_texts_and_items_at_the_edge_of_their_limits() -> None:
    settings = ServerSettings(spec=RULES, limits=replace(Limits(), text_length=4, items=2))
    assert check({"text": "abcd"}, settings).length == 4
    with pytest.raises(RequestError, match="at most 4"):
        check({"text": "abcde"}, settings)
    assert len(check({"items": [{"text": "a"}] * 2}, settings).texts) == 2
    with pytest.raises(RequestError, match="at most 2"):
        check({"items": [{"text": "a"}] * 3}, settings)


def test_lone_surrogates_are_refused() -> None:
    for broken in ({"source": "a \ud800"}, {"before": "\udfff"}, {"after": "a\ud83d"}):
        with pytest.raises(RequestError, match="surrogate"):
            SentText(**{"source": "a"} | broken)
    assert SentText("\U0001f600").source


@pytest.mark.parametrize(
    "pair", ["batch=0", "seconds=0", "seconds=-1", "seconds=inf", "seconds=nan", "batch=1e9"]
)
def test_limits_are_numbers_above_nothing(pair: str) -> None:
    with pytest.raises(ConfigError, match="--limit"):
        read_limits([pair])


def test_a_failure_is_logged_without_its_words(caplog: pytest.LogCaptureFixture) -> None:
    try:
        raise ValueError("what somebody wrote")
    except ValueError as error:
        log_failure("a batch failed", error)
    assert "ValueError at:" in caplog.text
    assert "somebody" not in caplog.text


NAMING = "The legendary singer (from Hull) slammed the plan."


@pytest.mark.parametrize("senses", [{"names": ["a" * 100] * 2_000}, {"names": ["\0", ""], "subjects": ["("]}])
def test_what_a_client_says_about_words_is_only_compared(senses: Any) -> None:
    (sent,) = check({"text": NAMING, "senses": senses}, ServerSettings(spec=RULES)).texts
    found, plain = (PipelinePool(RULES).run(JOB, [each], lambda: True) for each in (sent, SentText(NAMING)))
    assert [each.findings for each in found] == [each.findings for each in plain]


@pytest.mark.parametrize(
    "senses",
    [
        {"names": ["a"] * 2_001},
        {"defined": ["a" * 101]},
        {"names": ["\ud800"]},
        {"subjects": [1]},
        {"other": []},
        [],
    ],
    ids=range(6),
)
def test_what_a_client_says_about_words_is_bounded(senses: Any) -> None:
    with pytest.raises(RequestError) as refused:
        check({"text": NAMING, "senses": senses}, ServerSettings(spec=RULES))
    assert refused.value.status == 422
