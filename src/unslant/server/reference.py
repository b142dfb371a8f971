"""The reference of the server as a page: made from the OpenAPI document, without a script, everything escaped."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from typing import Any

_BASE = "http://127.0.0.1:8765"
"""The address in the examples."""


def reference_page(document: Mapping[str, Any]) -> str:
    """Return the page."""
    return "".join(
        [
            '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
            '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
            '<meta name="color-scheme" content="light dark">\n<meta name="referrer" content="no-referrer">\n'
            "<title>unslant: HTTP reference</title>\n"
            '<link rel="icon" href="page/logo.svg" type="image/svg+xml">\n'
            '<link rel="stylesheet" href="page/theme.css">\n<link rel="stylesheet" href="page/docs.css">\n'
            "</head>\n<body>\n<header>\n<h1>HTTP reference</h1>\n",
            f"<p>unslant {escape(document['info']['version'])}. {escape(document['info']['summary'])} "
            "Positions count Unicode code points. A server with a token requires "
            "<code>Authorization: Bearer TOKEN</code>. The same as a document for programs: "
            '<a href="openapi.json">openapi.json</a>. <a href="./">The page to write in</a>.</p>\n</header>\n',
            *_contents(document),
            "<main>\n",
            *(part for operation in _operations(document) for part in _operation(*operation, document)),
            '<h2 id="schemas">Schemas</h2>\n',
            *(
                part
                for name, schema in sorted(document["components"]["schemas"].items())
                for part in _schema(name, schema)
            ),
            "</main>\n</body>\n</html>\n",
        ]
    )


def _operations(document: Mapping[str, Any]) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            yield method.upper(), path, operation


def _contents(document: Mapping[str, Any]) -> Iterator[str]:
    yield '<nav aria-label="Contents">\n<ul>\n'
    for method, path, operation in _operations(document):
        yield (
            f'<li><a href="#{escape(operation["operationId"])}"><b class="method">{method}</b> '
            f"<code>{escape(path)}</code></a> {escape(operation['description'])}</li>\n"
        )
    yield '<li><a href="#schemas">Schemas</a></li>\n</ul>\n</nav>\n'


def _operation(
    method: str, path: str, operation: Mapping[str, Any], document: Mapping[str, Any]
) -> Iterator[str]:
    name = escape(operation["operationId"])
    yield f'<section aria-labelledby="{name}">\n<h2 id="{name}"><b class="method">{method}</b> '
    yield f"<code>{escape(path)}</code></h2>\n<p>{escape(operation['description'])}</p>\n"
    media, content = next(iter(operation.get("requestBody", {}).get("content", {}).items()), ("", None))
    if content:
        yield f"<p>Takes {_type(content['schema'])} (<code>{escape(media)}</code>):</p>\n"
        for schema in content["schema"].get("anyOf", [content["schema"]]):
            title = schema["$ref"].rpartition("/")[2]
            yield from _fields(document["components"]["schemas"][title], f"Fields of {title}")
    yield from _examples(method, path, media, content)
    yield '<table>\n<caption>Responses</caption>\n<thead><tr><th scope="col">Status</th>'
    yield '<th scope="col">Meaning</th><th scope="col">Body</th></tr></thead>\n<tbody>\n'
    for status, response in sorted(operation["responses"].items()):
        body = response.get("content", {}).get("application/json", {}).get("schema")
        yield f'<tr><th scope="row">{escape(str(status))}</th><td>{escape(response["description"])}</td>'
        yield f"<td>{_type(body) if body else '<code>text</code>'}</td></tr>\n"
    yield "</tbody>\n</table>\n</section>\n"


def _examples(method: str, path: str, media: str, content: Mapping[str, Any] | None) -> Iterator[str]:
    """Yield the first example as a command, in Python and in JavaScript, and the others as JSON."""
    examples = list((content or {}).get("examples", {}).values())
    address = _BASE + path.replace("{kind}/{name}", "framing/praise-adjective").replace(
        "{name}", "edit-check"
    )
    body: Any = examples[0]["value"] if examples else None
    calls = _form_calls(address, body) if media.endswith("form-urlencoded") else _calls(method, address, body)
    for title, code in calls:
        yield f"<h3>{title}</h3>\n<pre><code>{escape(code)}</code></pre>\n"
    for example in examples[1:]:
        shown = json.dumps(example["value"], indent=2, ensure_ascii=False)
        yield f"<details>\n<summary>Example body: {escape(example['summary'])}</summary>\n"
        yield f"<pre><code>{escape(shown)}</code></pre>\n</details>\n"


def _calls(method: str, address: str, body: object) -> Sequence[tuple[str, str]]:
    if method != "POST":
        return [("curl", f"curl {address}")]
    sent = json.dumps(body, ensure_ascii=False)
    return [
        ("curl", f"curl {address} --json {shlex.quote(sent)}"),
        (
            "Python",
            "import json, urllib.request\n\n"
            f"body = json.dumps({body!r}).encode()\n"
            f'request = urllib.request.Request("{address}", body, {{"Content-Type": "application/json"}})\n'
            "print(json.load(urllib.request.urlopen(request)))",
        ),
        (
            "fetch",
            f'const answer = await fetch("{address}", {{\n  method: "POST",\n'
            '  headers: { "Content-Type": "application/json" },\n'
            f"  body: JSON.stringify({sent}),\n}});\nconsole.log(await answer.json());",
        ),
    ]


def _form_calls(address: str, fields: Mapping[str, str]) -> Sequence[tuple[str, str]]:
    sent = " ".join(f"--data-urlencode {shlex.quote(f'{name}={value}')}" for name, value in fields.items())
    return [("curl", f"curl {address} {sent}")]


def _schema(name: str, schema: Mapping[str, Any]) -> Iterator[str]:
    yield f'<section aria-labelledby="schema-{escape(name)}">\n'
    yield f'<h3 id="schema-{escape(name)}">{escape(name)}</h3>\n'
    if schema.get("description"):
        yield f"<p>{escape(schema['description'])}</p>\n"
    yield from _fields(schema, f"Fields of {name}")
    if not schema.get("properties"):
        yield f"<p>{_type(schema)}</p>\n"
    yield "</section>\n"


def _fields(schema: Mapping[str, Any], caption: str) -> Iterator[str]:
    if not schema.get("properties"):
        return
    required = schema.get("required", ())
    yield f"<table>\n<caption>{escape(caption)}</caption>\n<thead><tr>"
    yield '<th scope="col">Field</th><th scope="col">Type</th><th scope="col">Meaning</th></tr></thead>\n<tbody>\n'
    for name, part in schema["properties"].items():
        optional = "" if name in required else ' <span class="optional">optional</span>'
        yield f'<tr><th scope="row"><code>{escape(name)}</code>{optional}</th><td>{_type(part)}</td>'
        yield f"<td>{escape(part.get('description', ''))}</td></tr>\n"
    yield "</tbody>\n</table>\n"


def _type(schema: Mapping[str, Any]) -> str:
    """Return the type of a value in a few words, escaped, with links to other schemas."""
    if "$ref" in schema:
        name = escape(schema["$ref"].rpartition("/")[2])
        return f'<a href="#schema-{name}">{name}</a>'
    if "const" in schema:
        return f"<code>{escape(json.dumps(schema['const']))}</code>"
    if "enum" in schema:
        return ", ".join(f"<code>{escape(json.dumps(value))}</code>" for value in schema["enum"])
    for key in ("anyOf", "oneOf"):
        if key in schema:
            return " or ".join(map(_type, schema[key]))
    named = schema.get("type", "any value")
    if named == "array":
        return f"list of {_type(schema.get('items', {}))}"
    if named == "object" and isinstance(schema.get("properties"), Mapping):
        parts = "; ".join(
            f"<code>{escape(name)}</code>: {_type(part)}" for name, part in schema["properties"].items()
        )
        return f"object with {parts}"
    if named == "object" and isinstance(schema.get("additionalProperties"), Mapping):
        return f"object with values: {_type(schema['additionalProperties'])}"
    return escape(" or ".join(named) if isinstance(named, list) else str(named))
