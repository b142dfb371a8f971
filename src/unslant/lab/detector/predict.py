"""What a network predicts for many texts: logits by head, decoded and measured."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from unslant.lab.detector.batches import collate, epoch_rng, learns_from, plan_batches
from unslant.lab.detector.heads import DecodedRow
from unslant.lab.detector.rows import EncodedRow, TrainingSample, encode
from unslant.neural.calibrate import sentence_probability
from unslant.neural.checkpoint import HeadSpec
from unslant.neural.decoder import Decoder, HeadSelection, NetworkOutput, first_head, gate_span_heads
from unslant.neural.group_masking import GroupMask
from unslant.neural.span_edits import SpanEditDecoder
from unslant.neural.subwords import NormalizedText

if TYPE_CHECKING:
    from unslant.lab.detector.network import DetectorNetwork, Trained

Outputs = Mapping[str, list[Tensor]]
_MANY = 32
"""Heads with more outputs per subword are kept as arrays, and only where they are needed."""


def encode_for(trained: Trained, samples: Sequence[TrainingSample]) -> list[EncodedRow]:
    """Tokenize texts the way the network was trained."""
    plan = trained.network.plan

    @cache
    def is_subword(word: str) -> bool:
        return len(trained.tokenizer(word, add_special_tokens=False)["input_ids"]) == 1

    mask = GroupMask(plan.group_masks, plan.name_mask, people=plan.mask_people, is_subword=is_subword)
    return encode(trained.tokenizer, samples, plan.max_length, plan.prefix, mask=mask)


@torch.no_grad()
def predict(
    trained: Trained,
    rows: Sequence[EncodedRow],
    *,
    batch: int = 64,
    progress: Callable[[int], None] | None = None,
    heads: Collection[str] | None = None,
    all_rows: bool = True,
) -> Outputs:
    """Return the logits of every row by head, in order, without padding.

    ``heads`` selects heads. Without ``all_rows``, the outputs of a large head are empty for rows of corpora that it
    does not learn from; otherwise they would fill the memory.
    """
    network = trained.network
    was_training = network.training
    network.eval()
    chosen = [name for name in network.heads if heads is None or name in heads]
    found: dict[str, list[Any]] = {name: [torch.empty(0)] * len(rows) for name in chosen}
    for places in plan_batches(rows, batch, rng=epoch_rng(0, "predict", 0)) if rows else ():
        some = [rows[at] for at in places]
        made = collate(network, some, padding=padding(trained))
        outputs = network(made.ids, made.mask, made.features)
        for name in chosen:
            logits = outputs[name]
            by_subword = network.heads[name].level == "subword"
            large = logits.dim() > 1 and logits.shape[-1] > _MANY
            for at, output in zip(places, logits, strict=True):
                if large and not all_rows and not learns_from(network, name, rows[at]):
                    continue
                found[name][at] = (output[: len(rows[at].ids)] if by_subword else output).clone()
        if progress:
            progress(len(places))
    network.train(was_training)
    return found


def padding(trained: Trained) -> int:
    """Return the id of the padding token."""
    return int(trained.tokenizer.pad_token_id or 0)


def head_specs(network: DetectorNetwork, decisions: Mapping[str, Mapping[str, Any]]) -> dict[str, HeadSpec]:
    """Return what the decoder needs to know about each head."""
    found = {}
    for name, module in network.heads.items():
        head: Any = module
        plan = network.plan.heads[name]
        found[name] = HeadSpec(
            name,
            plan.type,
            head.level,
            tuple(head.labels),
            head.exclusive,
            decisions.get(name, {}),
            plan.options,
        )
    return found


def span_edit_decoders(network: DetectorNetwork) -> dict[str, SpanEditDecoder]:
    """Return the decoders of heads of type ``edits``, by name."""
    heads: Mapping[str, Any] = dict(network.heads.items())
    return {
        name: SpanEditDecoder(head.tables(), head.labels)
        for name, head in heads.items()
        if hasattr(head, "tables")
    }


def network_output(network: DetectorNetwork, outputs: Outputs, row: EncodedRow, place: int) -> NetworkOutput:
    """Return the outputs for one row as input of the decoder, without heads that have no output for it."""
    of_text: dict[str, list[float]] = {}
    of_subwords: dict[str, Any] = {}
    for name, some in outputs.items():
        output = some[place]
        if not output.numel():
            continue
        if network.heads[name].level == "subword":
            of_subwords[name] = output.numpy() if output.shape[-1] > _MANY else output.tolist()
        else:
            of_text[name] = output.reshape(-1).tolist()
    return NetworkOutput(NormalizedText.unchanged(row.text), row.offsets, of_text, of_subwords)


def select_head(specs: Mapping[str, HeadSpec], name: str) -> HeadSelection:
    """Return the selection that measures one head: a span head answers with its gate and the heads for kinds."""
    type_, label = specs[name].type, f"head: {name}"
    if type_ == "spans":
        own = tuple(pair for pair in gate_span_heads(specs) if pair.name == name)
        kinds, span_kinds = first_head(specs, "kinds"), first_head(specs, "span_kinds")
        return HeadSelection(label, span_heads=own, kinds=kinds, span_kinds=span_kinds)
    if type_ in ("sentence", "kinds", "dimension", "opinion", "edits"):
        chosen: dict[str, Any] = {type_: name}
        return HeadSelection(label, **chosen)
    return HeadSelection(label)


def decode_head(
    network: DetectorNetwork,
    name: str,
    outputs: Outputs,
    rows: Sequence[EncodedRow],
    decisions: Mapping[str, Mapping[str, Any]],
) -> list[DecodedRow]:
    """Decode the rows on which a head is measured."""
    specs = head_specs(network, decisions)
    edits = span_edit_decoders(network) if specs[name].type == "edits" else {}
    decoder = Decoder(specs, select_head(specs, name), span_edits=edits)
    return [
        DecodedRow(row, decoder.decode(network_output(network, outputs, row, place)), outputs[name][place])
        for place, row in enumerate(rows)
        if learns_from(network, name, row)
    ]


def decide(
    network: DetectorNetwork, outputs: Outputs, rows: Sequence[EncodedRow]
) -> dict[str, dict[str, Any]]:
    """Choose calibration and thresholds of every head with labels in the rows; gates before the heads they gate."""
    found: dict[str, dict[str, Any]] = {}
    heads: Mapping[str, Any] = dict(network.heads.items())
    types = {name: plan.type for name, plan in network.plan.heads.items()}
    for name in sorted(heads, key=lambda name: types[name] != "sentence"):
        places = [place for place, row in enumerate(rows) if learns_from(network, name, row)]
        gates = _gates(network, name, outputs, places, found)
        own = [outputs[name][place] for place in places]
        decision = heads[name].decide(own, [rows[place] for place in places], gates)
        if decision:
            found[name] = decision
    return {name: found[name] for name in heads if name in found}


def _gates(
    network: DetectorNetwork,
    name: str,
    outputs: Outputs,
    places: Sequence[int],
    decisions: Mapping[str, Mapping[str, Any]],
) -> list[float | None]:
    pairs = {pair.name: pair.gate for pair in gate_span_heads(head_specs(network, decisions))}
    gate = pairs.get(name)
    if gate is None:
        return [None] * len(places)
    decision = decisions.get(gate, {})
    return [sentence_probability(float(outputs[gate][place]), decision) for place in places]


def measure(
    network: DetectorNetwork,
    outputs: Outputs,
    rows: Sequence[EncodedRow],
    decisions: Mapping[str, Mapping[str, Any]],
) -> dict[str, float]:
    """Return the metrics as ``head.metric`` for every head with labels in the rows, decoded as in the product."""
    figures: dict[str, float] = {}
    for name, head in network.heads.items():
        decoded = decode_head(network, name, outputs, rows, decisions)
        found = head.measure(decoded, decisions.get(name, {}))  # type: ignore[operator]
        figures.update({f"{name}.{figure}": value for figure, value in found.items()})
    return figures
