"""Fixtures for the tests of fixing."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from unslant import api
from unslant.rewrite import candidates, convergence, gates


@pytest.fixture
def trusting(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Leave out the judge of edits and their records, and hear the edit model, so that the other gates can be seen."""
    monkeypatch.setattr(candidates, "_enough", lambda _: 0.0)
    monkeypatch.setattr(gates, "unsound", lambda *_: None)
    monkeypatch.setattr(gates, "unearned", lambda *_: None)
    monkeypatch.setattr(convergence, "unsound_together", lambda *_: False)
    api._fixer.cache_clear()
    yield
    api._fixer.cache_clear()
