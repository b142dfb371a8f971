"""Small dumps, written for these tests."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from pathlib import Path
from xml.sax.saxutils import escape

HEAD = (
    '<mediawiki xmlns="http://www.mediawiki.org/xml/export-{version}/" version="{version}" xml:lang="en">\n'
    "  <siteinfo>\n    <sitename>Small</sitename>\n    <dbname>smallwiki</dbname>\n"
    "    <base>https://small.example.org/wiki/Main_Page</base>\n  </siteinfo>\n"
)


@dataclass
class Rev:
    text: str | None
    comment: str | None = ""
    user: str | None = "Ada"
    model: str = "wikitext"


@dataclass
class PageOf:
    revisions: list[Rev]
    title: str = "A page"
    namespace: int = 0


@dataclass
class Dump:
    pages: list[PageOf] = field(default_factory=list)
    version: str = "0.11"
    first: int = 1
    """The number of the first revision; pages are numbered a hundredth of it."""

    def xml(self) -> str:
        parts = [HEAD.format(version=self.version)]
        number = self.first
        for place, page in enumerate(self.pages, 1):
            parts.append(
                f"  <page>\n    <title>{escape(page.title)}</title>\n    <ns>{page.namespace}</ns>\n"
                f"    <id>{self.first * 100 + place}</id>\n"
            )
            for revision in page.revisions:
                parts.append(_revision(revision, number))
                number += 1
            parts.append("  </page>\n")
        return "".join([*parts, "</mediawiki>\n"])

    def write(self, path: Path) -> Path:
        path.write_text(self.xml(), "utf-8")
        return path


def _revision(revision: Rev, number: int) -> str:
    said = (
        f"<comment>{escape(revision.comment)}</comment>"
        if revision.comment is not None
        else '<comment deleted="deleted" />'
    )
    who = (
        f"<contributor><username>{escape(revision.user)}</username><id>3</id></contributor>"
        if revision.user is not None
        else '<contributor deleted="deleted" />'
    )
    text = '<text bytes="0" deleted="deleted" />'
    digest = ""
    if revision.text is not None:
        text = f'<text bytes="{len(revision.text)}" xml:space="preserve">{escape(revision.text)}</text>'
        digest = hashlib.sha1(revision.text.encode()).hexdigest()  # noqa: S324
    parent = f"      <parentid>{number - 1}</parentid>\n" if number > 1 else ""
    day, hour, minute = 1 + number // 1440 % 28, number // 60 % 24, number % 60
    return (
        f"    <revision>\n      <id>{number}</id>\n{parent}"
        f"      <timestamp>2024-01-{day:02}T{hour:02}:{minute:02}:00Z</timestamp>\n"
        f"      {who}\n      {said}\n      <model>{revision.model}</model>\n      {text}\n"
        f"      <sha1>{digest}</sha1>\n    </revision>\n"
    )


LEAD = "The mill stands by the river. "
TAIL = " It was built in 1890."


def edited(source: str, target: str, comment: str = "NPOV", user: str | None = "Ada") -> list[Rev]:
    """A page's history in which one sentence is made neutral."""
    return [Rev(LEAD + source + TAIL, "new"), Rev(LEAD + target + TAIL, comment, user)]


SLANTED = "The wonderful mill attracts countless happy visitors every year."
NEUTRAL = "The mill attracts visitors every year."
PAIR = (SLANTED, NEUTRAL)
