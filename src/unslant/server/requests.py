"""What may be sent, as models that check it and describe it in the OpenAPI document."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError, WithJsonSchema

from unslant.config.schema import build, read_table
from unslant.config.settings import Settings
from unslant.config.sources import Collector, KeyPath, RawValue
from unslant.config.values import check_selectors
from unslant.registry import names
from unslant.spec import TIERS, Spec

__all__ = [
    "CheckMany",
    "CheckOne",
    "CompareRequest",
    "FixMany",
    "FixOne",
    "Refusal",
    "TextItem",
    "Tuning",
    "parsed",
    "parsed_either",
    "tuned",
]

Model = TypeVar("Model", bound=BaseModel)
One = TypeVar("One", bound=BaseModel)
Many = TypeVar("Many", bound=BaseModel)

_TEXT = "The text as its author wrote it, markup and all."
_SEGMENTS = "Also cut the text into `segments`, so that no positions need to be counted."


def _listed(name: str, most: int = 300) -> WithJsonSchema:
    """Describe a list whose items are read one by one, so that one that is wrong does not spoil the others."""
    items = {"$ref": f"#/components/schemas/{name}"}
    return WithJsonSchema({"type": "array", "items": items, "maxItems": most})


Format = Annotated[
    str | None,
    Field(
        description="The markup; default: what the suffix of `id` says, else `text`.",
        json_schema_extra={"enum": [*names("reader"), None]},
    ),
]
Id = Annotated[
    str | None,
    Field(
        max_length=1_000,
        description="A path or another name that a person recognises; it comes back in `document.id`.",
    ),
]
Selectors = Annotated[list[str], Field(max_length=100)]


class _Sent(BaseModel):
    """Something that a client sends; a field that nobody knows is a mistake, and told."""

    model_config = ConfigDict(extra="forbid", strict=True)


class Tuning(_Sent):
    """What one request may ask for; the same keys and meanings as in a configuration file."""

    select: Selectors = Field(default=[], description="Report only what these name; empty: everything.")
    ignore: Selectors = Field(default=[], description="Do not report what these name.")
    threshold: float | None = Field(
        default=None, ge=0, le=1, description="Leave out findings that are less probable than this."
    )
    quotations: bool | None = Field(default=None, description="Check direct quotations too.")
    tier: str | None = Field(
        default=None,
        description="Ask the rules, the model or both; only what the server itself runs.",
        json_schema_extra={"enum": [*TIERS, None]},
    )


class TextItem(_Sent):
    """One text."""

    text: str = Field(description=_TEXT)
    format: Format = None
    id: Id = None


class FixOne(TextItem):
    """A text to rewrite."""

    settings: Tuning = Tuning()


class FixMany(_Sent):
    """Several texts to rewrite."""

    items: Annotated[list[Any], _listed("Item")] = Field(description="Each is answered for itself.")
    settings: Tuning = Tuning()


class CheckOne(FixOne):
    """A text to check."""

    segments: bool = Field(default=False, description=_SEGMENTS)


class CheckMany(FixMany):
    """Several texts to check."""

    segments: bool = Field(default=False, description=_SEGMENTS)


class CompareRequest(_Sent):
    """Two versions of a text."""

    before: str = Field(description="The text as it stood.")
    after: str = Field(description="The text as it stands now; positions are into this one.")
    format: Format = None
    id: Id = None
    segments: bool = Field(default=False, description=_SEGMENTS)
    settings: Tuning = Tuning()


def parsed(model: type[Model], payload: object) -> Model:
    """Return what was sent as the model has it; what does not fit is refused in one sentence."""
    if not isinstance(payload, Mapping):
        raise Refusal(422, "invalid", "this must be a JSON object")
    try:
        return model.model_validate(payload)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        raise Refusal(422, "invalid", _sentence(first["loc"], first["msg"])) from None


def parsed_either(one: type[One], many: type[Many], payload: object) -> One | Many:
    """Return what was sent as the one model has it, or, where there are ``items``, as the other."""
    several = isinstance(payload, Mapping) and "items" in payload
    return parsed(many, payload) if several else parsed(one, payload)


def _sentence(place: Sequence[int | str], message: str) -> str:
    """Say where and what; names that a client made up are cut, as they may be as long as a body."""
    where = ".".join(str(part)[:40] for part in place)
    return f"{where}: {message[:1].lower()}{message[1:]}"[:300]


class Refusal(Exception):
    """A request that is refused: an HTTP status, a code for programs and one sentence for people."""

    def __init__(self, status: int, code: str, message: str, retry_after: int | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.message = message
        self.retry_after = retry_after

    @property
    def headers(self) -> Mapping[str, str]:
        """What is to be said in the head of the answer."""
        return {"retry-after": str(self.retry_after)} if self.retry_after is not None else {}

    def to_dict(self) -> dict[str, Any]:
        """Return the wire form."""
        return {"code": self.code, "message": self.message}


class _RequestSource:
    """A request as the place that settings come from."""

    root = base = Path()

    def line(self, path: KeyPath) -> int:  # noqa: ARG002 - a file needs the path
        return 0

    def origin(self, path: KeyPath, value: object) -> str:  # noqa: ARG002 - others need them
        return "request"

    def where(self, path: KeyPath) -> str:  # noqa: ARG002 - a file needs the path
        return ""

    def name(self, path: KeyPath) -> str:
        return "settings." + ".".join(str(part) for part in path if isinstance(part, str))


def tuned(spec: Spec, tuning: Tuning) -> Spec:
    """Return the spec with what a request asks for in place of the server's own."""
    asked = tuning.model_dump(exclude_defaults=True, exclude={"tier"})
    if tuning.tier is not None:
        asked["analyzers"] = _analyzers(spec, tuning.tier)
    if not asked:
        return spec
    collector = Collector()
    found = read_table(RawValue(asked, (), _RequestSource(), collector))
    check_selectors(collector, spec.rule_files, _known_rules)
    if collector.problems:
        raise Refusal(422, "invalid", "; ".join(problem.sentence for problem in collector.problems)[:1_000])
    return build(Settings(spec=spec), found, {}).spec


def _analyzers(spec: Spec, tier: str) -> list[str]:
    """Return the analyzers of a tier; a request may ask for less than the server runs, never for more."""
    if tier not in TIERS:
        raise Refusal(422, "invalid", f"settings.tier: must be one of {', '.join(TIERS)}")
    absent = [name for name in TIERS[tier] if name not in spec.analyzers]
    if absent and tier != "all":
        raise Refusal(422, "invalid", f"settings.tier: this server does not run {absent[0]!r}")
    return [name for name in spec.analyzers if name in TIERS[tier]]


def _known_rules(rule_files: tuple[tuple[str, str], ...]) -> Collection[str]:
    from unslant.rules.analyzer import rule_cards

    return [*rule_cards(Spec(rule_files=rule_files)), "vocabulary/flag", "vocabulary/suggest"]
