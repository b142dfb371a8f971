"""What the rules find, as features of subwords."""

from __future__ import annotations

from unslant.neural.network import feature_rows

NAMES = ("framing/disparagement", "framing/praise-adjective", "gone/rule")


def test_a_subword_of_a_found_word_has_its_rule() -> None:
    text = "the legendary town was awful"
    offsets = [(0, 3), (4, 10), (10, 13), (14, 18), (19, 22), (23, 28)]
    assert feature_rows(text, offsets, NAMES) == [
        [0, 0, 0],
        [0, 1, 0],
        [0, 1, 0],
        [0, 0, 0],
        [0, 0, 0],
        [1, 0, 0],
    ]


def test_nothing_gives_nothing() -> None:
    assert feature_rows("", [], NAMES) == []
