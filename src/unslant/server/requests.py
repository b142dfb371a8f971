"""What may be sent, as models that check it and describe it in the OpenAPI document."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError, WithJsonSchema

from unslant.registry import names
from unslant.server.refusal import Refusal
from unslant.spec import TIERS

__all__ = [
    "CheckMany",
    "CheckOne",
    "CompareRequest",
    "FixMany",
    "FixOne",
    "Item",
    "Tuning",
    "parsed",
    "parsed_either",
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


class Item(_Sent):
    """One text."""

    text: str = Field(description=_TEXT)
    format: Format = None
    id: Id = None


class FixOne(Item):
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
