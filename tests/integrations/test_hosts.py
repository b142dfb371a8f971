"""Inside the real LiteLLM, Guardrails, polars and datasets, which are not installed with unslant.

python -m venv hosts && hosts/bin/pip install -e . pytest hypothesis litellm guardrails-ai polars datasets
hosts/bin/python -m pytest -m hosts tests/integrations
"""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import unslant
from unslant import Spec

pytestmark = [pytest.mark.hosts, pytest.mark.filterwarnings("default")]

SLANTED = "The senator slammed the plan. It failed."
NEUTRAL = "The senator criticized the plan. It failed."


MESSAGES = [{"role": "user", "content": "What happened?"}]
STYLES = ["sync", "sync stream", "async", "async stream"]


def ask(style: str, **options: Any) -> str:
    """Return the text that a caller of the SDK reads, in one of the ways to call it."""
    import litellm

    given = {"mock_response": SLANTED, "api_key": "none", **options}
    if style == "sync":
        return str(litellm.completion("openai/any", MESSAGES, **given).choices[0].message.content)
    if style == "sync stream":
        chunks = litellm.completion("openai/any", MESSAGES, stream=True, **given)
        return "".join(chunk.choices[0].delta.content or "" for chunk in chunks)

    async def read() -> str:
        answer = await litellm.acompletion("openai/any", MESSAGES, stream="stream" in style, **given)
        if "stream" not in style:
            return str(answer.choices[0].message.content)
        return "".join([chunk.choices[0].delta.content or "" async for chunk in answer])

    return asyncio.run(read())


@pytest.fixture
def guardrail() -> Iterator[Callable[..., Any]]:
    """Return what builds a guardrail and puts it to work; afterwards none is at work."""
    import litellm

    from unslant.integrations.litellm import SlantGuardrail

    def build(*args: Any, **options: Any) -> Any:
        made = SlantGuardrail(*args, **options)
        litellm.callbacks = [made]
        return made

    yield build
    litellm.callbacks = []


@pytest.mark.parametrize("named", [{}, {"guardrails": ["unslant"]}])
@pytest.mark.parametrize("style", STYLES)
def test_litellm_rewords_in_every_call_style(
    style: str, named: dict[str, Any], guardrail: Callable[..., Any]
) -> None:
    guardrail(unsafe=True)
    assert ask(style, **named) == NEUTRAL


@pytest.mark.parametrize("style", STYLES)
def test_litellm_refuses_in_every_call_style(style: str, guardrail: Callable[..., Any]) -> None:
    from litellm.exceptions import GuardrailRaisedException

    guardrail("block")
    with pytest.raises(GuardrailRaisedException, match="slammed"):
        ask(style)
    assert ask(style, mock_response="The committee met.") == "The committee met."


@pytest.mark.parametrize("style", STYLES)
def test_litellm_tells_once_in_every_call_style(style: str, guardrail: Callable[..., Any]) -> None:
    told: list[str] = []
    guardrail("tell", on_finding=lambda _, found: told.extend(one.text for one in found))
    assert ask(style) == SLANTED
    assert told == ["slammed"]


@pytest.mark.parametrize("style", STYLES)
def test_two_guardrails_of_litellm_both_work(style: str, guardrail: Callable[..., Any]) -> None:
    import litellm

    told: list[str] = []
    first = guardrail("tell", on_finding=lambda _, found: told.extend(one.text for one in found))
    litellm.callbacks = [first, guardrail(unsafe=True, guardrail_name="second")]
    assert ask(style) == NEUTRAL
    assert told == ["slammed"]


@pytest.mark.parametrize("style", STYLES)
def test_litellm_leaves_calls_alone_where_the_guardrail_is_off(
    style: str, guardrail: Callable[..., Any]
) -> None:
    guardrail(unsafe=True, default_on=False)
    assert ask(style) == SLANTED
    assert ask(style, guardrails=["unslant"]) == NEUTRAL


def test_a_function_that_was_imported_before_the_guardrail_was_built_is_guarded() -> None:
    script = (
        "from litellm import completion\n"
        "import litellm\n"
        "from unslant.integrations.litellm import SlantGuardrail\n"
        "litellm.callbacks = [SlantGuardrail(unsafe=True)]\n"
        f"answer = completion('openai/any', {MESSAGES!r}, mock_response={SLANTED!r}, api_key='none')\n"
        "print(answer.choices[0].message.content)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == NEUTRAL


def test_text_completions_and_routers_are_guarded(guardrail: Callable[..., Any]) -> None:
    import litellm

    guardrail(unsafe=True)
    answer = litellm.text_completion(
        model="openai/any", prompt="What happened?", mock_response=SLANTED, api_key="none"
    )
    assert answer.choices[0].text == NEUTRAL
    params = {"model": "openai/any", "api_key": "none", "mock_response": SLANTED}
    router = litellm.Router(model_list=[{"model_name": "any", "litellm_params": params}])
    assert router.completion("any", MESSAGES).choices[0].message.content == NEUTRAL
    chunks = router.completion("any", MESSAGES, stream=True)
    assert "".join(chunk.choices[0].delta.content or "" for chunk in chunks) == NEUTRAL


def test_calls_by_other_names_of_the_sdk_are_guarded_once(guardrail: Callable[..., Any]) -> None:
    import litellm
    from litellm.main import completion

    told: list[str] = []
    guardrail(unsafe=True, on_finding=lambda _, found: told.extend(one.text for one in found))
    mock = {"mock_response": SLANTED, "api_key": "none"}
    client = litellm.LiteLLM(api_key="none").chat.completions
    answers = [
        completion("openai/any", MESSAGES, **mock),
        client.create(model="openai/any", messages=MESSAGES, mock_response=SLANTED),
        litellm.completion("openai/any", MESSAGES, fallbacks=["openai/other"], **mock),
        litellm.completion("openai/responses/any", MESSAGES, **mock),
        *litellm.batch_completion("openai/any", [MESSAGES], **mock),
    ]
    assert [answer.choices[0].message.content for answer in answers] == [NEUTRAL] * 5
    assert told == ["slammed"] * 5


def test_a_callback_that_calls_a_model_after_the_answer_is_guarded(guardrail: Callable[..., Any]) -> None:
    """LiteLLM calls it in a task that it starts during the guarded call."""
    import litellm

    guardrail(unsafe=True)
    answers: list[str] = []

    async def run() -> None:
        done = asyncio.Event()

        async def judge(*_: Any) -> None:
            if not answers:
                answers.append("")
                answer = await litellm.acompletion(
                    "openai/any", MESSAGES, mock_response=SLANTED, api_key="none"
                )
                answers[0] = answer.choices[0].message.content
                done.set()

        litellm.success_callback = [judge]
        await litellm.acompletion("openai/any", MESSAGES, mock_response="It failed.", api_key="none")
        await asyncio.wait_for(done.wait(), 20)

    try:
        asyncio.run(run())
    finally:
        litellm.success_callback = []
        litellm._async_success_callback = []
    assert answers == [NEUTRAL]


def test_what_cannot_be_guarded_raises(guardrail: Callable[..., Any]) -> None:
    import litellm
    import litellm.google_genai

    guardrail(unsafe=True)
    mock = {"model": "openai/any", "mock_response": SLANTED, "api_key": "none"}
    calls: list[Callable[[], Any]] = [
        lambda: litellm.responses(input="What happened?", **mock),
        lambda: litellm.anthropic.messages.create(messages=MESSAGES, max_tokens=10, **mock),
        lambda: asyncio.run(litellm.anthropic.messages.acreate(messages=MESSAGES, max_tokens=10, **mock)),
        lambda: litellm.google_genai.generate_content(contents="What happened?", **mock),
        lambda: litellm.interactions.create(input="What happened?", model="gemini/any"),
    ]
    for call in calls:
        with pytest.raises(unslant.InputError, match=r"cannot be guarded; call litellm\.completion"):
            call()


def test_a_router_that_was_built_before_the_guardrail_is_guarded_or_raises() -> None:
    script = (
        "import asyncio, litellm\n"
        f"params = {{'model': 'openai/any', 'api_key': 'none', 'mock_response': {SLANTED!r}}}\n"
        "router = litellm.Router(model_list=[{'model_name': 'any', 'litellm_params': params}])\n"
        "from unslant.integrations.litellm import SlantGuardrail\n"
        "litellm.callbacks = [SlantGuardrail(unsafe=True)]\n"
        f"print(router.completion('any', {MESSAGES!r}).choices[0].message.content)\n"
        "try:\n    asyncio.run(router.aresponses(model='any', input='What happened?'))\n"
        "except Exception as error:\n    print('cannot be guarded' in str(error))\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == [NEUTRAL, "True"]


def test_litellm_streams_sentence_by_sentence_and_the_proxy_guards_once(
    guardrail: Callable[..., Any],
) -> None:
    """The proxy hands the stream of the SDK to this hook."""
    import litellm

    told: list[str] = []
    made = guardrail(unsafe=True, on_finding=lambda _, found: told.extend(one.text for one in found))

    async def collect() -> list[Any]:
        stream = await litellm.acompletion(
            "openai/any", MESSAGES, stream=True, mock_response=SLANTED, api_key="none"
        )
        passed = made.async_post_call_streaming_iterator_hook(None, stream, {})
        return [chunk async for chunk in passed]

    texts = [chunk.choices[0].delta.content or "" for chunk in asyncio.run(collect())]
    assert "".join(texts) == NEUTRAL
    assert len([text for text in texts if text]) >= 2
    assert told == ["slammed"]


def test_guardrails_fixes_or_fails() -> None:
    from guardrails import Guard
    from guardrails.errors import ValidationError

    from unslant.integrations.guardrails import NeutralWording

    fixed = Guard().use(NeutralWording(unsafe=True, on_fail="fix")).validate(SLANTED)
    assert fixed.validated_output == NEUTRAL
    strict = Guard().use(NeutralWording(on_fail="exception"))
    with pytest.raises(ValidationError, match="slammed"):
        strict.validate(SLANTED)
    assert strict.validate("The committee met.").validation_passed
    assert strict.validate("The committee met.").validated_output == "The committee met."


def test_polars_columns_are_checked() -> None:
    import polars

    rules = Spec(analyzers=("rules",))
    frame = polars.DataFrame({"text": [SLANTED, "The committee met."]})
    assert [len(report.findings) for report in unslant.check_many(frame["text"], spec=rules)] == [1, 0]
    with pytest.raises(unslant.UnslantError, match="text 1 is None"):
        unslant.check_many(polars.Series([SLANTED, None]), spec=rules)
    with pytest.raises(unslant.UnslantError, match="not DataFrame; choose one of: 'text'"):
        unslant.check_many(frame, spec=rules)


def test_reports_become_a_polars_frame() -> None:
    import polars

    reports = unslant.check_many([SLANTED, "The committee met."], spec=Spec(analyzers=("rules",)))
    frame = reports.to_polars()
    assert frame["findings"].to_list() == [1, 0]
    assert frame.schema["probability"] == polars.Float64
    assert reports.to_polars(findings=True)["text"].to_list() == ["slammed"]


def test_a_dataset_saved_by_datasets_is_scored(tmp_path: Path) -> None:
    import datasets

    from unslant.tables.sources import TableColumns, find_tables, read_rows

    texts = [f"Text {number}." for number in range(10)]
    saved = datasets.DatasetDict(
        {
            "train": datasets.Dataset.from_dict({"text": texts}).select([3, 1, 2]),
            "test": datasets.Dataset.from_dict({"text": texts}),
        }
    )
    saved.save_to_disk(tmp_path / "set", num_shards={"train": 1, "test": 2})
    loaded = datasets.load_from_disk(tmp_path / "set")
    loaded["test"].map(lambda row: {"text": row["text"].upper()})  # leaves a cache beside the data
    assert list((tmp_path / "set" / "test").glob("cache-*.arrow"))
    paths = find_tables([str(tmp_path / "set")], tmp_path / "out.csv")
    read = [row.text for path in paths for row in read_rows(path, TableColumns("text"))]
    assert read == [*texts, "Text 3.", "Text 1.", "Text 2."]
