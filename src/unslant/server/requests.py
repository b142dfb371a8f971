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
from unslant.core.types import Severity
from unslant.profiles import AUTO, profiles
from unslant.registry import names
from unslant.spec import TIERS, Spec

Model = TypeVar("Model", bound=BaseModel)
One = TypeVar("One", bound=BaseModel)
Many = TypeVar("Many", bound=BaseModel)

_TEXT = "The text as written, including markup."
_AROUND = (
    "If the text is a part of a longer one: what stands {} it. It is read, because a quotation may begin or end there, "
    "but not checked."
)
_SEGMENTS = "Also split the text into `segments`, so that the client need not convert positions."


def _list_of(name: str, most: int = 300) -> WithJsonSchema:
    """Describe a list whose items are validated one by one, so that an invalid item does not affect the others."""
    items = {"$ref": f"#/components/schemas/{name}"}
    return WithJsonSchema({"type": "array", "items": items, "maxItems": most})


Format = Annotated[
    str | None,
    Field(
        description="The markup; default: by the suffix of `id`, otherwise `text`.",
        json_schema_extra={"enum": [*names("reader"), None]},
    ),
]
Id = Annotated[
    str | None,
    Field(
        max_length=1_000,
        description="A path or another name, returned in `document.id`.",
    ),
]
Selectors = Annotated[list[str], Field(max_length=100)]
MOST_WORDS = 2_000
"""How many words of a kind may have a sense of their own."""
Words = Annotated[list[Annotated[str, Field(max_length=100)]], Field(max_length=MOST_WORDS)]


class RequestModel(BaseModel):
    """Base class of requests; an unknown field is an error."""

    model_config = ConfigDict(extra="forbid", strict=True)


class RequestSettings(RequestModel):
    """Settings of a request, with the same keys and meanings as in a configuration file."""

    select: Selectors = Field(
        default=[], description="Report only these kinds, dimensions or rules. Empty: report all."
    )
    ignore: Selectors = Field(default=[], description="Do not report these kinds, dimensions or rules.")
    include: Selectors = Field(
        default=[], description="Also report these rules or sets of rules, such as docs/plain."
    )
    threshold: float | None = Field(
        default=None, ge=0, le=1, description="Drop findings with a lower probability than this."
    )
    profile: str | None = Field(
        default=None,
        description="The standard by which the text is judged; default: by its format, name and content.",
        json_schema_extra={"enum": [AUTO, *profiles(), None]},
    )
    min_severity: str | None = Field(
        default=None,
        description="Drop findings of a lower severity than this.",
        json_schema_extra={"enum": [*(severity.value for severity in Severity), None]},
    )
    quotations: bool | None = Field(default=None, description="Also check direct quotations.")
    tier: str | None = Field(
        default=None,
        description="Run the rules, the model or both; no more than the server itself runs.",
        json_schema_extra={"enum": [*TIERS, None]},
    )


class Senses(RequestModel):
    """Words that a document uses in a sense of its own, as `POST /v1/profile` returns them."""

    names: Words = Field(default=[], description="Words that are names in it.")
    defined: Words = Field(default=[], description="Words that it defines.")
    subjects: Words = Field(
        default=[], description="Words of rules that belong to another subject that it names."
    )


class TextItem(RequestModel):
    """One text."""

    text: str = Field(description=_TEXT)
    format: Format = None
    id: Id = None
    before: str = Field(default="", description=_AROUND.format("before"))
    after: str = Field(default="", description=_AROUND.format("behind"))
    senses: Senses | None = Field(
        default=None,
        description="What the longer text says about its words; by default, they are looked up in what is sent.",
    )


class FixOne(TextItem):
    """A text to rewrite."""

    settings: RequestSettings = RequestSettings()


class FixMany(RequestModel):
    """Several texts to rewrite."""

    items: Annotated[list[Any], _list_of("TextItem")] = Field(description="Each item gets its own result.")
    settings: RequestSettings = RequestSettings()


class CheckOne(FixOne):
    """A text to check."""

    segments: bool = Field(default=False, description=_SEGMENTS)


class CheckMany(FixMany):
    """Several texts to check."""

    segments: bool = Field(default=False, description=_SEGMENTS)


class CompareRequest(RequestModel):
    """Two versions of a text."""

    before: str = Field(description="The old version of the text.")
    after: str = Field(description="The new version of the text; positions refer to it.")
    format: Format = None
    id: Id = None
    segments: bool = Field(default=False, description=_SEGMENTS)
    settings: RequestSettings = RequestSettings()


class ProfileRequest(TextItem):
    """A whole text, or the beginning of a long one."""


class ExplainRequest(RequestModel):
    """A sentence, or a few; the model reads each once for each of its words."""

    text: str = Field(description="A short plain text.", max_length=2_000)


def parse_request(model: type[Model], payload: object) -> Model:
    """Validate a payload and return it as a model; raise an error with a one-sentence message if it is invalid."""
    if not isinstance(payload, Mapping):
        raise RequestError(422, "invalid", "must be a JSON object")
    try:
        return model.model_validate(payload)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        raise RequestError(422, "invalid", _sentence(first["loc"], first["msg"])) from None


def parse_one_or_many(single: type[One], many: type[Many], payload: object) -> One | Many:
    """Validate a payload as ``many`` if it has ``items``, otherwise as ``single``."""
    several = isinstance(payload, Mapping) and "items" in payload
    return parse_request(many, payload) if several else parse_request(single, payload)


def _sentence(place: Sequence[int | str], message: str) -> str:
    """Return the place and the message; made-up names are cut, because they can be as long as the body."""
    where = ".".join(str(part)[:40] for part in place)
    return f"{where}: {message[:1].lower()}{message[1:]}"[:300]


class RequestError(Exception):
    """An error response: an HTTP status, a code for programs and a sentence for people."""

    def __init__(self, status: int, code: str, message: str, retry_after: int | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.message = message
        self.retry_after = retry_after

    @property
    def headers(self) -> Mapping[str, str]:
        """The headers of the response."""
        return {"retry-after": str(self.retry_after)} if self.retry_after is not None else {}

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {"code": self.code, "message": self.message}


class _RequestSource:
    """A request as a source of settings."""

    root = base = Path()
    explicit = False  # a client is no more trusted than a project's file

    def line(self, path: KeyPath) -> int:  # noqa: ARG002 - a file needs the path
        return 0

    def origin(self, path: KeyPath, value: object) -> str:  # noqa: ARG002 - others need them
        return "request"

    def where(self, path: KeyPath) -> str:  # noqa: ARG002 - a file needs the path
        return ""

    def name(self, path: KeyPath) -> str:
        return "settings." + ".".join(str(part) for part in path if isinstance(part, str))


def apply_settings(spec: Spec, settings: RequestSettings) -> Spec:
    """Return the server's spec with the settings of a request applied."""
    given = settings.model_dump(exclude_defaults=True, exclude={"tier"})
    overrides = {name.replace("_", "-"): value for name, value in given.items()}
    if settings.tier is not None:
        overrides["analyzers"] = _analyzers(spec, settings.tier)
    if not overrides:
        return spec
    collector = Collector()
    found = read_table(RawValue(overrides, (), _RequestSource(), collector))
    check_selectors(collector, spec.own_rule_files, _known_rules)
    if collector.problems:
        raise RequestError(
            422, "invalid", "; ".join(problem.message for problem in collector.problems)[:1_000]
        )
    return build(Settings(spec=spec), found, {}).spec


def _analyzers(spec: Spec, tier: str) -> list[str]:
    """Return the analyzers of a tier; a request may ask for less than the server runs, never for more."""
    if tier not in TIERS:
        raise RequestError(422, "invalid", f"settings.tier: must be one of {', '.join(TIERS)}")
    absent = [name for name in TIERS[tier] if name not in spec.analyzers]
    if absent and tier != "all":
        raise RequestError(422, "invalid", f"settings.tier: this server does not run {absent[0]!r}")
    return [name for name in spec.analyzers if name in TIERS[tier]]


def _known_rules(rule_files: tuple[tuple[str, str], ...]) -> Collection[str]:
    from unslant.rules.analyzer import selectable_ids

    return selectable_ids(rule_files)
