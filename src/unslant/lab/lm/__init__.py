"""Language models behind one protocol, opened by name: transformers, OpenAI-compatible endpoints, and a mock."""

from __future__ import annotations

from pathlib import Path

from unslant.core.errors import MissingExtra, ModelError
from unslant.protocols import LanguageModel

__all__ = ["open_model"]

_EXTRA = ("accelerate", "gguf", "numpy", "torch", "transformers")


def open_model(
    name: str, *, batch: int = 8, threads: int | None = None, precision: str | None = None
) -> LanguageModel:
    """Return a language model by its name.

    ``mock:ANY``, ``http://HOST/v1`` (``?model=NAME`` where it serves several), a GGUF file, a folder, or a hub name.
    ``batch`` texts are generated at a time; ``threads`` is the number of torch threads, None for torch's default.
    ``precision`` is for local models, such as ``bfloat16``; None: 32 bits on a CPU, the model's own on a GPU.
    """
    if precision and name.startswith(("mock:", "http://", "https://")):
        raise ModelError(f"{name}: only a local model has a --precision; leave the option out.")
    if name.startswith("mock:"):
        from unslant.lab.lm.mock import MockModel

        return MockModel(name)
    if name.startswith(("http://", "https://")):
        from unslant.lab.lm.endpoint import EndpointModel

        return EndpointModel(name, parallel=batch)
    _check_path(name)
    try:
        from unslant.lab.lm.causal import CausalModel
    except ModuleNotFoundError as error:
        raise _missing_extra(error) from error
    return CausalModel.load(name, batch=batch, threads=threads, precision=precision)


def _check_path(name: str) -> None:
    """Report a wrong path before anything heavy is loaded."""
    path = Path(name)
    if name.endswith(".gguf") and not path.is_file():
        raise ModelError(f"{name}: no such GGUF file.")
    if path.is_dir() and not (path / "config.json").is_file():
        raise ModelError(f"{name}: this folder has no config.json, so it is not a language model.")
    if path.is_file() and not name.endswith(".gguf"):
        raise ModelError(
            f"{name}: not a language model; name a folder, a .gguf file, a hub name or an address."
        )


def _missing_extra(error: ModuleNotFoundError) -> Exception:
    package = (error.name or "").partition(".")[0]
    return MissingExtra("a language model", package, "lm") if package in _EXTRA else error
