"""Inside the real LiteLLM, Guardrails, polars and datasets, which are not installed with unslant.

python -m venv hosts && hosts/bin/pip install -e . pytest hypothesis litellm guardrails-ai polars datasets
hosts/bin/python -m pytest -m hosts tests/integrations
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

import unslant
from unslant import Spec

pytestmark = [pytest.mark.hosts, pytest.mark.filterwarnings("default")]

SLANTED = "The senator slammed the plan. It failed."
NEUTRAL = "The senator criticized the plan. It failed."


async def answer(guardrail: Any, **options: Any) -> Any:
    import litellm

    litellm.callbacks = [guardrail]
    messages = [{"role": "user", "content": "What happened?"}]
    return await litellm.acompletion(
        "openai/any", messages, mock_response=SLANTED, api_key="none", guardrails=["unslant"], **options
    )


def test_litellm_rewords_what_a_model_answers() -> None:
    from unslant.integrations.litellm import SlantGuardrail

    response = asyncio.run(answer(SlantGuardrail(unsafe=True)))
    assert response.choices[0].message.content == NEUTRAL


def test_litellm_tells_or_refuses() -> None:
    from litellm.exceptions import GuardrailRaisedException

    from unslant.integrations.litellm import SlantGuardrail

    told: list[str] = []
    guardrail = SlantGuardrail("tell", on_finding=lambda _, found: told.extend(one.text for one in found))
    assert asyncio.run(answer(guardrail)).choices[0].message.content == SLANTED
    assert told == ["slammed"]
    with pytest.raises(GuardrailRaisedException, match="slammed"):
        asyncio.run(answer(SlantGuardrail("block")))


def test_litellm_streams_sentence_by_sentence() -> None:
    """The proxy hands a stream to this hook; here the chunks come from LiteLLM's own mock."""
    from unslant.integrations.litellm import SlantGuardrail

    guardrail = SlantGuardrail(unsafe=True)

    async def passed() -> AsyncIterator[Any]:
        stream = await answer(guardrail, stream=True)
        async for chunk in guardrail.async_post_call_streaming_iterator_hook(None, stream, {}):
            yield chunk

    async def collect() -> list[Any]:
        return [chunk async for chunk in passed()]

    chunks = asyncio.run(collect())
    texts = [chunk.choices[0].delta.content or "" for chunk in chunks]
    assert "".join(texts) == NEUTRAL
    assert len([text for text in texts if text]) >= 2


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
