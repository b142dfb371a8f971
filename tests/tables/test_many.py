"""Many texts from Python: every kind of column, data frames, and clear errors."""

from __future__ import annotations

from typing import Any

import pytest

import unslant
from unslant import Spec, UnslantError

RULES = Spec(analyzers=("rules",))
TEXTS = ["The legendary singer slammed the plan.", "The committee met."]


def counts(texts: Any) -> list[int]:
    return [len(report.findings) for report in unslant.check_many(texts, spec=RULES)]


def test_every_kind_of_column() -> None:
    assert counts(TEXTS) == [2, 0]
    assert counts(iter(TEXTS)) == [2, 0]
    assert counts(()) == []
    import pyarrow

    assert counts(pyarrow.array(TEXTS)) == [2, 0]
    assert counts(pyarrow.chunked_array([TEXTS])) == [2, 0]


@pytest.mark.pandas
def test_a_frame_keeps_the_index_of_a_column() -> None:
    import pandas

    column = pandas.Series(TEXTS, index=["a", "b"])
    reports = unslant.check_many(column, spec=RULES)
    frame = reports.to_frame()
    assert list(frame.index) == ["a", "b"]
    assert list(frame["findings"]) == [2, 0]
    found = reports.to_frame(findings=True)
    assert list(found["text"]) == ["legendary", "slammed"]
    assert list(found["row"]) == [0, 0]


@pytest.mark.parametrize(
    ("texts", "said"),
    [
        ("one text", "use unslant.check"),
        (7, "not int"),
        (["a", None], "text 1 is None"),
        ([float("nan")], "float"),
    ],
)
def test_a_wrong_type_is_one_sentence(texts: Any, said: str) -> None:
    with pytest.raises(UnslantError, match=said):
        unslant.check_many(texts, spec=RULES)


def test_one_text_must_be_a_text() -> None:
    for call in (unslant.check, unslant.fix):
        with pytest.raises(UnslantError, match="the text is int, not str"):
            call(7, spec=RULES)  # type: ignore[arg-type, operator]


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"select": ("framing/prase-adjective",)}, "did you mean 'framing/praise-adjective'"),
        ({"ignore": ("nothing/*",)}, "no rule, kind or dimension"),
        ({"select": ["framing"]}, "Spec.select=…. is list, not a tuple"),
        ({"select": "framing"}, r"write select=\('framing',\)"),
        ({"threshold": 3}, "from 0 to 1"),
        ({"threshold": "high"}, "from 0 to 1"),
        ({"uncertain": (0.4,)}, "two numbers"),
        ({"budget": -1}, "from 0 to 1"),
    ],
)
def test_a_wrong_spec_is_one_sentence(fields: dict[str, Any], said: str) -> None:
    spec = Spec(**{"analyzers": ("rules",), **fields})
    for call in (unslant.check, unslant.fix):
        with pytest.raises(UnslantError, match=said):
            call("Fine.", spec=spec)  # type: ignore[operator]
    with pytest.raises(UnslantError, match=said):
        unslant.check_many(["Fine."], spec=spec)


def test_a_right_spec_is_accepted() -> None:
    spec = Spec(analyzers=("rules",), select=("framing/*", "gender"), ignore=("framing/attack-verb",))
    assert [finding.text for finding in unslant.check(TEXTS[0], spec=spec).findings] == ["legendary"]
