"""Fit the weak labeller on WIKIBIAS dev and print what goes into ``weak_labels.toml``; then measure what ships.

Usage: python benchmarks/weak_labels.py DATA
"""

from __future__ import annotations

import json
import sys

from unslant.evaluation.weak_label_fit import fit, observations, tune
from unslant.evaluation.weak_labels import gold_pairs, weak_labels


def main(data: str) -> None:
    """Print weights, threshold and figures."""
    seen = observations(pair for pair in gold_pairs(data) if pair[0].split == "dev")
    weights = fit(seen)
    print(f"threshold = {tune(seen, weights)}\n\n[weights]")
    for name, weight in weights.items():
        print(f'"{name}" = {weight}')
    print(json.dumps(weak_labels(data), indent=2))


if __name__ == "__main__":
    main(*sys.argv[1:])
