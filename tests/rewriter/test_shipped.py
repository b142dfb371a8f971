"""The rewriter that ships; every file that its description names must be there and whole."""

import pytest

from unslant.core.types import Span
from unslant.protocols import WordsInSentence
from unslant.rewriter.network import propose
from unslant.rewriter.package import load_rewriter, shipped_rewriter

# Only a build without rewriter.json has no rewriter: with it, a missing or damaged file is a failure, not a skip.
pytestmark = pytest.mark.skipif(shipped_rewriter() is None, reason="this build has no rewriter")


def test_every_file_is_whole() -> None:
    package = load_rewriter()
    assert sum(len(package.read(name)) for name in package.files) < 60_000_000


def test_mirrored_sentences_get_mirrored_wordings() -> None:
    left, right = "Republicans slammed Democrats for the bill.", "Democrats slammed Republicans for the bill."
    first, second = propose(
        [
            WordsInSentence(left, Span(12, 19), "attack-verb"),
            WordsInSentence(right, Span(10, 17), "attack-verb"),
        ]
    )
    assert first == second
    assert "criticized" in [wording.text for wording in first[:3]]
