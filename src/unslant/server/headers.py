"""The headers that keep a browser from doing what nobody asked for."""

from __future__ import annotations

__all__ = ["ANSWER", "PAGE"]

_ALWAYS = {
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}

PAGE = _ALWAYS | {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; "
        "connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
        "require-trusted-types-for 'script'"
    ),
    "cache-control": "no-cache",
}
"""For the page: its own files and our own answers, nothing inline, nothing from elsewhere."""

ANSWER = _ALWAYS | {
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
    "cache-control": "no-store",
}
"""For everything else: what was found in a text is not to be kept by anybody on the way."""
