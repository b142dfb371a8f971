"""What to run, as plain data."""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import asdict, dataclass, field, replace
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from urllib.parse import urlsplit

from unslant.core.providers import provider_of
from unslant.core.types import Severity

TIERS = {"rules": ("rules",), "model": ("model",), "all": ("rules", "model")}
"""The analyzers of each tier."""

AUTO = "auto"
NO_REWRITER = frozenset((AUTO, "none"))
"""Values of ``rewriter`` with which no rewriter is loaded."""
_REWRITER = Path(__file__).with_name("rewriter") / "weights"
_NOT_IN_ADDRESSES = re.compile(r"[\s\x00-\x1f\x7f]")
_MODEL = Path(__file__).with_name("neural") / "weights" / "model.json"


@cache
def default_analyzers() -> tuple[str, ...]:
    """Return the analyzers that run by default: the rules, and the model if one ships."""
    return TIERS["all"] if _MODEL.is_file() else TIERS["rules"]


@dataclass(frozen=True, slots=True)
class Spec:
    """Everything that determines the findings; the same spec and text give the same report."""

    analyzers: tuple[str, ...] = field(default_factory=default_analyzers)
    """The analyzers that run, by their registered names."""
    model: str = ""
    """The folder of the model that the analyzer ``model`` runs; empty: the one that ships."""
    segmenter: str = "nupunkt"
    """Which segmenter finds the sentences."""
    quotations: bool = False
    """Whether direct quotations are checked too."""
    select: tuple[str, ...] = ()
    """Only what one of these selectors names is reported; empty: everything."""
    ignore: tuple[str, ...] = ()
    """What one of these selectors names is not reported."""
    include: tuple[str, ...] = ()
    """Rules and sets of rules that are reported in addition, such as ``docs/plain``."""
    per_file_ignores: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """Path globs, each with the selectors that are ignored there."""
    profile: str = "auto"
    """The kind of text, which sets the standard to judge it by: ``auto`` or a name of :mod:`unslant.profiles`."""
    profiles: tuple[tuple[str, str], ...] = ()
    """Path globs, each with the profile of matching files; the last match counts."""
    threshold: float | None = None
    """Findings with a lower probability are not reported; None: the profile decides."""
    min_severity: Severity = Severity.SUGGESTION
    """Findings of a lower severity are not reported."""
    sentences: bool = False
    """Whether a sentence that the model finds slanted is reported as a whole if no words in it stand out."""
    uncertain: tuple[float, float] = (0.4, 0.6)
    """A sentence below the first probability is neutral, from the second on slanted, between them uncertain."""
    severity: tuple[tuple[str, Severity], ...] = ()
    """Selectors, each with the severity that replaces the rule's own; the last match counts."""
    accept: tuple[str, ...] = ()
    """Words and phrases that are never reported."""
    flag: tuple[str, ...] = ()
    """Words and phrases that are always reported."""
    suggest: tuple[tuple[str, str], ...] = ()
    """Words and phrases that are reported with a wording to prefer."""
    extends: tuple[tuple[str, str], ...] = ()
    """The rule packs: name and content."""
    rule_files: tuple[tuple[str, str], ...] = ()
    """The user's own rule files: name and content."""
    rewriter: str = AUTO
    """What proposes wordings beside the rules and the model: ``none``, ``unslant``, ``hf:FOLDER``, ``llm:MODEL``, …;
    ``auto``: nothing where a text is checked, the rewriter that ships where wordings are asked for."""
    budget: float = 0.2
    """The share of a sentence's words that a safe edit may change; one word is always allowed."""

    @property
    def least_probability(self) -> float:
        """The probability below which an analyzer need not report a finding."""
        return 0.5 if self.threshold is None else self.threshold

    @property
    def own_rule_files(self) -> tuple[tuple[str, str], ...]:
        """The rule files that are not part of the catalogue: the packs, then the user's own."""
        return (*self.extends, *self.rule_files)

    def without_rewriter(self) -> Spec:
        """Return the same settings for where texts are only checked, and nobody asks for more wordings."""
        return replace(self, rewriter=AUTO)

    def with_wordings(self) -> Spec:
        """Return the same settings for where wordings are asked for: ``auto`` is the rewriter that ships, if any."""
        if self.rewriter != AUTO:
            return self
        return replace(self, rewriter="unslant" if _REWRITER.is_dir() else "none")

    def digest(self) -> str:
        """Return a SHA-256 digest of all settings; equal specs have equal digests."""
        text = json.dumps(asdict(self), sort_keys=True, ensure_ascii=True)
        return hashlib.sha256(text.encode()).hexdigest()

    def destinations(self, *, rewriter: bool = False) -> tuple[str, ...]:
        """Return the servers that text is sent to by the analyzers, and by the rewriter if it is used."""
        names = (*self.analyzers, self.rewriter) if rewriter else self.analyzers
        return tuple(dict.fromkeys(filter(None, map(destination, names))))


def destination(name: str) -> str | None:
    """Return the server that an analyzer, rewriter or language model of this name sends text to; None: none."""
    _, _, argument = name.partition(":")
    address = name if name.lower().startswith(("http://", "https://")) else argument
    served = provider_of(name) or provider_of(argument)
    if served is not None:
        address = served[0].base
    scheme, separator, rest = address.partition("://")
    if not separator or scheme.lower() not in ("http", "https") or not is_web_address(address):
        return None
    # without a password, or anything else that does not say where the text goes
    host = rest.partition("/")[0].partition("?")[0].rpartition("@")[2]
    return f"{scheme.lower()}://{host}"


def is_web_address(address: str) -> bool:
    """Return whether text could be sent to an address; ``http://[::1`` is none."""
    try:
        parts = urlsplit(address)
        return bool(parts.hostname) and parts.port != 0 and not _NOT_IN_ADDRESSES.search(address)
    except ValueError:
        return False


def selects(selector: str, rule: str, kind: str, dimension: str | None) -> bool:
    """Return whether a selector names this finding.

    A selector is a kind (``framing``), a dimension (``gender``), the id of a rule or of a model's finding
    (``framing/praise-adjective``, ``model/praise``) or a glob over ids (``demographic/*``).
    """
    if selector in (kind, dimension, rule):
        return True
    return "/" in selector and fnmatchcase(rule, selector)
