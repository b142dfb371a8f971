"""Profiles: the standards by which kinds of text are judged, as versioned data, and which one a document gets.

A profile is chosen by the settings, by the path, or else by the document itself: wikitext is an encyclopedia, and text
with code in it, or with a name such as ``README``, is documentation. Otherwise the words of the text decide, where they
are clear (:mod:`unslant.genre`), and anything else is judged as news.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from unslant.core.errors import UnknownName
from unslant.genre import is_opinion, sure_genre

if TYPE_CHECKING:
    from unslant.core.types import Document
    from unslant.spec import Spec

AUTO = "auto"
"""The setting that leaves the choice to the document."""

_DOCS_FOLDERS = frozenset(("doc", "docs", "documentation", "man", "manual", "manpages"))
_DOCS_FILES = re.compile(
    r"(?:readme|changelog|changes|contributing|install|installation|hacking|architecture|faq|usage|tutorial|"
    r"getting[-_]started|release[-_]notes|upgrading|migration)(?:[-_.].*)?",
    re.IGNORECASE,
)
_CODE = re.compile(
    r"```|~~~|`[^`\n]+`|<code\b|<pre\b|<kbd\b|<samp\b"  # marked as code
    r"|(?<![\w/])--[a-z][\w-]+|(?<!\w)\w++\(\)"  # --option, function()
    r"|(?<![\w.])[a-z]++_[a-z_]+\w*|(?<!\w)[a-z][a-z0-9]*+[A-Z]\w+"  # snake_case, camelCase
    r"|(?<!\w)/(?:usr|etc|var|bin|opt|home|tmp|dev)/"
    r"|(?<![\w-])[\w-]++\.(?:py|js|ts|c|h|cpp|rs|go|sh|toml|yaml|yml|json|xml|conf|cfg|ini|html|css|md|txt|exe|dll|so)\b"
)
_TERMS = re.compile(
    r"\b(?:API|APIs|CLI|GUI|HTTP|URL|JSON|XML|HTML|SQL|Python|Java|JavaScript|Linux|Unix|POSIX|GNU|Debian|compiler|"
    r"compile[sd]?|install(?:ed|s|ing|ation)?|uninstall|config(?:ure|ured|uration)?|command[- ]line|default value|"
    r"directory|directories|plugin|plugins|parameter|parameters|argument|arguments|boolean|integer|string|strings|"
    r"callback|callbacks|library|libraries|runtime|debug|debugger|filename|repository|source code|package manager|"
    r"header files?|shell script|syntax|timeout|kernel|metadata|dependency|dependencies|deprecated|backend|frontend|"
    r"instantiate[sd]?|iterator|subclass|namespace|override[sd]?|checkbox|dialog box|toolbar|tarball|executable|files?|"
    r"software|version|versions|user's|output|input|module|modules|functions?|options|documentation|variables?|bugs?|"
    r"commands?|formats?|patches|upstream|licen[cs]ed under|copyright|README|NEWS|INSTALL|ChangeLog)\b"
)
_DENSITY = 200
"""Plain text with one sign of code or one technical term in this many characters, or more of them, is documentation."""
_SAMPLE = 20_000
"""How much of a long text is looked at."""


@dataclass(frozen=True, slots=True)
class Profile:
    """The standard by which one kind of text is judged."""

    name: str
    title: str
    about: str
    reports: str
    """What it reports and what it leaves alone, in a paragraph for the writer."""
    threshold: float
    """Findings that editors would accept less often than this are not reported."""
    model: float
    """The same bound for what the model finds alone, without a rule."""
    warning: float
    """From this probability on a finding is a warning; below, a suggestion."""
    standards: Mapping[str, str]
    """The standards whose rules always speak here, as suggestions at least: ``sure`` without their weak terms,
    ``all`` with them."""
    ignore: tuple[str, ...]
    """Selectors of findings that rarely hold in such text."""
    ordinary: frozenset[str] = frozenset()
    """Words that are ordinary in such text: plain descriptions, and words with a technical sense."""


@cache
def _data() -> dict[str, Profile]:
    import tomllib

    data = tomllib.loads(Path(__file__).with_name("profiles.toml").read_text("utf-8"))
    return {
        name: Profile(
            **{
                **entry,
                "name": name,
                "ignore": tuple(entry["ignore"]),
                "ordinary": frozenset(" ".join(entry.get("ordinary", ())).split()),
            }
        )
        for name, entry in data.items()
        if name != "version"
    }


def profiles() -> tuple[str, ...]:
    """Return the names of the profiles."""
    return tuple(_data())


def profile(name: str) -> Profile:
    """Return a profile by its name."""
    try:
        return _data()[name]
    except KeyError:
        raise UnknownName("profile", name, profiles()) from None


def profile_of(document: Document, spec: Spec) -> Profile:
    """Return the profile of a document: by its path, else as the settings say, else by what it is."""
    named = profile_by_path(document.id, spec)
    return profile(named if named != AUTO else detect_profile(document))


def profile_by_path(path: str, spec: Spec) -> str:
    """Return the name of the profile that the settings and the path of a document decide, or ``auto``."""
    chosen = spec.profile
    for glob, name in spec.profiles:
        if path_matches(path, glob):
            chosen = name
    return chosen


def detect_profile(document: Document) -> str:
    """Return the name of the profile that a document's format, name and text suggest."""
    if document.format == "wikitext":
        return "encyclopedia"
    if is_documentation(document.id):
        return "docs"
    if _looks_technical(document):
        return "docs"
    prose = document.prose[:_SAMPLE]
    return sure_genre(prose) or ("opinion" if is_opinion(prose) else "news")


def is_documentation(path: str) -> bool:
    """Return whether the name of a file, or a folder that it is in, says that it is documentation."""
    parts = PurePosixPath(path.replace("\\", "/"))
    folders = (part.lower() for part in parts.parts[:-1])
    return _DOCS_FILES.fullmatch(parts.name) is not None or not _DOCS_FOLDERS.isdisjoint(folders)


def _looks_technical(document: Document) -> bool:
    sample = document.source[:_SAMPLE]
    signs = [*_CODE.findall(sample), *_TERMS.findall(sample)]
    return len(signs) >= 2 and len(signs) * _DENSITY >= len(sample)


def path_matches(path: str, glob: str) -> bool:
    """Match a whole path, or its last parts, so that ``*.md`` and ``docs/*`` mean what they seem to."""
    path = path.replace("\\", "/").removeprefix("./")
    return fnmatchcase(path, glob) or fnmatchcase(path, "*/" + glob)
