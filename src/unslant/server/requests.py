"""What may be sent, as models that check it and describe it in the OpenAPI document."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError, WithJsonSchema

from unslant.registry import names
from unslant.server.refusal import Refusal
from unslant.spec import TIERS

__all__ = ["CheckRequest", "CompareRequest", "FixRequest", "Item", "Tuning", "parsed"]

Model = TypeVar("Model", bound="_Sent")

_ID = "A path or another name that a person recognises; it comes back in `document.id`."
_FORMAT = (
    "The markup: " + ", ".join(names("reader")) + ". Default: what the suffix of `id` says, else `text`."
)
_SEGMENTS = "Also cut the text into `segments`, so that no positions need to be counted."


class _Sent(BaseModel):
    """Something that a client sends; a field that nobody knows is a mistake, and told."""

    model_config = ConfigDict(extra="forbid", strict=True)


class Tuning(_Sent):
    """What one request may ask for; the same keys and meanings as in a configuration file."""

    select: list[str] = Field(default=[], max_length=100, description="Report only what these name.")
    ignore: list[str] = Field(default=[], max_length=100, description="Do not report what these name.")
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

    text: str = Field(description="The text as its author wrote it; markup and all.")
    format: str | None = Field(default=None, description=_FORMAT)
    id: str | None = Field(default=None, max_length=1_000, description=_ID)


class CheckRequest(_Sent):
    """One text, or up to 300 of them."""

    text: str | None = Field(default=None, description="The text as its author wrote it; markup and all.")
    format: str | None = Field(default=None, description=_FORMAT)
    id: str | None = Field(default=None, max_length=1_000, description=_ID)
    items: (
        Annotated[
            list[Any],
            WithJsonSchema(
                {"type": "array", "items": {"$ref": "#/components/schemas/Item"}, "maxItems": 300}
            ),
        ]
        | None
    ) = Field(default=None, description="Several texts in place of one; each is answered for itself.")
    segments: bool = Field(default=False, description=_SEGMENTS)
    settings: Tuning = Tuning()


class FixRequest(_Sent):
    """One text, or up to 300 of them, to be rewritten."""

    text: str | None = Field(default=None, description="The text as its author wrote it; markup and all.")
    format: str | None = Field(default=None, description=_FORMAT)
    id: str | None = Field(default=None, max_length=1_000, description=_ID)
    items: (
        Annotated[
            list[Any],
            WithJsonSchema(
                {"type": "array", "items": {"$ref": "#/components/schemas/Item"}, "maxItems": 300}
            ),
        ]
        | None
    ) = Field(default=None, description="Several texts in place of one; each is answered for itself.")
    settings: Tuning = Tuning()


class CompareRequest(_Sent):
    """Two versions of a text."""

    before: str = Field(description="The text as it stood.")
    after: str = Field(description="The text as it stands now; positions are into this one.")
    format: str | None = Field(default=None, description=_FORMAT)
    id: str | None = Field(default=None, max_length=1_000, description=_ID)
    segments: bool = Field(default=False, description=_SEGMENTS)
    settings: Tuning = Tuning()


def parsed(model: type[Model], payload: object) -> Model:
    """Return what was sent as the model has it; what does not fit is refused in one sentence."""
    if not isinstance(payload, Mapping):
        raise Refusal(422, "invalid", "the body must be a JSON object")
    try:
        return model.model_validate(payload)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        raise Refusal(422, "invalid", _sentence(first["loc"], first["msg"])) from None


def _sentence(place: Sequence[int | str], message: str) -> str:
    """Say where and what; names that a client made up are cut, as they may be as long as a body."""
    where = ".".join(str(part)[:40] for part in place)
    return f"{where}: {message[:1].lower()}{message[1:]}"[:300]
