"""Services that serve language models under names that people write: ``openai/gpt-4o-mini``, ``ollama/llama3.2``."""

from __future__ import annotations

import os
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Provider:
    """An OpenAI-compatible service."""

    name: str
    """The part of a model's name before the slash."""
    address: str
    """Where it is."""
    key: str = ""
    """The environment variable that holds the key; empty: it needs none."""
    address_variable: str = ""
    """The environment variable that names another address."""
    hint: str = ""
    """What to do if it cannot be reached."""

    @property
    def base(self) -> str:
        """The address, or the one that the environment names."""
        given = os.environ.get(self.address_variable, "") if self.address_variable else ""
        if not given:
            return self.address
        return f"{given if '://' in given else f'http://{given}'}".rstrip("/").removesuffix("/v1") + "/v1"

    def endpoint(self, model: str) -> str:
        """Return the address of a model of this service."""
        return f"{self.base}?model={model}"


PROVIDERS = {
    provider.name: provider
    for provider in (
        Provider("openai", "https://api.openai.com/v1", "OPENAI_API_KEY", "OPENAI_BASE_URL"),
        Provider("anthropic", "https://api.anthropic.com/v1", "ANTHROPIC_API_KEY"),
        Provider("ollama", "http://127.0.0.1:11434/v1", "", "OLLAMA_HOST", "start it with: ollama serve"),
    )
}


def provider_of(name: str) -> tuple[Provider, str] | None:
    """Return the service and the model that a name such as ``openai/gpt-4o-mini`` names; None: no service."""
    service, slash, model = name.partition("/")
    provider = PROVIDERS.get(service)
    return (provider, model) if provider and slash and model else None
