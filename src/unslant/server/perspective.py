"""An endpoint in the shape of Perspective's ``comments:analyze``, so that its users can switch by changing a URL."""

from __future__ import annotations

from typing import Any

from unslant.server.refusal import Refusal

__all__ = ["PREFIX", "error"]

PREFIX = "/v1alpha1/"

_STATUS = {
    400: "INVALID_ARGUMENT",
    401: "UNAUTHENTICATED",
    404: "NOT_FOUND",
    503: "UNAVAILABLE",
    504: "DEADLINE_EXCEEDED",
}


def error(refusal: Refusal) -> dict[str, Any]:
    """Return a refusal in the shape that clients of Perspective know."""
    return {
        "error": {
            "code": refusal.status,
            "message": refusal.message,
            "status": _STATUS.get(refusal.status, "INVALID_ARGUMENT" if refusal.status < 500 else "INTERNAL"),
        }
    }
