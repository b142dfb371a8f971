"""Writes dumps like those of a real wiki, of any size, with known pairs planted in them; for tests and benchmarks."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from xml.sax.saxutils import escape

_HEAD = """<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.11/" \
xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" \
xsi:schemaLocation="http://www.mediawiki.org/xml/export-0.11/ http://www.mediawiki.org/xml/export-0.11.xsd" \
version="0.11" xml:lang="en">
  <siteinfo>
    <sitename>Testwiki</sitename>
    <dbname>testwiki</dbname>
    <base>https://test.example.org/wiki/Main_Page</base>
    <generator>MediaWiki 1.45.0</generator>
    <case>first-letter</case>
    <namespaces>
      <namespace key="0" case="first-letter" />
      <namespace key="1" case="first-letter">Talk</namespace>
    </namespaces>
  </siteinfo>
"""
_NEUTRAL = (
    "NPOV",
    "more neutral wording",
    "/* History */ removed POV",
    "wp:npov",
    "neutrality",
    "rm weasel words",
    "rm bias",
)
_NOISE = ("", "expand", "/* Geography */ add source", "copyedit", "typo", "+cat", "update figures", "link")
_REVERTS = (
    "Reverted edits by [[Special:Contributions/Visitor|Visitor]] (NPOV)",
    "Undid revision 12 by Visitor: POV",
    "rv pov",
)
_WORDS = """river valley station council district school museum market bridge harbour garden forest road mill
tower castle village railway company bank island lake coast theatre stadium clinic archive quarry canal""".split()
_VERBS = "opened closed moved grew lies stood served borders joined hosted received replaced rebuilt covers".split()
_MARKUP = ("[[", "]]", "{{", "}}", "''", "<", ">", "|", "==", "http", "\n", "&", "__", "~~~")


@dataclass
class GeneratedDump:
    """What went into a dump."""

    planted: list[tuple[str, str]] = field(default_factory=list)
    """Pairs that a harvest should find."""
    bytes: int = 0
    pages: int = 0
    revisions: int = 0


def is_plantable(source: str, target: str) -> bool:
    """Whether two sentences differ and contain no markup."""
    texts = (source, target)
    if source == target or any(mark in text for text in texts for mark in _MARKUP):
        return False
    return all(text[:1] not in "*#:;=! " and text[-1:] in ".!?" for text in texts)


def generate_dump(path: Path, pairs: Sequence[tuple[str, str]], size: int, seed: int = 0) -> GeneratedDump:
    """Write a dump of at least ``size`` bytes that holds every pair once; the same seed gives the same bytes.

    Around the pairs lie what a harvest has to leave out: other edits, tags, tables, references, edits of several
    blocks, reverts, edits taken back by their author, bots, suppressed comments and texts.
    """
    chance = random.Random(seed)
    made = GeneratedDump()
    waiting = list(pairs)
    with path.open("w", encoding="utf-8") as file:
        made.bytes += file.write(_HEAD)
        while waiting or made.bytes < size:
            planted = [waiting.pop() for _ in range(min(len(waiting), chance.randint(1, 3)))]
            made.pages += 1
            for chunk in _GeneratedPage(chance, made, seed).xml(planted):
                made.bytes += file.write(chunk)
        made.bytes += file.write("</mediawiki>\n")
    return made


class _GeneratedPage:
    """One page with its history."""

    def __init__(self, chance: random.Random, made: GeneratedDump, seed: int) -> None:
        self._chance, self._made = chance, made
        self._seed = seed
        self._lines = [_INFOBOX.format(name=chance.choice(_WORDS))]
        for _ in range(chance.randint(6, 30)):
            self._lines.append(
                f"== {chance.choice(_WORDS).title()} ==" if chance.random() < 0.2 else self._paragraph()
            )
        self._lines.append(_TABLE)
        self._lines.append("[[Category:Places]]")

    def xml(self, planted: list[tuple[str, str]]) -> Iterator[str]:
        """Yield the page, a revision at a time."""
        page = self._seed * 1_000_000 + self._made.pages
        title = f"{self._chance.choice(_WORDS).title()} {page}"
        yield f"  <page>\n    <title>{title}</title>\n    <ns>0</ns>\n    <id>{page}</id>\n"
        yield self._revision("created")
        for pair in planted:
            for _ in range(self._chance.randint(1, 6)):
                yield from self._noise()
            yield from self._plant(pair)
        for _ in range(self._chance.randint(2, 12)):
            yield from self._noise()
        yield "  </page>\n"

    def _plant(self, pair: tuple[str, str]) -> Iterator[str]:
        place = self._prose()
        lead, rest = self._sentence(), self._sentence()
        self._lines[place] = f"{lead} {pair[0]}<ref>{{{{cite web|title=A}}}}</ref> {rest}"
        yield self._revision("expand")
        self._lines[place] = f"{lead} {pair[1]}<ref>{{{{cite web|title=A}}}}</ref> {rest}"
        self._made.planted.append(pair)
        yield self._revision(self._chance.choice(_NEUTRAL))

    def _noise(self) -> Iterator[str]:
        match self._chance.randint(0, 11):
            case 0:
                yield from self._reverted_edit(self._chance.choice(_REVERTS), "Watcher")
            case 1:
                yield from self._reverted_edit("self-revert of my change", "Visitor")
            case 2:
                self._lines[self._prose()] = self._paragraph()
                yield self._revision("Bot: NPOV tag dated", user="TidyBot")
            case 3:
                self._lines[0] = "{{POV|date=May}}\n" + self._lines[0].removeprefix("{{POV|date=May}}\n")
                yield self._revision("added NPOV tag")
            case 4:
                self._lines[self._prose()] += "<ref>Somebody, ''A book'', p. 3.</ref>"
                yield self._revision("source for POV statement")
            case 5:
                self._lines[-2] = self._lines[-2].replace("| 1 ||", f"| {self._chance.randint(2, 99)} ||", 1)
                yield self._revision("NPOV table")
            case 6:
                for line in (1, len(self._lines) - 3):
                    self._lines[line] = self._paragraph()
                yield self._revision("POV in several places")
            case 7:
                yield self._revision(None)
            case 8:
                yield self._revision("NPOV", hidden=True)
            case _:
                place = self._prose()
                self._lines[place] = f"{self._lines[place]} {self._sentence()}"
                yield self._revision(self._chance.choice(_NOISE))

    def _reverted_edit(self, comment: str, by: str) -> Iterator[str]:
        """Yield an edit for neutrality and its revert; only its own author's revert tells against it."""
        place = self._prose()
        before = self._lines[place]
        self._lines[place] = before.replace("the ", "the well-known ", 1)
        yield self._revision("not neutral before" if by == "Visitor" else "expand", user="Visitor")
        self._lines[place] = before
        yield self._revision(comment, user=by)

    def _revision(self, comment: str | None, user: str = "", *, hidden: bool = False) -> str:
        self._made.revisions += 1
        number = self._seed * 10_000_000 + self._made.revisions
        text = escape("\n\n".join(self._lines), {'"': "&quot;"})
        summary = (
            '<comment deleted="deleted" />' if comment is None else f"<comment>{escape(comment)}</comment>"
        )
        body = (
            '<text bytes="0" deleted="deleted" />'
            if hidden
            else f'<text bytes="{len(text)}" xml:space="preserve">{text}</text>'
        )
        digest = "" if hidden else _base36(text)
        moment = f"{2001 + number // 31_000_000 % 25}-{1 + number // 2_500_000 % 12:02}-{1 + number // 86_400 % 28:02}"
        clock = f"{number // 3600 % 24:02}:{number // 60 % 60:02}:{number % 60:02}"
        return (
            f"    <revision>\n      <id>{number}</id>\n      <parentid>{number - 1}</parentid>\n"
            f"      <timestamp>{moment}T{clock}Z</timestamp>\n"
            f"      <contributor><username>{user or self._chance.choice(_USERS)}</username><id>7</id></contributor>\n"
            f"      {summary}\n      <origin>{number}</origin>\n      <model>wikitext</model>\n"
            f"      <format>text/x-wiki</format>\n      {body}\n      <sha1>{digest}</sha1>\n    </revision>\n"
        )

    def _prose(self) -> int:
        """Return the place of a line that holds prose."""
        places = [place for place, line in enumerate(self._lines[1:-2], 1) if not line.startswith("==")]
        return self._chance.choice(places) if places else 1

    def _paragraph(self) -> str:
        return " ".join(self._sentence() for _ in range(self._chance.randint(3, 9)))

    def _sentence(self) -> str:
        first, second, third = self._chance.sample(_WORDS, 3)
        linked = f"[[{second} (place)|{second}]]" if self._chance.random() < 0.3 else second
        year, verb = self._chance.randint(1800, 2020), self._chance.choice(_VERBS)
        return f"In {year} the {first} {verb} near the {linked} and the '''{third}'''."


_USERS = ("Ada", "Ben", "Cem", "Dora", "Emre", "Fay", "Gil", "Hana", "192.0.2.7")
_INFOBOX = (
    "{{{{Infobox settlement\n| name = {name}\n| population = 100\n| website = {{{{URL|example.org}}}}\n}}}}"
)
_TABLE = '{| class="wikitable"\n! Year !! Number\n|-\n| 1 || 2\n|-\n| 3 || 4\n|}'


def _base36(text: str) -> str:
    number = int.from_bytes(hashlib.sha1(text.encode(), usedforsecurity=False).digest())
    signs = []
    while number:
        number, rest = divmod(number, 36)
        signs.append("0123456789abcdefghijklmnopqrstuvwxyz"[rest])
    return "".join(reversed(signs)).rjust(31, "0")
