"""Fit the weak labeller on WIKIBIAS dev, print the contents of ``weak_labels.toml``, and measure the one that ships.

Usage: python benchmarks/weak_labels.py DATA
"""

from __future__ import annotations

import json
import sys

from unslant.lab.evaluation.weak_labels import f1, fit, gold_pairs, observations, tune, weak_labels


def main(data: str) -> None:
    """Print weights, threshold and figures."""
    dev = [pair for pair in gold_pairs(data) if pair[0].split == "dev"]
    tried = {}
    for step in range(3, 10):
        seen = observations(dev, step / 10)
        weights = fit(seen)
        tried[step / 10] = (f1(seen, weights, tune(seen, weights)), seen, weights)
        print(f"# similarity {step / 10}: F1 {tried[step / 10][0]:.4f}")
    alike = max(tried, key=lambda step: tried[step][0])
    _, seen, weights = tried[alike]
    print(f"similarity = {alike}\nthreshold = {tune(seen, weights)}\n\n[weights]")
    for name, weight in weights.items():
        print(f'"{name}" = {weight}')
    print(json.dumps(weak_labels(data), indent=2))


if __name__ == "__main__":
    main(*sys.argv[1:])
