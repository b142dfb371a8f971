"""Language models behind one protocol, opened by name: transformers, GGUF files, endpoints, and a mock."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from unslant.core.errors import MissingExtra, ModelError
from unslant.lab.lm.names import ModelName, parse_name
from unslant.protocols import LanguageModel

if TYPE_CHECKING:
    from unslant.lab.lm.causal import CausalModel

__all__ = ["is_endpoint", "local_model", "open_model"]

_EXTRA = ("accelerate", "gguf", "numpy", "torch", "transformers")


def is_endpoint(name: str) -> bool:
    """Return whether a model of this name runs on a server, which few can ask to score a given text."""
    return parse_name(name).kind == "endpoint"


def local_model(model: LanguageModel) -> CausalModel | None:
    """Return the model if its weights are at hand, with its tokenizer and hidden states; None if only texts are."""
    return cast("CausalModel", model) if hasattr(model, "model") and hasattr(model, "tokenizer") else None


def open_model(
    name: str, *, batch: int = 8, threads: int | None = None, precision: str | None = None
) -> LanguageModel:
    """Return a language model by its name; :mod:`unslant.lab.lm.names` lists the forms of names.

    A name that cannot be reached raises :class:`ModelError` at once, with what to write or do instead. ``batch`` texts
    are generated at a time; ``threads`` is the number of torch threads, None for torch's default. ``precision`` is for
    local models, such as ``bfloat16``; None: 32 bits on a CPU, the model's own on a GPU.
    """
    named = parse_name(name)
    if precision and named.kind in ("mock", "endpoint"):
        raise ModelError(f"{name}: only a local model has a --precision; leave the option out.")
    named.check_reachable()
    if named.kind == "mock":
        from unslant.lab.lm.mock import MockModel

        return MockModel(name)
    if named.kind == "endpoint":
        from unslant.lab.lm.endpoint import EndpointModel

        return EndpointModel(named.target, name=name, key=named.key, parallel=batch)
    return _open_local(named, batch, threads, precision)


def _open_local(named: ModelName, batch: int, threads: int | None, precision: str | None) -> LanguageModel:
    try:
        from unslant.lab.lm.causal import CausalModel
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        raise (MissingExtra("a language model", package, "lm") if package in _EXTRA else error) from error
    return CausalModel.load(named.target, batch=batch, threads=threads, precision=precision)
