"""Fetching for real, from a server on loopback."""

from __future__ import annotations

import hashlib
import io
import threading
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from unslant.lab.corpora.catalogue import Card, DataFile, fetch, missing_files
from unslant.lab.corpora.tables import CorpusError

BODY = bytes(range(256)) * 2000


@dataclass
class Publisher:
    """What the server offers, how it behaves, and what it was asked."""

    address: str = ""
    files: dict[str, bytes] = field(default_factory=dict)
    break_after: int | None = None
    ranges: bool = True
    asked: list[tuple[str, str | None]] = field(default_factory=list)


@pytest.fixture
def publisher() -> Iterator[Publisher]:
    state = Publisher(files={"/a.csv": BODY})

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked = self.headers.get("Range")
            state.asked.append((self.path, asked))
            body = state.files.get(self.path)
            if body is None:
                self.send_error(404)
                return
            start = int(asked.removeprefix("bytes=").rstrip("-")) if asked and state.ranges else 0
            if start >= len(body):
                self.send_error(416)
                return
            self.send_response(206 if start else 200)
            self.send_header("Content-Length", str(len(body) - start))
            self.end_headers()
            self.wfile.write(body[start : state.break_after])

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    state.address = f"http://127.0.0.1:{server.server_port}"
    yield state
    server.shutdown()
    server.server_close()
    thread.join()


def card_of(*files: DataFile) -> Card:
    return Card("own", "Own", "c", "CC0", "https://example.org/own", "", "own", files)


def offered(publisher: Publisher, name: str = "a.csv", body: bytes = BODY) -> DataFile:
    return DataFile(name, hashlib.sha256(body).hexdigest(), f"{publisher.address}/{name}")


def test_a_file_is_fetched_once_with_progress(publisher: Publisher, tmp_path: Path) -> None:
    card, seen = card_of(offered(publisher)), []
    (item,) = fetch(card, tmp_path / "own", lambda *told: seen.append(told))
    assert item.fresh
    assert item.path.read_bytes() == BODY
    assert seen[-1] == ("a.csv", len(BODY), len(BODY))
    assert missing_files(card, tmp_path / "own") == []
    (again,) = fetch(card, tmp_path / "own")
    assert not again.fresh
    assert len(publisher.asked) == 1


def test_an_interrupted_fetch_goes_on_where_it_stopped(publisher: Publisher, tmp_path: Path) -> None:
    publisher.break_after = 100_000
    with pytest.raises(CorpusError, match="try again to continue where it stopped"):
        list(fetch(card_of(offered(publisher)), tmp_path))
    assert not (tmp_path / "a.csv").exists()
    have = (tmp_path / "a.csv.part").stat().st_size
    assert 0 < have <= 100_000
    publisher.break_after = None
    list(fetch(card_of(offered(publisher)), tmp_path))
    assert (tmp_path / "a.csv").read_bytes() == BODY
    assert publisher.asked[-1] == ("/a.csv", f"bytes={have}-")


def test_a_server_without_ranges_starts_again(publisher: Publisher, tmp_path: Path) -> None:
    publisher.ranges = False
    (tmp_path / "a.csv.part").write_bytes(BODY[:5000])
    list(fetch(card_of(offered(publisher)), tmp_path))
    assert (tmp_path / "a.csv").read_bytes() == BODY


def test_a_whole_part_needs_nothing_more(publisher: Publisher, tmp_path: Path) -> None:
    (tmp_path / "a.csv.part").write_bytes(BODY)
    list(fetch(card_of(offered(publisher)), tmp_path))
    assert (tmp_path / "a.csv").read_bytes() == BODY


def test_a_wrong_digest_is_thrown_away(publisher: Publisher, tmp_path: Path) -> None:
    file = replace(offered(publisher), sha256="0" * 64)
    with pytest.raises(CorpusError, match="is not the file that was expected"):
        list(fetch(card_of(file), tmp_path))
    assert list(tmp_path.iterdir()) == []


def test_a_file_inside_an_archive(publisher: Publisher, tmp_path: Path) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("deposit/data/one.tsv", "one")
        archive.writestr("deposit/data/two.tsv", "two")
    publisher.files["/data.zip"] = packed.getvalue()
    url = f"{publisher.address}/data.zip"
    files = [
        DataFile(name, hashlib.sha256(body).hexdigest(), url, member=f"data/{name}")
        for name, body in (("one.tsv", b"one"), ("two.tsv", b"two"))
    ]
    list(fetch(card_of(*files), tmp_path))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["one.tsv", "two.tsv"]
    assert len(publisher.asked) == 1
    with pytest.raises(CorpusError, match=r"holds no data/three.tsv"):
        list(fetch(card_of(DataFile("three.tsv", None, url, member="data/three.tsv")), tmp_path))
    publisher.files["/broken.zip"] = packed.getvalue()[:40]
    with pytest.raises(CorpusError, match="truncated archive"):
        list(
            fetch(
                card_of(DataFile("x.tsv", None, f"{publisher.address}/broken.zip", member="x.tsv")), tmp_path
            )
        )


def test_what_cannot_be_had_says_where_to_put_the_files(publisher: Publisher, tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="the server says 404"):
        list(fetch(card_of(offered(publisher, "none.csv")), tmp_path))
    with pytest.raises(CorpusError) as caught:
        list(fetch(card_of(DataFile("b.csv")), tmp_path / "own"))
    assert str(caught.value).endswith(f"see https://example.org/own and put it into {tmp_path / 'own'}")
    nobody = DataFile("c.csv", None, "http://127.0.0.1:9/c.csv")
    with pytest.raises(CorpusError, match=f"put the files of own into {tmp_path} yourself"):
        list(fetch(card_of(nobody), tmp_path))
    with pytest.raises(CorpusError, match="is not a web address"):
        list(fetch(card_of(DataFile("d.csv", None, "file:///etc/hostname")), tmp_path))


def test_what_is_optional_and_not_offered_is_left(publisher: Publisher, tmp_path: Path) -> None:
    found = list(fetch(card_of(offered(publisher), DataFile("b.csv", optional=True)), tmp_path))
    assert [item.file for item in found] == ["a.csv"]
