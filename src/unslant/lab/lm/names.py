"""The names of language models, as people write them, and whether what they name can be reached.

==============================  ==========================================================================
``openai/NAME``                 a model of OpenAI; the key is in ``OPENAI_API_KEY``
``anthropic/NAME``              a model of Anthropic; the key is in ``ANTHROPIC_API_KEY``
``ollama/NAME``                 a model of the Ollama on this machine, or of ``OLLAMA_HOST``
``http://HOST/v1``              an OpenAI-compatible endpoint; ``?model=NAME`` where it serves several
``hf:NAME``, ``OWNER/NAME``     a model on the hub of Hugging Face, or in its cache
``gguf:FILE``, ``FILE.gguf``    a GGUF file
a folder                        a model that transformers has saved
``mock:ANY``                    no model: words derived from a hash, to try things out
==============================  ==========================================================================
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from unslant.core.errors import ModelError
from unslant.core.providers import PROVIDERS, Provider, provider_of
from unslant.neural.hub import accepts_connections, check_hub

Kind = Literal["mock", "endpoint", "gguf", "folder", "hub"]

_FORMS = "openai/NAME, anthropic/NAME, ollama/NAME, hf:OWNER/NAME, gguf:FILE, a folder or http://HOST/v1"


@dataclass(frozen=True, slots=True)
class ModelName:
    """What a name refers to."""

    given: str
    """As the user wrote it."""
    kind: Kind
    target: str
    """The address, path or hub name."""
    provider: Provider | None = None

    @property
    def key(self) -> str:
        """The environment variable with the key of an endpoint."""
        return self.provider.key if self.provider else "OPENAI_API_KEY"

    def check_reachable(self) -> None:
        """Raise :class:`ModelError` if there is nothing at the other end, before anything heavy is loaded."""
        if self.kind == "endpoint":
            self._check_endpoint()
        elif self.kind == "gguf" and not Path(self.target).is_file():
            raise ModelError(f"{self.given}: no such GGUF file.")
        elif self.kind == "folder" and not (Path(self.target) / "config.json").is_file():
            raise ModelError(f"{self.given}: this folder has no config.json, so it is not a language model.")
        elif self.kind == "hub":
            check_hub(self.target, self.given, f"write {_FORMS}")

    def _check_endpoint(self) -> None:
        if self.provider is None:
            return  # the first request says more than a connection would
        if self.provider.key and not os.environ.get(self.provider.key):
            raise ModelError(f"{self.given}: set {self.provider.key} to your key first.")
        if not accepts_connections(self.target):
            hint = self.provider.hint or "check the network"
            raise ModelError(f"{self.given}: {self.provider.base} does not answer; {hint}.")


def parse_name(name: str) -> ModelName:
    """Return what a name refers to; :class:`ModelError` if it has none of the known forms."""
    scheme, colon, rest = name.partition(":")
    if name.startswith("mock:"):
        return ModelName(name, "mock", name)
    if name.lower().startswith(("http://", "https://")):
        return ModelName(name, "endpoint", name)
    if scheme in ("hf", "gguf") and colon:
        if not rest:
            raise ModelError(f"{name}: a name must follow; write {_FORMS}.")
        return ModelName(name, "gguf" if scheme == "gguf" else "hub", rest)
    if scheme in PROVIDERS and colon and rest:
        raise ModelError(f"{name}: write {scheme}/{rest}.")
    path = Path(name)
    if name.endswith(".gguf"):
        return ModelName(name, "gguf", name)
    if name.strip() and path.is_dir():
        return ModelName(name, "folder", name)
    if path.is_file():
        raise ModelError(f"{name}: not a language model; write {_FORMS}.")
    if served := provider_of(name):
        provider, model = served
        return ModelName(name, "endpoint", provider.endpoint(model), provider)
    if not name.strip() or name.count("/") > 1 or path.is_absolute() or name.startswith((".", "~")):
        raise ModelError(f"{name}: no such folder; write {_FORMS}.")
    return ModelName(name, "hub", name)
