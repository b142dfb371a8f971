"""Page histories from the API of a wiki, for small jobs, written as parts of a dump.

Requests are sent one at a time, with a user agent that identifies the user, and wait if the server lags
(``maxlag``) or asks for it. Nothing is fetched twice: neither a finished page nor the responses of an interrupted one.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import time
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from http.client import HTTPException
from pathlib import Path
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import quote, urlencode, urlsplit
from urllib.request import Request, urlopen
from xml.sax.saxutils import escape, quoteattr

from unslant.lab.wiki.dump import HarvestError
from unslant.lab.wiki.parts import write_atomically
from unslant.version import VERSION

_BUSY = {429, 500, 502, 503, 504}
_LONGEST_WAIT = 300.0


@dataclass(frozen=True)
class WikiApi:
    """The address of the API, and the user's contact."""

    url: str
    """Such as ``https://en.wikipedia.org/w/api.php``."""
    contact: str
    """An e-mail address or page, so that the operators of the wiki can reach the user."""
    maxlag: int = 5
    """Seconds that the wiki's replicas may lag before we wait."""
    tries: int = 6
    pause: float = 1.0
    """Seconds to wait after the first refusal; doubled after each further one."""

    def __post_init__(self) -> None:
        if urlsplit(self.url).scheme not in ("http", "https"):
            raise HarvestError(
                f"{self.url}: not the address of an API; try https://en.wikipedia.org/w/api.php"
            )
        if not self.contact.strip() or not self.contact.isascii() or not self.contact.isprintable():
            raise HarvestError(
                "--contact: give a mail address or a page, so that the wiki's operators can reach you"
            )


def fetch_histories(api: WikiApi, titles: Sequence[str], folder: Path) -> list[Path]:
    """Write the history of each page as a part of a dump, and return the parts in order."""
    folder.mkdir(parents=True, exist_ok=True)
    paths: list[Path] = []
    for title in dict.fromkeys(titles):
        known = hashlib.sha256(f"{api.url}\0{title}".encode()).hexdigest()[:12]
        path = folder / f"{quote(title, safe='')[:60]}-{known}.xml"
        if not path.is_file():
            _fetch(api, title, path)
        paths.append(path)
    return paths


def _fetch(api: WikiApi, title: str, path: Path) -> None:
    """Store each response until the last has arrived, then join them."""
    answers: list[Path] = []
    follow: dict[str, str] | None = {}
    while follow is not None:
        kept = path.with_name(f"{path.stem}.{len(answers)}.answer")
        if not kept.is_file():
            answer = _ask(api, {**_query(api, title), **follow})
            stored = {"follow": answer.get("continue"), "xml": _xml(api, title, answer, bool(answers))}
            content = json.dumps(stored).encode()
            write_atomically(kept, lambda file, content=content: file.write(content))  # type: ignore[misc]
        answers.append(kept)
        follow = json.loads(kept.read_text("utf-8"))["follow"]

    def write(file: Any) -> None:
        for kept in answers:
            file.write(json.loads(kept.read_text("utf-8"))["xml"].encode("utf-8", "replace"))
        file.write(b"  </page>\n</mediawiki>\n")

    write_atomically(path, write)
    for kept in answers:
        kept.unlink()


def _xml(api: WikiApi, title: str, answer: Mapping[str, Any], begun: bool) -> str:
    (page,) = answer["query"]["pages"]
    if page.get("missing") or page.get("invalid"):
        raise HarvestError(f"{title}: {api.url} has no page of this name; check the spelling")
    head = "" if begun else _head(answer["query"].get("general", {}), page)
    return head + "".join(map(_revision, page.get("revisions", ())))


def _query(api: WikiApi, title: str) -> dict[str, str]:
    """Return the query for all revisions of a page, oldest first."""
    return {
        "action": "query",
        "format": "json",
        "formatversion": "2",
        "maxlag": str(api.maxlag),
        "titles": title,
        "prop": "revisions",
        "rvprop": "ids|timestamp|user|comment|content|contentmodel|sha1",
        "rvslots": "main",
        "rvdir": "newer",
        "rvlimit": "50",
        "meta": "siteinfo",
        "siprop": "general",
    }


def _ask(api: WikiApi, query: Mapping[str, str]) -> dict[str, Any]:
    """Send a request, and repeat it after a while if the server is busy or lags."""
    request = Request(  # noqa: S310 (the scheme was checked)
        f"{api.url}?{urlencode(query)}",
        headers={
            "User-Agent": f"unslant/{VERSION} ({api.contact})",
            "Accept": "application/json",
            "Accept-Encoding": "gzip",
        },
    )
    why, wait = "", 0.0
    for attempt in range(api.tries):
        if attempt:
            time.sleep(min(_LONGEST_WAIT, max(wait, api.pause * 2 ** (attempt - 1))))
        wait = 0.0
        try:
            with urlopen(request, timeout=60) as response:  # noqa: S310
                answer = _read_answer(response)
                wait = _seconds(response.headers.get("Retry-After"))  # comes with maxlag, too
        except HTTPError as error:
            with error:
                why, wait = f"answer {error.code}", _seconds(error.headers.get("Retry-After"))
            if error.code not in _BUSY:
                break
            continue
        except (URLError, HTTPException, OSError, EOFError, ValueError, zlib.error) as error:
            why = f"{getattr(error, 'reason', error)}"
            continue
        code = answer.get("error", {}).get("code")
        if code is None and "query" in answer:
            return answer
        why = f"{code or 'no answer'}: {answer.get('error', {}).get('info', '')}"
        if code not in ("maxlag", "ratelimited", "readonly"):
            break
    raise HarvestError(
        f"{api.url}: {why}; the downloads so far are kept; run the same command again to continue"
    )


def _read_answer(response: Any) -> dict[str, Any]:
    body = response.read()
    packed = response.headers.get("Content-Encoding") == "gzip"
    answer: dict[str, Any] = json.loads(gzip.decompress(body) if packed else body)
    return answer


def _seconds(value: str | None) -> float:
    return float(value) if value and value.isdigit() else 0.0


def _head(general: Mapping[str, Any], page: Mapping[str, Any]) -> str:
    return (
        f'<mediawiki version="0.11" xml:lang={quoteattr(str(general.get("lang", "")))}>\n  <siteinfo>\n'
        f"    <dbname>{escape(str(general.get('wikiid', 'wiki')))}</dbname>\n"
        f"    <base>{escape(str(general.get('base', '')))}</base>\n  </siteinfo>\n  <page>\n"
        f"    <title>{escape(page['title'])}</title>\n"
        f"    <ns>{int(page['ns'])}</ns>\n    <id>{int(page['pageid'])}</id>\n"
    )


def _revision(revision: Mapping[str, Any]) -> str:
    slot = revision.get("slots", {}).get("main", {})
    text = '<text bytes="0" deleted="deleted" />'
    if "content" in slot:
        text = f'<text xml:space="preserve">{escape(slot["content"])}</text>'
    comment = "" if "comment" in revision else '<comment deleted="deleted" />'
    who = "" if "user" in revision else '<contributor deleted="deleted" />'
    return (
        f"    <revision>\n      <id>{int(revision['revid'])}</id>\n"
        f"      <parentid>{int(revision.get('parentid', 0))}</parentid>\n"
        f"      <timestamp>{escape(revision['timestamp'])}</timestamp>\n"
        f"      {who or '<contributor><username>' + escape(revision['user']) + '</username></contributor>'}\n"
        f"      {comment or '<comment>' + escape(revision['comment']) + '</comment>'}\n"
        f"      <model>{escape(slot.get('contentmodel', 'wikitext'))}</model>\n      {text}\n"
        f"      <sha1>{escape(revision.get('sha1', ''))}</sha1>\n    </revision>\n"
    )
