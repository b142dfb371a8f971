"""A server for agents that speak the Model Context Protocol: check, fix, compare, explain and list rules.

The tools are plain functions; ``make_server`` registers them with the official package. Results have the forms of the
command line. A text longer than the limit is refused with a sentence that says so.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from unslant.api import check as check_text
from unslant.api import fix as fix_text
from unslant.core.errors import InputError, MissingExtra, UnknownName, UnslantError
from unslant.core.taxonomy import technique_of_rule
from unslant.report.listings import explain_rule, explain_technique, list_rules, rule_to_dict
from unslant.rules.analyzer import rules_for
from unslant.spec import TIERS, Spec, selects
from unslant.text.reading import read
from unslant.version import VERSION
from unslant.workspace.compare import compare_reports, comparisons_to_dict

LONGEST = 200_000
"""How many characters a text may have."""

_ABOUT = (
    "Finds slanted wording in English text, says why it slants, and offers neutral wording. "
    "Findings are suggestions to an editor, not verdicts about people."
)


class Tools:
    """The tools, with the settings that they share."""

    def __init__(self, tier: str = "all", longest: int = LONGEST) -> None:
        self._spec = Spec(analyzers=TIERS[tier])
        self._longest = longest

    def check(self, text: str, format: str = "text") -> dict[str, Any]:  # noqa: A002
        """Find slanted wording in a text. ``format`` names the markup, such as text, markdown, html or wikitext."""
        self._bound(text)
        return check_text(text, format=format, spec=self._spec).to_dict()

    def fix(self, text: str, format: str = "text", unsafe: bool = False) -> dict[str, Any]:  # noqa: A002
        """Reword slanted sentences and keep the facts. ``unsafe`` also makes edits that an editor should look at."""
        self._bound(text)
        fixed = fix_text(text, format=format, unsafe=unsafe, spec=self._spec)
        return {"text": fixed.text, **fixed.to_dict()}

    def compare(self, old: str, new: str, format: str = "text") -> dict[str, Any]:  # noqa: A002
        """Say which findings a change from one version of a text to another introduces and resolves."""
        self._bound(old)
        self._bound(new)
        before, after = (check_text(read(text, format), spec=self._spec) for text in (old, new))
        return comparisons_to_dict(compare_reports({"<text>": before}, {"<text>": after}))

    def explain(self, rule: str) -> str:
        """Explain a rule: what it looks for, why, and sentences that it flags and leaves alone."""
        named = technique_of_rule(rule)
        if named is not None:
            return explain_technique(named)
        known = {each.id: each for each in rules_for(self._spec)}
        if rule not in known:
            raise UnknownName("rule", rule, known)
        return explain_rule(known[rule])

    def rules(self, selector: str = "") -> list[dict[str, Any]]:
        """List the rules, or those of a kind, a dimension or a pattern such as framing/*."""
        return [
            rule_to_dict(rule)
            for rule in rules_for(self._spec)
            if not selector or selects(selector, rule.id, rule.kind, rule.dimension)
        ]

    def catalogue(self) -> str:
        """Return the list of all rules as text."""
        return list_rules(rules_for(self._spec))

    def _bound(self, text: str) -> None:
        if len(text) > self._longest:
            raise InputError(
                f"the text has {len(text):,} characters, more than the {self._longest:,} allowed; send it in parts"
            )


def make_server(tools: Tools | None = None) -> Any:
    """Return a server of the official package; ``run()`` serves standard input and output."""
    try:
        from mcp.server.mcpserver import MCPServer
        from mcp.server.mcpserver.exceptions import ToolError
    except ModuleNotFoundError as error:
        raise MissingExtra("the MCP server", "mcp", "mcp") from error
    tools = tools or Tools()
    server = MCPServer("unslant", version=VERSION, instructions=_ABOUT)

    def tell(function: Callable[..., Any]) -> Callable[..., Any]:
        """Return a tool whose errors reach the agent; the package hides the text of every other exception."""

        @functools.wraps(function)
        def told(*args: Any, **arguments: Any) -> Any:
            try:
                return function(*args, **arguments)
            except UnslantError as error:
                raise ToolError(str(error)) from error

        return told

    for function in (tools.check, tools.fix, tools.compare, tools.explain, tools.rules):
        server.tool()(tell(function))
    server.resource("unslant://rules", name="rules", mime_type="text/plain")(tools.catalogue)
    return server
