"""The reference at /docs: from the OpenAPI document, without a script, and its examples work."""

from __future__ import annotations

import html
import json
import re
import shlex

import pytest

from unslant.server.reference import reference_page

from .conftest import Server


@pytest.fixture(scope="module")
def page(server: Server) -> str:
    answer = server.client.get("/docs")
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert "script-src 'self'" in answer.headers["content-security-policy"]
    return answer.text


def test_it_has_no_script_and_nothing_inline(page: str) -> None:
    assert not re.search(r"<script|<style|\sstyle=|\son\w+=|javascript:", page)


def test_every_operation_and_every_schema_has_its_place(server: Server, page: str) -> None:
    document = server.client.get("/openapi.json").json()
    for operations in document["paths"].values():
        for operation in operations.values():
            assert f'id="{operation["operationId"]}"' in page
    for name in document["components"]["schemas"]:
        assert f'id="schema-{name}"' in page
    anchors = set(re.findall(r'href="#([\w-]+)"', page))
    assert anchors <= set(re.findall(r'id="([\w-]+)"', page))


def test_what_it_loads_is_there(server: Server, page: str) -> None:
    for path in re.findall(r'<link[^>]*href="([^"]+)"', page):
        assert server.client.get(f"/{path}").status_code == 200


def test_the_examples_work(server: Server, page: str) -> None:
    codes = [html.unescape(code) for code in re.findall(r"<pre><code>(.*?)</code></pre>", page, re.DOTALL)]
    commands = [shlex.split(code) for code in codes if code.startswith("curl ")]
    assert len(commands) >= 10
    for command in commands:
        path = command[1].removeprefix("http://127.0.0.1:8765")
        if "--data-urlencode" in command:
            fields = dict(field.split("=", 1) for field in command[3::2])
            answer = server.client.post(path, data=fields)
        else:
            sent = json.loads(command[3]) if len(command) > 2 else None
            answer = server.post(path, sent) if sent is not None else server.client.get(path)
        # the server of the tests runs no model
        assert answer.status_code == (422 if path == "/v1/explain" else 200), path
    assert all(compile(code, "example", "exec") for code in codes if code.startswith("import json"))
    assert sum("await fetch(" in code for code in codes) >= 5


def test_whatever_is_in_the_document_is_escaped() -> None:
    evil = "<script>alert(1)</script>"
    operation = {"operationId": "x", "description": evil, "responses": {"200": {"description": evil}}}
    document = {
        "info": {"version": evil, "summary": evil},
        "paths": {f"/{evil}": {"get": operation}},
        "components": {"schemas": {evil: {"description": evil, "properties": {evil: {"enum": [evil]}}}}},
    }
    assert "<script" not in reference_page(document)
