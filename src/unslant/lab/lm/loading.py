"""Loads the weights of a causal language model, in the precision that was asked for."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch

from unslant.core.errors import ModelError
from unslant.core.generation import PRECISIONS

__all__ = ["load_weights"]


def load_weights(name: str, precision: str | None = None) -> tuple[Any, Any]:
    """Return a model and its tokenizer, from a hub name, a folder or a GGUF file; code that comes with it is not run.

    Without a precision it is 32 bits on a CPU, where they are exact and everywhere known, and the model's own on a GPU.
    """
    from transformers import AutoModelForCausalLM, AutoTokenizer
    from transformers.utils import logging

    logging.disable_progress_bar()  # type: ignore[no-untyped-call]  # our commands have bars of their own
    if precision is not None and precision not in PRECISIONS:
        raise ModelError(
            f"{name}: precision {precision!r} is not known; it is one of {', '.join(PRECISIONS)}."
        )
    where: dict[str, Any] = {"pretrained_model_name_or_path": name}
    if name.endswith(".gguf"):
        where = {"pretrained_model_name_or_path": str(Path(name).parent), "gguf_file": Path(name).name}
    gpu = torch.cuda.is_available()
    dtype: Any = getattr(torch, precision) if precision else "auto" if gpu else torch.float32
    try:
        tokenizer = AutoTokenizer.from_pretrained(**where)
        model = AutoModelForCausalLM.from_pretrained(**where, dtype=dtype)
    except ImportError as error:
        raise ModelError(f"{name}: {str(error).splitlines()[0]}") from error
    except (OSError, ValueError, KeyError) as error:
        raise ModelError(
            f"{name}: not a language model that can be loaded ({_first_line(error)})."
        ) from error
    return model.to("cuda") if gpu else model, tokenizer


def _first_line(error: Exception) -> str:
    return (str(error) or type(error).__name__).strip().splitlines()[0].rstrip(".")
