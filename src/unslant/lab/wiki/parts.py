"""One part of a dump: its sentence pairs, the counts of what was left out, and where both are stored.

A part is written whole or not at all, so a killed run resumes where it stopped and nothing is written twice.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

from unslant.core.errors import InputError
from unslant.core.files import read_json
from unslant.lab.wiki.dump import PASSING, DumpError, DumpPage, DumpReader, HarvestError, Site
from unslant.lab.wiki.pairing import (
    ChangedBlock,
    differs_in_references_only,
    extract_prose,
    pair_sentences,
    split_sentences,
)
from unslant.lab.wiki.revisions import NeutralityEdit, comment_list, find_neutrality_edits
from unslant.lab.wiki.settings import HarvestSettings, filter_pair

LONGEST_SENTENCE = 3_000
"""Characters of a sentence."""


@dataclass
class PartSummary:
    """The record of a part that has been read."""

    counts: Counter[str] = field(default_factory=Counter)
    site: Site | None = None
    digest: str | None = None
    problem: dict[str, str] | None = None
    """The problem with the part, if any: ``reason`` and ``message``."""


def find_pairs(
    path: Path, settings: HarvestSettings, part: PartSummary, advance: Callable[[int], None] | None = None
) -> Iterator[dict[str, Any]]:
    """Yield the pairs of a part, as rows; ``part`` is filled on the way.

    A part that cannot be read to its end yields what came before, and says so in ``part.problem``.
    """
    reader = DumpReader(path, frozenset(settings.namespaces), advance)
    comments = comment_list(settings.comments)
    try:
        for page, revisions in reader.pages():
            part.counts["pages"] += 1
            for candidate in find_neutrality_edits(revisions, comments, settings.without, part.counts):
                yield from _pair_rows(candidate, page, reader.site, settings, part.counts)
    except DumpError as error:
        part.problem = {"reason": error.reason, "message": str(error).replace(str(path), path.name)}
    part.site, part.digest = reader.site, reader.digest
    part.counts.update({"other pages": reader.other_pages, "oversized": reader.oversized})
    part.counts = +part.counts


def _pair_rows(
    candidate: NeutralityEdit,
    page: DumpPage,
    site: Site | None,
    settings: HarvestSettings,
    counts: Counter[str],
) -> Iterator[dict[str, Any]]:
    wiki = site.name if site else "wiki"
    number = 0
    for block in candidate.blocks:
        for source, target in _pair_block(block, settings.without, counts):
            counts["pairs"] += 1
            yield {
                "id": f"{wiki}:{candidate.id}:{number}",
                "source": source,
                "target": target,
                "wiki": wiki,
                "language": site.language if site else "",
                "page": page.id,
                "title": page.title,
                "revision": candidate.id,
                "parent": candidate.parent,
                "timestamp": candidate.timestamp,
                "comment": candidate.comment,
                "licence": settings.licence,
                "attribution": _attribution(candidate, page, site),
                "split": settings.split_of(f"{wiki}:{page.id}"),
            }
            number += 1


def _pair_block(block: ChangedBlock, without: frozenset[str], counts: Counter[str]) -> list[tuple[str, str]]:
    if block.table and "table" not in without:
        counts["table"] += 1
        return []
    if differs_in_references_only(block) and "references" not in without:
        counts["references"] += 1
        return []
    before, after = split_sentences(extract_prose(block.before)), split_sentences(extract_prose(block.after))
    if before == after:
        counts["markup only"] += 1
        return []
    # what is longer is a list or a damaged text; the segmenter cuts it, and its parts are no sentences to pair
    too_long = any(len(sentence) > LONGEST_SENTENCE for sentence in (*before, *after))
    paired = None if too_long else pair_sentences(before, after)
    if paired is None:
        counts["too large"] += 1
        return []
    if not paired:
        counts["unpaired"] += 1
    kept: list[tuple[str, str]] = []
    for source, target in paired:
        left_out = filter_pair(source, target, without)
        if left_out:
            counts[left_out] += 1
        else:
            kept.append((source, target))
    return kept


def _attribution(candidate: NeutralityEdit, page: DumpPage, site: Site | None) -> str:
    """Return the attribution: the page, and the address of the edit, whose history names the authors."""
    parts = urlsplit(site.base if site else "")
    if not parts.netloc:
        return f"“{page.title}”, revision {candidate.id}"
    title = quote(page.title.replace(" ", "_"), safe="/:(),'")
    address = f"{parts.scheme}://{parts.netloc}/w/index.php?title={title}&diff={candidate.id}&oldid={candidate.parent}"
    return f"Authors of “{page.title}”, {address}"


_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}


@dataclass(frozen=True)
class PartTask:
    """A part to process, as plain data that can be sent to a worker."""

    path: str
    folder: str
    """The folder of finished parts."""
    settings: dict[str, Any]

    @property
    def name(self) -> str:
        """The name of the dump file."""
        return Path(self.path).name

    @property
    def key(self) -> str:
        """The name of the result, which depends on the file and the settings."""
        try:
            known = Path(self.path).stat()
            state = f"{known.st_size}\0{known.st_mtime_ns}"
        except OSError:
            state = "absent"
        identity = f"{self.name}\0{state}\0{HarvestSettings.from_dict(self.settings).digest()}"
        return f"{self.name[:80]}-{hashlib.sha256(identity.encode()).hexdigest()[:16]}"

    @property
    def rows(self) -> Path:
        """The file with its pairs."""
        return Path(self.folder) / f"{self.key}.jsonl"

    @property
    def record(self) -> Path:
        """The file with its counts; it is written last, so a part is finished if this file exists."""
        return Path(self.folder) / f"{self.key}.json"


def read_finished(task: PartTask) -> dict[str, Any] | None:
    """Return the record of a finished part, or None."""
    try:
        record: dict[str, Any] = read_json(task.record)
    except InputError:
        return None
    return record if task.rows.is_file() else None


def harvest_part(task: PartTask, advance: Callable[[int], None] | None = None) -> dict[str, Any]:
    """Process a part, unless it is finished, and return its record; every engine calls this."""
    if done := read_finished(task):
        return done
    part = PartSummary()
    settings = HarvestSettings.from_dict(task.settings)

    def write(file: Any) -> None:
        for row in find_pairs(Path(task.path), settings, part, advance):
            file.write(json.dumps(row, ensure_ascii=False).encode("utf-8", "surrogatepass") + b"\n")

    write_atomically(task.rows, write)
    record: dict[str, Any] = {
        "name": task.name,
        "bytes": Path(task.path).stat().st_size if Path(task.path).is_file() else None,
        "sha256": part.digest,
        "site": asdict(part.site) if part.site else None,
        "counts": dict(sorted(part.counts.items())),
        "problem": part.problem,
    }
    if part.problem and part.problem["reason"] in PASSING:
        return record  # without a commit: the next run tries again
    write_atomically(task.record, lambda file: file.write(json.dumps(record).encode()))
    return record


def write_atomically(path: Path, write: Callable[[Any], object]) -> None:
    """Write a file completely or not at all: sync it to disk, then rename it."""
    part = path.with_name(f".{path.name}.{os.getpid():x}{os.urandom(4).hex()}.tmp")
    try:
        with part.open("xb") as file:
            write(file)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    except OSError as error:
        if error.errno in _FULL:
            raise HarvestError(
                f"{path.parent}: the disk is full; make room and run the same command again, finished parts are kept"
            ) from None
        raise
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)


@contextmanager
def lock_folder(out: Path, patience: float = 10.0) -> Iterator[None]:
    """Lock a folder for one run; the lock of a run that was killed ends with it, or soon after."""
    try:
        import fcntl
    except ModuleNotFoundError:  # only where there is no such lock at all
        yield
        return
    deadline = time.monotonic() + patience
    with (out / ".lock").open("ab") as file:
        while True:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() > deadline:
                    raise HarvestError(
                        f"{out}: another harvest is writing there; wait, or choose another --output"
                    ) from None
                time.sleep(0.05)
            except OSError:  # some network file systems have no locks
                break
        yield


def read_part(task: PartTask) -> Iterator[dict[str, Any]]:
    """Yield the pairs of a finished part, in order."""
    with task.rows.open("rb") as file:
        for line in file:
            yield json.loads(line)
