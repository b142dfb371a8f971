"""Histories from the API of a wiki, here a small one on this machine."""

from __future__ import annotations

import gzip
import json
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from tests.lab.wiki.dump_files import LEAD, PAIR, TAIL
from unslant.cli.main import main
from unslant.lab.wiki.api import WikiApi, fetch_histories
from unslant.lab.wiki.dump import HarvestError

TEXTS = [LEAD + PAIR[0] + TAIL, LEAD + PAIR[1] + TAIL, None, "More & <b>more</b>."]
COMMENTS = ["new", "NPOV & style", None, ""]


class Wiki(ThreadingHTTPServer):
    """Answers as MediaWiki does: a revision at a time, and now and then too busy."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.requests: list[dict[str, str]] = []
        self.agents: set[str] = set()
        self.refusals: list[Any] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/w/api.php"


class _Handler(BaseHTTPRequestHandler):
    server: Wiki

    def do_GET(self) -> None:
        query = {name: values[0] for name, values in parse_qs(urlsplit(self.path).query).items()}
        self.server.requests.append(query)
        self.server.agents.add(self.headers["User-Agent"])
        refusal = self.server.refusals.pop(0) if self.server.refusals else None
        wait = "0"
        if isinstance(refusal, tuple):
            refusal, wait = refusal
        if isinstance(refusal, int):
            self.send_response(refusal)
            self.send_header("Retry-After", wait)
            self.end_headers()
            return
        body = json.dumps({"error": {"code": refusal, "info": "x"}} if refusal else _answer(query)).encode()
        self.send_response(200)
        if refusal:
            self.send_header("Retry-After", wait)
        if "gzip" in self.headers["Accept-Encoding"]:
            self.send_header("Content-Encoding", "gzip")
            body = gzip.compress(body)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


def _answer(query: dict[str, str]) -> dict[str, Any]:
    general = {"lang": "en", "wikiid": "minewiki", "base": "https://mine.example.org/wiki/Main"}
    if query["titles"] == "Nowhere":
        return {"query": {"general": general, "pages": [{"title": "Nowhere", "missing": True}]}}
    place = int(query.get("rvcontinue", "0"))
    revision: dict[str, Any] = {
        "revid": 10 + place,
        "parentid": 9 + place,
        "timestamp": f"2024-01-0{1 + place}T00:00:00Z",
    }
    text, comment = TEXTS[place], COMMENTS[place]
    slot: dict[str, Any] = {"contentmodel": "wikitext", "contentformat": "text/x-wiki"}
    revision |= (
        {"user": "Ada", "sha1": f"{place}"} if text is not None else {"userhidden": True, "sha1hidden": True}
    )
    revision |= {"comment": comment} if comment is not None else {"commenthidden": True}
    slot |= {"content": text} if text is not None else {"texthidden": True}
    page = {
        "pageid": 5,
        "ns": 0,
        "title": query["titles"],
        "revisions": [{**revision, "slots": {"main": slot}}],
    }
    answer: dict[str, Any] = {"query": {"general": general, "pages": [page]}}
    if place + 1 < len(TEXTS):
        answer["continue"] = {"rvcontinue": str(place + 1), "continue": "||"}
    return answer


@pytest.fixture
def wiki() -> Iterator[Wiki]:
    with Wiki() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def test_the_command_harvests_from_the_api(wiki: Wiki, tmp_path: Path) -> None:
    out = tmp_path / "out"
    command = [
        "harvest",
        "--api",
        wiki.url,
        "--page",
        "A & B",
        "--contact",
        "me@example.org",
        "--output",
        str(out),
    ]
    result = CliRunner().invoke(main, command)
    assert result.exit_code == 0, result.output
    (row,) = pq.read_table(out / "pairs.parquet").to_pylist()
    assert (row["source"], row["target"]) == PAIR
    assert (row["title"], row["comment"], row["revision"], row["wiki"]) == (
        "A & B",
        "NPOV & style",
        11,
        "minewiki",
    )
    count = len(wiki.requests)
    assert count == len(TEXTS)
    assert all("me@example.org" in agent and agent.startswith("unslant/") for agent in wiki.agents)
    assert {query["maxlag"] for query in wiki.requests} == {"5"}
    assert CliRunner().invoke(main, command).exit_code == 0
    assert len(wiki.requests) == count, "a page that was fetched is not fetched again"


@pytest.mark.parametrize("refusals", [[503, 429], ["maxlag"], ["ratelimited", 502]])
def test_a_busy_wiki_is_waited_for(wiki: Wiki, tmp_path: Path, refusals: list[Any]) -> None:
    wiki.refusals = list(refusals)
    (path,) = fetch_histories(WikiApi(wiki.url, "me@example.org", pause=0.01), ["A"], tmp_path)
    assert path.read_text().count("<revision>") == len(TEXTS)
    assert len(wiki.requests) == len(TEXTS) + len(refusals)


@pytest.mark.parametrize("refusal", [(503, "1"), ("maxlag", "1")])
def test_a_wiki_that_says_how_long_is_taken_at_its_word(wiki: Wiki, tmp_path: Path, refusal: Any) -> None:
    wiki.refusals = [refusal]
    start = time.monotonic()
    fetch_histories(WikiApi(wiki.url, "me@example.org", pause=0.01), ["A"], tmp_path)
    assert time.monotonic() - start >= 1


def test_a_page_that_was_begun_is_gone_on_with(wiki: Wiki, tmp_path: Path) -> None:
    (whole,) = fetch_histories(WikiApi(wiki.url, "me@example.org"), ["A"], tmp_path / "whole")
    wiki.requests.clear()
    wiki.refusals = [None, None, 403]
    with pytest.raises(HarvestError, match="answer 403"):
        fetch_histories(WikiApi(wiki.url, "me@example.org"), ["A"], tmp_path / "begun")
    (path,) = fetch_histories(WikiApi(wiki.url, "me@example.org"), ["A"], tmp_path / "begun")
    assert [query.get("rvcontinue") for query in wiki.requests] == [None, "1", "2", "2", "3"]
    assert path.read_bytes() == whole.read_bytes()
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize(("refusals", "asked"), [([503] * 9, 3), ([404], 1), (["badtitle"], 1)])
def test_a_wiki_that_does_not_answer_is_named_and_leaves_nothing_half(
    wiki: Wiki, tmp_path: Path, refusals: list[Any], asked: int
) -> None:
    wiki.refusals = list(refusals)
    with pytest.raises(HarvestError, match="run the same command again"):
        fetch_histories(WikiApi(wiki.url, "me@example.org", tries=3, pause=0.01), ["A"], tmp_path)
    assert len(wiki.requests) == asked
    assert list(tmp_path.iterdir()) == []


def test_what_cannot_be_requested_is_named(wiki: Wiki, tmp_path: Path) -> None:
    with pytest.raises(HarvestError, match="no page of this name"):
        fetch_histories(WikiApi(wiki.url, "me@example.org"), ["Nowhere"], tmp_path)
    with pytest.raises(HarvestError, match="--contact"):
        WikiApi(wiki.url, " ")
    with pytest.raises(HarvestError, match="not the address of an API"):
        WikiApi("file:///etc/passwd", "me@example.org")
    result = CliRunner().invoke(main, ["harvest", "--output", str(tmp_path / "out")])
    assert "name a DUMP, or use --api with --page" in result.output
