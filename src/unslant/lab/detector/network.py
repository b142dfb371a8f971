"""The detector network, an encoder from transformers with several heads, and its folder on disk.

The folder holds ``network.safetensors`` (all weights), ``network.json`` (heads, pooling, decisions), and the encoder's
configuration and tokenizer as transformers writes them. No pickle is written or read.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn

from unslant.core.errors import ConfigError, InputError
from unslant.core.files import read_json
from unslant.lab.detector.heads import make_head
from unslant.lab.detector.recipe import HeadPlan, Recipe, build
from unslant.lab.detector.relative_attention import RelativeEncoder
from unslant.lab.detector.vocabulary import cut_vocabulary
from unslant.neural.group_masking import NAME_MASK, listed_masks
from unslant.neural.hub import transformers_to_load

if TYPE_CHECKING:
    from collections.abc import Iterable

STEPS = 7
"""Quantization steps on either side of 0 in four bits."""
_CLIPPED = (1.0, 0.9, 0.8, 0.7, 0.6, 0.5)
"""Candidate clipping points, as shares of the largest value of a row."""


def _to_load(name: str | Path) -> AbstractContextManager[Any]:
    return transformers_to_load(str(name), "encoder", "training", "train", ConfigError)


def load_tokenizer(name: str | Path) -> Any:
    """Load the fast tokenizer of an encoder; only fast tokenizers report offsets."""
    with _to_load(name) as transformers:
        tokenizer = transformers.AutoTokenizer.from_pretrained(str(name), trust_remote_code=False)
        if type(tokenizer).__name__ == "DebertaV2Tokenizer":
            # this class replaces the normalizer of the published file, and then does not know ellipses and ligatures
            tokenizer = transformers.PreTrainedTokenizerFast.from_pretrained(
                str(name), trust_remote_code=False
            )
    if not getattr(tokenizer, "is_fast", False):
        raise ConfigError(
            f"{name}: the tokenizer does not report offsets; use an encoder with a fast tokenizer"
        )
    return tokenizer


def load_encoder(name: str | Path) -> Any:
    """Load an encoder and its weights, from safetensors only and without remote code."""
    with _to_load(name) as transformers:
        encoder = transformers.AutoModel.from_pretrained(
            str(name), use_safetensors=True, trust_remote_code=False
        )
    return _prepare(encoder)


def rebuild_encoder(folder: Path) -> Any:
    """Build the encoder of a folder's configuration with random weights."""
    with _to_load(folder) as transformers:
        config = transformers.AutoConfig.from_pretrained(str(folder), trust_remote_code=False)
    return as_encoder(config)


def as_encoder(config: Any) -> nn.Module:
    """Build an encoder with random weights."""
    from transformers import AutoModel

    return _prepare(AutoModel.from_config(config))


def _prepare(encoder: Any) -> nn.Module:
    # the pooler was trained for another task, and no head uses it
    if getattr(encoder, "pooler", None) is not None:
        encoder.pooler = None
    return RelativeEncoder(encoder) if encoder.config.model_type == "deberta-v2" else encoder


def _layers(encoder: nn.Module) -> tuple[str, int]:
    """Return the name and length of the module list that holds the layers."""
    lists = [(name, len(part)) for name, part in encoder.named_modules() if isinstance(part, nn.ModuleList)]
    if not lists:
        return "", 0
    return max(lists, key=lambda entry: entry[1])


def depths(encoder: nn.Module) -> dict[str, int]:
    """Return the depth of each parameter: 0 for embeddings, then 1 for the lowest layer and so on."""
    prefix, count = _layers(encoder)
    found = {}
    for name, _ in encoder.named_parameters():
        inside = name.startswith(f"{prefix}.") if prefix else False
        number = name[len(prefix) + 1 :].partition(".")[0] if inside else ""
        found[name] = min(int(number) + 1, count) if number.isdigit() else 0
    return found


def truncate_layers(encoder: Any, depth: int) -> None:
    """Keep only the lowest ``depth`` layers; 0 keeps all."""
    prefix, count = _layers(encoder)
    if not depth or depth >= count:
        return
    owner, _, name = prefix.rpartition(".")
    parent = encoder.get_submodule(owner)
    setattr(parent, name, getattr(parent, name)[:depth])
    encoder.config.num_hidden_layers = depth


def truncate_positions(encoder: Any, length: int) -> None:
    """Drop the position embeddings beyond a maximum length, if the encoder has any."""
    for name, part in list(encoder.named_modules()):
        if name.endswith("position_embeddings") and isinstance(part, nn.Embedding):
            # some encoders start counting after the padding index
            first = 0 if part.padding_idx is None else part.padding_idx + 1
            part.weight = nn.Parameter(part.weight[: first + length].detach().clone())


@torch.no_grad()
def round_table(encoder: Any) -> None:
    """Round each row of the subword embeddings to fifteen steps, with the step width of the smallest error.

    The largest value of a row is always the largest step, so rounding is idempotent.
    """
    table = encoder.get_input_embeddings().weight
    largest = table.abs().amax(dim=1, keepdim=True)
    best, least = table.clone(), torch.full_like(largest, torch.inf)
    for share in _CLIPPED:
        width = (largest * share / STEPS).clamp(min=1e-12)
        rounded = (table / width).round().clamp(-STEPS, STEPS) * width
        lost = (rounded - table).square().sum(dim=1, keepdim=True)
        best, least = torch.where(lost < least, rounded, best), torch.minimum(lost, least)
    table.copy_(best)


def freeze(encoder: nn.Module, layers: int) -> None:
    """Freeze the embeddings and the lowest layers; 0 unfreezes everything."""
    places = depths(encoder)
    for name, parameter in encoder.named_parameters():
        parameter.requires_grad_(layers == 0 or places[name] > layers)


def trainable(module: nn.Module) -> Iterable[tuple[str, nn.Parameter]]:
    """Yield the trainable parameters with their names."""
    return ((name, parameter) for name, parameter in module.named_parameters() if parameter.requires_grad)


@dataclass(frozen=True, slots=True)
class NetworkPlan:
    """The components of a network besides its encoder."""

    heads: Mapping[str, HeadPlan]
    pooling: str = "mean"
    dropout: float = 0.1
    features: tuple[str, ...] = ()
    """The names of rule features added to the encoder output; empty for none."""
    max_length: int = 128
    prefix: str = ""
    group_masks: Mapping[str, str] = field(default_factory=dict)
    """What each masked word is read as."""
    name_mask: str = ""
    """What other names of persons are read as; nothing if they are not masked."""
    mask_people: bool = False
    """Whether all words for people by age, work, class or health are read as one."""


class DetectorNetwork(nn.Module):
    """An encoder with heads; one forward pass returns the logits of all."""

    def __init__(self, encoder: nn.Module, plan: NetworkPlan) -> None:
        super().__init__()
        self.plan = plan
        self.precision = torch.float32
        """The precision of the encoder; set during training only."""
        self.encoder = encoder
        width = int(encoder.config.hidden_size) + len(plan.features)  # type: ignore[union-attr,arg-type]
        self.query = nn.Linear(width, 1) if plan.pooling == "attention" else None
        self.heads = nn.ModuleDict(
            {name: make_head(head, width, plan.dropout) for name, head in plan.heads.items()}
        )

    def forward(self, ids: Tensor, mask: Tensor, features: Tensor | None = None) -> dict[str, Tensor]:
        """Turn (batch, subwords) into logits by head."""
        lower = self.precision != torch.float32
        with torch.autocast(ids.device.type, self.precision, enabled=lower) if lower else nullcontext():
            out = self.encoder(input_ids=ids, attention_mask=mask)
        hidden = out.last_hidden_state.float()
        if features is not None:
            hidden = torch.cat([hidden, features], dim=-1)  # (batch, subwords, width)
        pooled = self._pool(hidden, mask)  # (batch, width)
        return {name: head(hidden, pooled) for name, head in self.heads.items()}

    def _pool(self, hidden: Tensor, mask: Tensor) -> Tensor:
        if self.plan.pooling == "first":
            return hidden[:, 0]
        shares = mask.to(hidden.dtype)
        if self.query is not None:
            scores = self.query(hidden).squeeze(-1).masked_fill(mask == 0, -1e4)
            shares = torch.softmax(scores, dim=-1) * shares
        shares = shares / shares.sum(dim=1, keepdim=True)
        return (hidden * shares.unsqueeze(-1)).sum(dim=1)

    def reset_heads(self) -> None:
        """Reinitialize the heads, but not the encoder."""
        for part in (self.heads, self.query):
            for module in part.modules() if part is not None else ():
                if isinstance(module, nn.Linear):
                    module.reset_parameters()


@dataclass(frozen=True, slots=True)
class Trained:
    """A network with its tokenizer and the decisions made on development data."""

    network: DetectorNetwork
    tokenizer: Any
    decisions: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Calibration and thresholds, by head."""


def make_network(recipe: Recipe, features: Sequence[str] = (), texts: Iterable[str] = ()) -> Trained:
    """Build the network of a recipe; the recipe's seed initializes the heads.

    ``texts`` are those in which subwords are counted, for a recipe with a smaller vocabulary; a trained model that the
    recipe continues from keeps its own.
    """
    before = load_trained(recipe.encoder) if Path(recipe.encoder, "network.json").is_file() else None
    tokenizer = before.tokenizer if before else load_tokenizer(recipe.encoder)
    encoder = before.network.encoder if before else load_encoder(recipe.encoder)
    truncate_layers(encoder, recipe.depth)
    if recipe.vocabulary is not None and before is None:
        tokenizer = cut_vocabulary(tokenizer, encoder, texts, recipe.vocabulary.size)
    if recipe.table == "int4":
        round_table(encoder)
    plan = NetworkPlan(
        heads=recipe.heads,
        pooling=recipe.pooling,
        features=tuple(features),
        max_length=min(recipe.max_length, _max_positions(encoder)),
        prefix=recipe.prefix,
        group_masks=dict(listed_masks()) if recipe.mask_groups else {},
        name_mask=NAME_MASK if recipe.mask_groups else "",
        mask_people=recipe.mask_groups,
    )
    torch.manual_seed(recipe.seed)
    network = DetectorNetwork(encoder, plan)
    if before is not None:
        # the weights that both networks have in the same shape
        new, old = network.state_dict(), before.network.state_dict()
        shared = {
            name: value for name, value in old.items() if name in new and new[name].shape == value.shape
        }
        network.load_state_dict(new | shared)
    return Trained(network, tokenizer)


def _max_positions(encoder: Any) -> int:
    if isinstance(encoder, RelativeEncoder):
        return encoder.longest
    longest = getattr(encoder.config, "max_position_embeddings", None)
    return int(longest) if longest and longest > 0 else 1_000_000


WEIGHTS = "network.safetensors"
"""Not ``model.safetensors``: transformers would open the folder as one of its own, find no weight under the name it
looks for, and go on with random ones. Without that file it refuses."""


def save_trained(trained: Trained, folder: Path) -> None:
    """Write the folder of a trained model."""
    from safetensors.torch import save_file

    folder.mkdir(parents=True, exist_ok=True)
    trained.network.encoder.config.save_pretrained(folder)  # type: ignore[union-attr,operator]
    trained.tokenizer.save_pretrained(folder)
    save_file(weights(trained.network), folder / WEIGHTS)
    about = {"plan": asdict(trained.network.plan), "decisions": trained.decisions}
    (folder / "network.json").write_text(json.dumps(about, indent=2) + "\n", "utf-8")


def weights(network: nn.Module) -> dict[str, Tensor]:
    """Return copies of all weights, ready to be written."""
    return {name: value.detach().contiguous().clone() for name, value in network.state_dict().items()}


def load_trained(folder: str | Path) -> Trained:
    """Load what :func:`save_trained` wrote."""
    from safetensors.torch import load_file

    folder = Path(folder)
    try:
        about = read_json(folder / "network.json")
    except InputError:
        raise ConfigError(
            f"{folder}: is not the folder of a trained model; 'unslant train' creates one"
        ) from None
    plan = build(NetworkPlan, about["plan"], f"{folder}/network.json: plan")
    network = DetectorNetwork(rebuild_encoder(folder), plan)
    # runs of earlier versions have the other name
    path = folder / WEIGHTS if (folder / WEIGHTS).is_file() else folder / "model.safetensors"
    network.load_state_dict(load_file(path))
    network.eval()
    return Trained(network, load_tokenizer(folder), about["decisions"])
