"""Finding a figure in what a command printed."""

from __future__ import annotations

from typing import Any

import pytest

from unslant.lab.reproduce.page import find_figure

RESULT: dict[str, Any] = {
    "sections": [
        {"title": "one", "figures": [{"name": "babe/sg1, F1", "value": 0.5, "low": 0.4, "high": 0.6}]},
        {"title": "two of them", "figures": [{"name": "F1", "value": None}]},
    ],
    "cells": [
        {"class": "null", "shots": 0, "f1": {"mean": 10.0, "sd": 2.0}},
        {"class": "null", "shots": 5, "f1": {"mean": 20.0, "sd": 3.0}},
    ],
    "count": 7,
    "right": True,
}


@pytest.mark.parametrize(
    ("place", "value"),
    [
        ("babe/sg1, F1", 0.5),
        ("sections/title^=one/figures/0", 0.5),
        ("cells/class=null&shots=5/f1", 20.0),
        ("cells/-1/f1/sd", 3.0),
        ("count", 7.0),
        ("F1", None),
        ("cells/class=null&shots=9/f1", None),
        ("cells/9/f1", None),
        ("right", None),
        ("nowhere/at/all", None),
        ("", None),
    ],
)
def test_a_figure_is_found_by_name_or_by_path(place: str, value: float | None) -> None:
    found = find_figure(RESULT, place)
    assert (found.value if found else None) == value


def test_intervals_and_deviations_come_along_in_the_paper_s_unit() -> None:
    named = find_figure(RESULT, "babe/sg1, F1")
    assert named is not None
    percent = named.scale(100)
    assert (percent.value, percent.low, percent.high, percent.error) == (50.0, 40.0, 60.0, None)
    cell = find_figure(RESULT, "cells/0/f1")
    assert cell is not None
    assert cell.error == 2.0
