"""One encoder and its heads: pooling, saving, loading, layers."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from unslant.core.errors import ConfigError
from unslant.lab.detector.batches import collate, epoch_rng, plan_batches, sample_epoch
from unslant.lab.detector.loop import make_optimizer, set_rate
from unslant.lab.detector.network import depths, freeze, load_trained, make_network, round_table, save_trained
from unslant.lab.detector.predict import encode_for, predict
from unslant.lab.detector.recipe import HeadPlan, Part, Recipe, Stage
from unslant.lab.detector.rows import feature_names, feature_rows

from .toy import row, sample

pytestmark = pytest.mark.torch

HEADS = {name: HeadPlan(name) for name in ("sentence", "spans", "kinds", "dimension")}
STAGE = Stage("s", (Part("toy"),))


def recipe(encoder: Path, **more: Any) -> Recipe:
    return Recipe("toy", str(encoder), HEADS, (STAGE,), **more)


@pytest.mark.parametrize("pooling", ["mean", "first", "attention"])
def test_padding_changes_nothing(encoder: Path, pooling: str) -> None:
    trained = make_network(recipe(encoder, pooling=pooling))
    texts = ["the town met", "a long road opened on monday, the river was long ."]
    rows = encode_for(trained, [sample(text) for text in texts])
    together = predict(trained, rows)
    for at, item in enumerate(rows):
        alone = predict(trained, [item])
        for name in HEADS:
            assert torch.allclose(together[name][at], alone[name][0], atol=1e-5)


def test_outputs_come_in_the_order_of_the_rows(encoder: Path) -> None:
    trained = make_network(recipe(encoder))
    rows = encode_for(trained, [sample("the " * (1 + at % 7) + "town") for at in range(20)])
    outputs = predict(trained, rows, batch=4)
    assert [len(span) for span in outputs["spans"]] == [len(item.ids) for item in rows]
    assert torch.allclose(outputs["sentence"][0], outputs["sentence"][7])


@pytest.mark.parametrize("features", [False, True])
def test_a_saved_network_says_the_same(encoder: Path, tmp_path: Path, features: bool) -> None:
    trained = make_network(recipe(encoder, pooling="attention"), feature_names() if features else ())
    trained = replace(trained, decisions={"sentence": {"scale": 2.0}})
    save_trained(trained, tmp_path / "model")
    again = load_trained(tmp_path / "model")
    samples = [sample("the glorious town"), sample("a road opened")]
    before, after = (predict(item, encode_for(item, samples)) for item in (trained, again))
    for name in HEADS:
        assert all(torch.equal(a, b) for a, b in zip(before[name], after[name], strict=True))
    assert again.decisions == {"sentence": {"scale": 2.0}}
    files = {path.name for path in (tmp_path / "model").iterdir()}
    assert {"network.safetensors", "network.json", "config.json", "tokenizer.json"} <= files
    assert not any(name.endswith((".bin", ".pt", ".pkl")) for name in files)


def test_a_prefix_does_not_move_positions(encoder: Path) -> None:
    plain, prefixed = (make_network(recipe(encoder, prefix=prefix)) for prefix in ("", "the road "))
    (bare,) = encode_for(plain, [sample("a town met")])
    (moved,) = encode_for(prefixed, [sample("a town met")])
    assert [offset for offset in moved.offsets if offset[0] < offset[1]] == [
        offset for offset in bare.offsets if offset[0] < offset[1]
    ]
    assert len(moved.ids) == len(bare.ids) + 2


def test_what_is_too_long_is_cut(encoder: Path) -> None:
    trained = make_network(recipe(encoder, max_length=8))
    (encoded,) = encode_for(trained, [sample("the " * 50)])
    assert len(encoded.ids) == 8
    assert make_network(recipe(encoder, max_length=500)).network.plan.max_length == 64


def test_the_same_seed_gives_the_same_heads(encoder: Path) -> None:
    first, same, other = (make_network(recipe(encoder, seed=seed)) for seed in (1, 1, 2))
    weights = [
        network.network.heads["kinds"].state_dict()["layers.1.weight"] for network in (first, same, other)
    ]
    assert torch.equal(weights[0], weights[1])
    assert not torch.equal(weights[0], weights[2])


def test_lower_layers_can_be_kept_as_they_are(encoder: Path) -> None:
    network = make_network(recipe(encoder)).network
    freeze(network.encoder, 1)
    places = depths(network.encoder)
    assert set(places.values()) == {0, 1, 2}
    free = {places[name] for name, parameter in network.encoder.named_parameters() if parameter.requires_grad}
    assert free == {2}
    freeze(network.encoder, 0)
    assert all(parameter.requires_grad for parameter in network.encoder.parameters())


def test_upper_layers_can_be_left_out(encoder: Path) -> None:
    network = make_network(recipe(encoder, depth=1)).network
    assert set(depths(network.encoder).values()) == {0, 1}
    assert network.encoder.config.num_hidden_layers == 1
    whole = make_network(recipe(encoder, depth=9)).network
    assert set(depths(whole.encoder).values()) == {0, 1, 2}


def test_a_rounded_table_has_fifteen_steps_a_row_is_near_and_stays(encoder: Path) -> None:
    before = make_network(recipe(encoder)).network.encoder.get_input_embeddings().weight.detach()
    network = make_network(recipe(encoder, table="int4")).network
    table = network.encoder.get_input_embeddings().weight
    assert all(len(row.unique()) <= 15 for row in table)
    # a step is at most a seventh of the largest number, and rounding loses half a step at most
    nearest = before.abs().amax(dim=1, keepdim=True) / 14
    assert (table - before).square().sum() <= nearest.square().expand_as(table).sum()
    assert not torch.equal(table, before)
    once = table.detach().clone()
    round_table(network.encoder)
    assert torch.allclose(table, once, rtol=1e-5)
    optimizer = make_optimizer(network, STAGE, tuple(HEADS), table=False)
    assert all(param is not table for group in optimizer.param_groups for param in group["params"])


def test_heads_have_their_own_learning_rate(encoder: Path) -> None:
    network = make_network(recipe(encoder)).network
    optimizer = make_optimizer(network, replace(STAGE, lr=1.0, head_lr=5.0), tuple(HEADS))
    assert {group["rate"] for group in optimizer.param_groups} == {1.0, 5.0}
    optimizer = make_optimizer(network, replace(STAGE, lr=1.0), tuple(HEADS))
    assert {group["rate"] for group in optimizer.param_groups} == {1.0}
    one_dimensional = [group for group in optimizer.param_groups if group["params"][0].dim() == 1]
    assert {group["weight_decay"] for group in one_dimensional} == {0.0}


def test_the_rate_rises_and_falls(encoder: Path) -> None:
    optimizer = make_optimizer(make_network(recipe(encoder)).network, replace(STAGE, lr=1.0), tuple(HEADS))
    rates = []
    for step in range(20):
        set_rate(optimizer, step, 20, 0.2)
        rates.append(optimizer.param_groups[0]["lr"])
    assert rates[:4] == [0.25, 0.5, 0.75, 1.0]
    assert rates[4:] == sorted(rates[4:], reverse=True)
    assert 0 < rates[-1] < 0.1


def test_batches_hold_every_row_once_and_like_lengths_together() -> None:
    rows = [row(" ".join("x" * (1 + at % 17))) for at in range(500)]
    batches = plan_batches(rows, 8, rng=epoch_rng(1, "s", 0))
    assert sorted(at for batch in batches for at in batch) == list(range(500))
    assert max(map(len, batches)) == 8

    padded = sum(max(len(rows[at].ids) for at in batch) * len(batch) for batch in batches)
    assert padded < sum(len(row.ids) for row in rows) * 1.05
    assert batches != plan_batches(rows, 8, rng=epoch_rng(1, "s", 1))
    assert batches == plan_batches(rows, 8, rng=epoch_rng(1, "s", 0))


def test_both_sides_of_a_pair_share_a_batch(encoder: Path) -> None:
    network = make_network(recipe(encoder)).network
    rows = []
    for at in range(30):
        rows += [
            row(f"source {at}", label=True, pair=str(at), side="source"),
            row(f"target {at} with more words", label=False, pair=str(at), side="target"),
        ]
    for indices in plan_batches(rows, 8, rng=epoch_rng(1, "s", 0), pairs=True):
        pairs = [rows[at].sample.example.pair for at in indices]
        assert all(pairs.count(pair) == 2 for pair in pairs)
        batch = collate(network, [rows[at] for at in indices], labels=["sentence"])
        assert len(batch.pairs["sentence"][0]) == len(pairs) // 2


def test_texts_without_slant_can_be_rarer() -> None:
    part = Part("toy", clean=0.25)
    samples = [sample(str(at), part, label=at < 400) for at in range(800)]
    chosen = sample_epoch(samples, epoch_rng(1, "s", 0))
    slanted = sum(bool(some.example.label) for some in chosen)
    assert slanted == 400
    assert 60 < len(chosen) - slanted < 140


def test_a_head_learns_only_from_its_own_corpora(encoder: Path) -> None:
    heads = {"sentence": HeadPlan("sentence"), "abuse": HeadPlan("sentence", corpora=("cad",))}
    network = make_network(replace(recipe(encoder), heads=heads)).network
    rows = [row("a", Part("cad"), label=True), row("b", Part("babe"), label=True)]
    targets = collate(network, rows, labels=list(heads)).targets
    assert targets["sentence"].weights.tolist() == [1, 1]
    assert targets["abuse"].weights.tolist() == [1, 0]


def test_features_are_what_the_rules_find() -> None:
    names = feature_names()
    encoded = row("clearly it rained")
    (values,) = feature_rows([encoded], 6, names)
    fired = {
        piece: [name for name, on in zip(names, some, strict=True) if on] for piece, some in enumerate(values)
    }
    assert fired[1]
    assert not any(fired[piece] for piece in (0, 2, 3, 4, 5))
    assert feature_rows([encoded], 6, ["a/rule-long-gone"]) == [[[0.0]] * 6]


def test_folders_that_are_no_model_get_one_clear_sentence(tmp_path: Path, encoder: Path) -> None:
    with pytest.raises(ConfigError, match="not the folder of a trained model"):
        load_trained(tmp_path)
    (tmp_path / "config.json").write_text(json.dumps({"model_type": "nonsense"}))
    with pytest.raises(ConfigError, match="no encoder could be loaded"):
        make_network(recipe(tmp_path))
    with pytest.raises(ConfigError, match="no encoder could be loaded"):
        make_network(recipe(encoder / "absent"))


def test_a_trained_model_is_an_encoder_too(encoder: Path, tmp_path: Path) -> None:
    first = make_network(recipe(encoder, seed=5))
    save_trained(first, tmp_path / "model")
    heads = HEADS | {"kinds": HeadPlan("kinds", options={"hidden": 4}), "opinion": HeadPlan("opinion")}
    second = make_network(replace(recipe(tmp_path / "model"), heads=heads))
    before, after = first.network.state_dict(), second.network.state_dict()
    went_on = {name for name in after if name in before and torch.equal(before[name], after[name])}
    assert {name for name in after if name.startswith("encoder.")} <= went_on
    assert "heads.spans.layers.1.weight" in went_on
    assert "heads.kinds.layers.1.weight" not in went_on


def test_subwords_of_a_mask_have_the_position_of_the_masked_name(encoder: Path) -> None:
    text = "The Democrats thanked Joe Biden, and Joe Biden thanked them."
    trained = make_network(recipe(encoder, mask_groups=True))
    (row,) = encode_for(trained, [sample(text)])
    assert {text[start:end] for start, end in row.offsets} >= {"Democrats", "Joe Biden", "thanked"}
