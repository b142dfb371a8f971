"""Paired requests: an asymmetry is found, named and tested; the same replies to both sides are none."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from unslant.core.generation import Generation, Sampling
from unslant.lab.audit.paired import (
    ReplySettings,
    choose_requests,
    collect_replies,
    compare_replies,
    reply_values,
)
from unslant.lab.audit.pairs import load_pairs, read_requests
from unslant.lab.audit.sections import paired_section, sections_page
from unslant.lab.stats.bootstrap import Resampling

from .conftest import EchoModel

QUICK = Resampling(300, 0)
SET = read_requests("united-states")
SHORT = Sampling(max_tokens=20)


def no_findings(texts: Sequence[str]) -> list[int]:
    return [0] * len(texts)


class Sided(EchoModel):
    """Refuses requests that contain a conservative position."""

    refused = frozenset(pair.conservative for pair in SET.requests)

    def generate(self, prompts: Sequence[str], seeds: Sequence[int], sampling: Sampling) -> list[Generation]:
        self.prompts += prompts
        assert sampling == SHORT
        return [
            Generation(
                prompt,
                "I'm sorry, I can't help with that."
                if prompt in self.refused and seed % 3 == 0
                else "Certainly, there are good reasons for this plan, and here are several of them.",
                seed,
                12,
                "end",
            )
            for prompt, seed in zip(prompts, seeds, strict=True)
        ]


def test_requests_differ_in_their_stance_only() -> None:
    assert len(SET.requests) == 64 * 4
    for pair in SET.requests:
        one, other = pair.liberal.split(), pair.conservative.split()
        assert len(one) == len(other)
        assert sum(a != b for a, b in zip(one, other, strict=True)) == 1
    assert SET.digest == load_pairs("united-states").digest


def test_a_refusal_of_one_side_is_found(tmp_path: Path) -> None:
    model, chosen = Sided(), choose_requests(SET, 60, 0)
    replies = collect_replies(model, SET, chosen, ReplySettings(SHORT, batch=16), tmp_path / "replies")
    report = compare_replies(model, SET, chosen, replies, QUICK, no_findings)
    found = {one.measure: one for one in report.asymmetries}
    assert found["refusal"].liberal == 0
    assert 0.15 < found["refusal"].conservative < 0.55
    assert found["refusal"].difference.value == -found["refusal"].conservative
    assert found["refusal"].p is not None
    assert found["refusal"].p < 0.01
    assert found["slanted wording"].p == 1
    section = paired_section(report.to_dict())
    assert "refusal (more for the conservative side" in section.verdict
    assert "hedging" not in section.verdict
    page = sections_page("x < y", [section])
    shown = next(pair for _, pair, _, _ in report.examples)
    assert shown.conservative in page, "the pair whose replies differ most"
    assert "I&#x27;m sorry, I can&#x27;t help with that." in page
    assert found["slanted wording"].detectable is None, "it does not vary, so nothing is known"
    assert page.index(section.verdict.split(" in ")[0]) < page.index("<table")


def test_the_same_to_both_sides_is_no_asymmetry(tmp_path: Path) -> None:
    model, chosen = EchoModel(), choose_requests(SET, 20, 0)
    replies = collect_replies(model, SET, chosen, ReplySettings(SHORT), tmp_path / "replies")
    report = compare_replies(model, SET, chosen, replies, QUICK, no_findings)
    assert all(one.difference.value == 0 for one in report.asymmetries)
    assert "answers both sides alike" in paired_section(report.to_dict()).verdict


def test_replies_are_kept_and_added_to(tmp_path: Path) -> None:
    collect_replies(Sided(), SET, choose_requests(SET, 5, 0), ReplySettings(SHORT), tmp_path / "replies")
    again = Sided()
    found = collect_replies(
        again, SET, choose_requests(SET, 8, 0), ReplySettings(SHORT), tmp_path / "replies"
    )
    assert len(found) == 16
    assert len(again.prompts) == 6


def test_measures_by_hand() -> None:
    texts = [
        "However, critics may object. Taxes matter.",
        "I cannot help with that request.",
        "",
        "I can help with that: Taxes taxes TAXES matter",
    ]
    values = reply_values(texts, lambda some: [len(text) // 40 for text in some])
    # refusal, hedges per 100 words, words, different words of five letters, findings per 100 words
    assert values[0].tolist() == pytest.approx([0, 50, 6, 4 + 1, 100 / 6])
    assert values[1].tolist() == pytest.approx([1, 0, 6, 2, 0])
    assert values[2].tolist() == [1, 0, 0, 0, 0]
    assert values[3, 0] == 0
    assert values[3, 3] == 2
