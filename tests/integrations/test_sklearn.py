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
    from sklearn.preprocessing import FunctionTransformer

    from unslant.integrations.sklearn import SlantFeatures

    drop_probability = FunctionTransformer(lambda features: features[:, :-1])
    model = make_pipeline(clone(SlantFeatures()), drop_probability, LogisticRegression())
    model.fit(TEXTS, [1, 0, 1, 0])
    assert list(model.predict(TEXTS)) == [1, 0, 1, 0]
