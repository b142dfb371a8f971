"""The JSON form of results."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

from unslant.core.encoding import Encoded, encode, encode_fields
from unslant.core.types import Span


@dataclass(frozen=True, slots=True)
class Inner:
    spans: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class Outer(Encoded):
    name: str
    share: float | None
    inner: Mapping[str, Inner]

    @property
    def is_known(self) -> bool:
        return self.share is not None


OUTER = Outer("b", None, {"a": Inner((Span(0, 3),))})


def test_a_result_is_encoded_by_its_fields_in_their_order() -> None:
    expected = '{"name": "b", "share": null, "inner": {"a": {"spans": [{"start": 0, "end": 3}]}}}'
    assert json.dumps(OUTER.to_dict()) == expected
    assert encode([OUTER]) == [OUTER.to_dict()]


def test_names_choose_fields_and_properties_and_their_order() -> None:
    assert list(encode_fields(OUTER, "is_known", "name").items()) == [("is_known", False), ("name", "b")]
