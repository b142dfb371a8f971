"""The scikit-learn transformer."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.sklearn

TEXTS = [
    "The legendary singer slammed the plan.",
    "The committee met.",
    "Critics blasted the vote.",
    "It rained.",
]


def test_texts_become_counts_per_sentence() -> None:
    from unslant.integrations.sklearn import SlantFeatures

    features = SlantFeatures().fit(TEXTS).transform(TEXTS)
    names = list(SlantFeatures().get_feature_names_out())
    assert features.shape == (4, len(names))
    assert list(features[:, names.index("findings")]) == [2, 0, 1, 0]


def test_it_works_in_a_pipeline() -> None:
    from sklearn.base import clone
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline

    from unslant.integrations.sklearn import SlantFeatures

    model = make_pipeline(clone(SlantFeatures()), LogisticRegression())
    model.fit(TEXTS, [1, 0, 1, 0])
    assert list(model.predict(TEXTS)) == [1, 0, 1, 0]


@pytest.mark.parametrize("analyzers", [("rules",), ("rules", "model"), ("model",)])
def test_every_feature_of_every_text_is_a_number(analyzers: tuple[str, ...]) -> None:
    """A NaN would stop the estimator that follows, and a column of NaN says nothing."""
    import numpy

    from unslant.integrations.sklearn import SlantFeatures

    features = SlantFeatures(analyzers=analyzers)
    rows = features.transform([*TEXTS, "", "Das ist ein ganz gewöhnlicher deutscher Satz über das Wetter."])
    assert numpy.isfinite(rows).all()
    assert rows.shape == (6, len(features.get_feature_names_out()))


def test_with_a_model_a_text_says_whether_it_was_judged() -> None:
    from unslant.integrations.sklearn import SlantFeatures

    features = SlantFeatures(analyzers=("rules", "model"))
    names = list(features.get_feature_names_out())
    slanted, empty = features.transform([TEXTS[0], ""])
    assert slanted[names.index("judged")] == 1
    assert slanted[names.index("probability")] > 0.5
    assert list(empty[-2:]) == [0, 0]
