"""Why a request, or one item of it, is not answered."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["Refusal"]


class Refusal(Exception):
    """A request that is refused: an HTTP status, a code for programs and one sentence for people."""

    def __init__(self, status: int, code: str, message: str, retry_after: int | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.message = message
        self.retry_after = retry_after

    @property
    def headers(self) -> Mapping[str, str]:
        """What is to be said in the head of the answer."""
        return {"retry-after": str(self.retry_after)} if self.retry_after is not None else {}

    def to_dict(self) -> dict[str, Any]:
        """Return the wire form."""
        return {"code": self.code, "message": self.message}
