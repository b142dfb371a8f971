"""The drawings of the page."""

from __future__ import annotations

import re
from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from unslant.lab.audit.bias import BiasFigure
from unslant.lab.audit.page import TradeOffPoint, draw_bias, draw_trade_off, spread_labels

PLACES = st.lists(st.floats(0, 300), max_size=8)


@given(PLACES, st.floats(1, 30))
@settings(max_examples=50)
def test_names_are_spread_and_keep_their_order(places: list[float], least: float) -> None:
    found = spread_labels(places, least)
    order = sorted(range(len(places)), key=lambda at: places[at])
    gaps = [found[after] - found[before] for before, after in pairwise(order)]
    assert all(gap >= least - 1e-6 for gap in gaps)


def test_what_is_far_apart_stays_where_it_is() -> None:
    assert spread_labels([10.0, 100.0, 50.0], 16) == [10.0, 100.0, 50.0]
    assert spread_labels([50.0, 50.0], 16) == [42.0, 58.0]


def test_variants_that_lie_together_can_all_be_read() -> None:
    points = [TradeOffPoint(f"embedding-{at}", 100 + at / 100, 0.02, 0.01, 0.03) for at in range(5)]
    drawn = draw_trade_off(points, "perplexity", "indirect bias")
    heights = [float(y) for y in re.findall(r'<text x="[\d.]+" y="([\d.]+)">embedding', drawn)]
    assert len(heights) == 5
    assert min(b - a for a, b in pairwise(sorted(heights))) >= 15


def test_chance_is_drawn_where_it_is_known() -> None:
    points = [TradeOffPoint("a", 100, 0.02, 0.01, 0.03, 0.015), TradeOffPoint("b", 120, 0.01, 0.0, 0.02)]
    drawn = draw_trade_off(points, "perplexity", "indirect bias")
    bars = re.findall(r'y1="([\d.]+)" x2="[\d.]+" y2="([\d.]+)" class="mark chance"', drawn)
    assert len(bars) == 1, "one of the two knows it"
    dots = [float(y) for y in re.findall(r'<circle cx="[\d.]+" cy="([\d.]+)"', drawn)]
    assert float(bars[0][0]) > dots[0], "below the bias of a: down is larger"
    assert bars[0][0] == bars[0][1]


def test_a_long_name_is_not_cut_off() -> None:
    name = "embedding-target-1-balance-20-rate-0.05-hold-side"
    points = [TradeOffPoint(name, 100, 0.02, 0.01, 0.03), TradeOffPoint("b", 120, 0.01, 0.0, 0.02)]
    drawn = draw_trade_off(points, "perplexity", "indirect bias")
    (start,) = re.findall(rf'<text x="([\d.]+)" y="[\d.]+">{name}', drawn)
    (width,) = re.findall(r'viewBox="0 0 ([\d.]+) ', drawn)
    assert float(start) + 6.5 * len(name) <= float(width)


def test_the_main_result_shows_every_variant_with_what_chance_gives() -> None:
    figures = [("vanilla", BiasFigure(0.2, 0.1, 0.4, 0.05, 0.01)), ("a<b", BiasFigure(0.0))]
    drawn = draw_bias(figures)
    widths = [float(width) for width in re.findall(r'<rect [^>]*width="([\d.]+)"', drawn)]
    assert widths == [180, 0]  # the end of the scale is the largest bound
    assert drawn.count("<polygon") == 1
    assert "a&lt;b" in drawn
    assert "vanilla: 0.200" in drawn
