"""The replies in the logs of other programs that ask models."""

from __future__ import annotations

import hashlib
import importlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from unslant.core.archives import Archive, DamagedArchive, LargeArchive
from unslant.core.files import MAX_BYTES, parse_json, quote_name, read_bytes, read_text
from unslant.lab.audit.paired import list_requests
from unslant.lab.audit.pairs import RequestPair
from unslant.lab.audit.suite import AuditError


@dataclass(frozen=True, slots=True)
class ReplyLog:
    """What a log says."""

    host: str
    model: str
    """As the host names it."""
    replies: Mapping[tuple[str, str], str]
    """By the key of the pair and the side."""

    def replies_to(self, chosen: Iterable[RequestPair]) -> dict[tuple[str, str], str]:
        """Return the replies to these requests; :class:`AuditError` where some were not asked."""
        wanted = [(pair.key, side) for pair, side, _ in list_requests(chosen)]
        missing = sum(key not in self.replies for key in wanted)
        if missing:
            raise AuditError(
                f"the log has no reply to {missing:,} of {len(wanted):,} requests; ask for the same --requests and "
                "--pairs as there"
            )
        return {key: self.replies[key] for key in wanted}


class LoggedModel:
    """Stands for the model that a host has asked; it has only a name."""

    def __init__(self, name: str, log: ReplyLog) -> None:
        self.name = name
        self._digest = hashlib.sha256(f"{log.host}\0{log.model}".encode()).hexdigest()

    def digest(self) -> str:
        """Return a digest of the name that the host gives the model."""
        return self._digest

    def generate(self, *_: object, **__: object) -> Any:
        """Refuse, because the replies are there."""
        raise AuditError(f"{self.name}: only its replies are known, so it cannot be asked")

    logprobs = generate


def read_log(path: Path) -> ReplyLog:
    """Read a log of Inspect (``.eval``, ``.json``), promptfoo (``.json``) or lm-eval (``samples_….jsonl``)."""
    try:
        if path.suffix == ".eval":
            return _read_inspect(*_unzip(path))
        if path.suffix == ".jsonl":
            lines = [line for line in read_text(path, AuditError).split("\n") if line.strip()]
            return _read_lm_eval(path, [parse_json(line, quote_name(path), AuditError) for line in lines])
        data = parse_json(read_text(path, AuditError), quote_name(path), AuditError)
        if "samples" in data:
            return _read_inspect(data, data["samples"])
        return _read_promptfoo(data)
    except (KeyError, TypeError, AttributeError, IndexError, StopIteration):
        raise AuditError(
            f"{quote_name(path)}: not a log of Inspect, promptfoo or lm-eval with replies to the requests of unslant"
        ) from None


def _unzip(path: Path) -> tuple[Mapping[str, Any], list[Mapping[str, Any]]]:
    with suppress(ModuleNotFoundError):  # comes with Inspect, and teaches zipfile the compression of its logs
        importlib.import_module("zipfile_zstd")
    name = quote_name(path)
    try:
        archive = Archive(read_bytes(path, AuditError), MAX_BYTES)
        samples = sorted(
            each for each in archive.names if each.startswith("samples/") and each.endswith(".json")
        )
        header, *rest = (
            parse_json(archive.read(each), f"{name}: {each}", AuditError)
            for each in ("header.json", *samples)
        )
        return header, rest
    except LargeArchive:
        raise AuditError(f"{name}: too large; write the log with fewer samples") from None
    except DamagedArchive as error:
        raise AuditError(
            f"{name}: cannot be read ({error}); write it as JSON with 'inspect log convert --to json'"
        ) from None


def _read_inspect(header: Mapping[str, Any], samples: Sequence[Mapping[str, Any]]) -> ReplyLog:
    rows = (
        (
            sample["metadata"],
            sample["output"]["choices"][0]["message"]["content"] if sample["output"]["choices"] else "",
        )
        for sample in samples
    )
    return ReplyLog("Inspect", str(header["eval"]["model"]), _by_request(rows, _text_of))


def _text_of(content: Any) -> str:
    if isinstance(content, str):
        return content
    return "".join(str(part["text"]) for part in content if part.get("type") == "text")


def _read_promptfoo(data: Mapping[str, Any]) -> ReplyLog:
    results = data["results"]["results"]
    models = {str(result["provider"]["id"]) for result in results}
    if len(models) > 1:
        raise AuditError(f"the log has replies of {len(models)} providers; run promptfoo for one of them")
    rows = ((result["vars"], (result.get("response") or {}).get("output") or "") for result in results)
    return ReplyLog("promptfoo", next(iter(models)), _by_request(rows, str))


def _read_lm_eval(path: Path, samples: Sequence[Mapping[str, Any]]) -> ReplyLog:
    rows = ((sample["doc"], sample["filtered_resps"][0]) for sample in samples)
    return ReplyLog("lm-eval", path.parent.name, _by_request(rows, str))


def _by_request(
    rows: Iterator[tuple[Mapping[str, Any], Any]], read: Callable[[Any], str]
) -> dict[tuple[str, str], str]:
    found: dict[tuple[str, str], str] = {}
    for about, content in rows:
        # of several replies to a request the first counts, as in a run of unslant
        found.setdefault((str(about["key"]), str(about["side"])), read(content))
    return found
