"""Sentence pairs out of one part of a dump, with counts of what was left out and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

from unslant.lab.wiki.blocks import Block, differs_in_references_only
from unslant.lab.wiki.comments import comment_list
from unslant.lab.wiki.dump import DumpReader, Page, Site
from unslant.lab.wiki.filters import pair_filter
from unslant.lab.wiki.markup import prose_of, sentences_of
from unslant.lab.wiki.pairing import pair_sentences
from unslant.lab.wiki.problems import DumpError
from unslant.lab.wiki.revisions import Candidate, candidates
from unslant.lab.wiki.settings import HarvestSettings

__all__ = ["LONGEST_SENTENCE", "Part", "pairs_of"]

LONGEST_SENTENCE = 3_000
"""Characters of a sentence."""


@dataclass
class Part:
    """What is known of a part once it was read."""

    counts: Counter[str] = field(default_factory=Counter)
    site: Site | None = None
    digest: str | None = None
    problem: dict[str, str] | None = None
    """What was wrong with the part, where something was: ``reason`` and ``message``."""


def pairs_of(
    path: Path, settings: HarvestSettings, part: Part, advance: Callable[[int], None] | None = None
) -> Iterator[dict[str, Any]]:
    """Yield the pairs of a part, as rows; ``part`` is filled on the way.

    A part that cannot be read to its end yields what came before, and says so in ``part.problem``.
    """
    reader = DumpReader(path, frozenset(settings.namespaces), advance)
    comments = comment_list(settings.comments)
    try:
        for page, revisions in reader.pages():
            part.counts["pages"] += 1
            for candidate in candidates(revisions, comments, settings.without, part.counts):
                yield from _rows(candidate, page, reader.site, settings, part.counts)
    except DumpError as error:
        part.problem = {"reason": error.reason, "message": str(error).replace(str(path), path.name)}
    part.site, part.digest = reader.site, reader.digest
    part.counts.update({"other pages": reader.other_pages, "oversized": reader.oversized})
    part.counts = +part.counts


def _rows(
    candidate: Candidate, page: Page, site: Site | None, settings: HarvestSettings, counts: Counter[str]
) -> Iterator[dict[str, Any]]:
    wiki = site.name if site else "wiki"
    number = 0
    for block in candidate.blocks:
        for source, target in _paired(block, settings.without, counts):
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


def _paired(block: Block, without: frozenset[str], counts: Counter[str]) -> list[tuple[str, str]]:
    if block.table and "table" not in without:
        counts["table"] += 1
        return []
    if differs_in_references_only(block) and "references" not in without:
        counts["references"] += 1
        return []
    before, after = sentences_of(prose_of(block.before)), sentences_of(prose_of(block.after))
    if before == after:
        counts["markup only"] += 1
        return []
    paired = pair_sentences(before, after)
    if paired is None:
        counts["too large"] += 1
        return []
    if not paired:
        counts["unpaired"] += 1
    kept: list[tuple[str, str]] = []
    for source, target in paired:
        # what is longer is a list or a damaged text, and comparing it word by word takes long
        too_long = max(len(source), len(target)) > LONGEST_SENTENCE
        left_out = "too large" if too_long else pair_filter(source, target, without)
        if left_out:
            counts[left_out] += 1
        else:
            kept.append((source, target))
    return kept


def _attribution(candidate: Candidate, page: Page, site: Site | None) -> str:
    """Return who is to be named: the page, and the address of the edit, whose history names the authors."""
    parts = urlsplit(site.base if site else "")
    if not parts.netloc:
        return f"“{page.title}”, revision {candidate.id}"
    title = quote(page.title.replace(" ", "_"), safe="/:(),'")
    address = f"{parts.scheme}://{parts.netloc}/w/index.php?title={title}&diff={candidate.id}&oldid={candidate.parent}"
    return f"Authors of “{page.title}”, {address}"
