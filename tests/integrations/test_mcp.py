"""The tools for agents, called directly and with the official client."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from unslant.core.errors import UnslantError
from unslant.integrations.mcp import Tools, make_server
from unslant.report.wire import schema

TEXT = "The senator slammed the plan."
TOOLS = Tools("rules", longest=1_000)


def test_the_tools_answer_in_the_forms_of_the_command_line() -> None:
    report = TOOLS.check(TEXT)
    Draft202012Validator(schema()).validate(report)
    assert [finding["text"] for finding in report["findings"]] == ["slammed"]
    assert TOOLS.fix(TEXT, unsafe=True)["text"] == "The senator criticized the plan."
    assert TOOLS.compare("The senator spoke.", TEXT)["summary"]["introduced"] == 1
    assert "attack-verb" in TOOLS.explain("framing/attack-verb")
    assert {rule["kind"] for rule in TOOLS.rules("framing")} == {"framing"}


def test_sizes_are_bounded_and_names_are_checked() -> None:
    for call in (lambda: TOOLS.check("a" * 1_001), lambda: TOOLS.compare("a", "a" * 1_001)):
        with pytest.raises(UnslantError, match="1,001 characters"):
            call()
    with pytest.raises(UnslantError, match="Did you mean"):
        TOOLS.explain("framing/attack-verbs")


@pytest.mark.mcp
def test_the_official_client_can_use_it() -> None:
    import mcp

    async def talk() -> tuple[set[str], Any, Any]:
        async with mcp.Client(make_server(TOOLS)) as client:
            tools = await client.list_tools()
            answer = await client.call_tool("check", {"text": TEXT})
            refused = await client.call_tool("check", {"text": "a" * 1_001})
            return {tool.name for tool in tools.tools}, answer, refused

    names, answer, refused = asyncio.run(talk())
    assert names == {"check", "fix", "compare", "explain", "rules"}
    assert json.loads(answer.content[0].text)["findings"][0]["text"] == "slammed"
    assert refused.is_error


@pytest.mark.mcp
@pytest.mark.parametrize(
    ("tool", "arguments", "said"),
    [
        ("check", {"text": "a" * 1_001}, "1,001 characters"),
        ("check", {"text": TEXT, "format": "markdwon"}, "markdown"),
        ("explain", {"rule": "framing/attack-verbs"}, "framing/attack-verb"),
    ],
)
def test_an_agent_reads_why_a_tool_failed(tool: str, arguments: dict[str, str], said: str) -> None:
    import mcp

    async def call() -> Any:
        async with mcp.Client(make_server(TOOLS)) as client:
            return await client.call_tool(tool, arguments)

    refused = asyncio.run(call())
    assert refused.is_error
    assert said in refused.content[0].text
