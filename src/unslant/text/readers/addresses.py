"""Web and mail addresses in running text, found without backtracking."""

from __future__ import annotations

import re
from collections.abc import Iterator

__all__ = ["addresses", "has_addresses"]

_SIGNS = ("://", "www.", "@")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]*\Z")
_LOCAL = re.compile(r"[\w.+%\-]+\Z")
_DOMAIN = re.compile(r"(?:[\w\-]{1,63}\.){1,8}[A-Za-z]{2,24}(?![\w\-])")
_REST = re.compile(r"[^\s<>\"“”«»\x00]*")
_TRAILING = ".,;:!?'\u2019*_~…|]}"
# A scheme or a mailbox is short; a longer run of letters before the sign is something else.
_LONGEST_SCHEME, _LONGEST_LOCAL = 20, 64


def has_addresses(text: str) -> bool:
    """Say cheaply whether the text could hold an address at all."""
    return any(sign in text for sign in _SIGNS)


def addresses(text: str, start: int = 0, end: int | None = None) -> Iterator[tuple[int, int]]:
    """Yield where addresses stand, in order; punctuation that ends a sentence is not part of one."""
    stop = len(text) if end is None else end
    done = start
    for at, sign in _signs(text, start, stop):
        if at >= done:
            found = _address(text, at, sign, (done, stop))
            if found is not None:
                yield found
                done = found[1]


def _signs(text: str, start: int, stop: int) -> Iterator[tuple[int, str]]:
    """Yield where an address could be; ``str.find`` is many times faster here than one pattern."""
    ahead = [(at, sign) for sign in _SIGNS if (at := text.find(sign, start, stop)) >= 0]
    while ahead:
        at, sign = nearest = min(ahead)
        yield nearest
        ahead.remove(nearest)
        following = text.find(sign, at + len(sign), stop)
        if following >= 0:
            ahead.append((following, sign))


def _address(text: str, at: int, sign: str, bounds: tuple[int, int]) -> tuple[int, int] | None:
    done, stop = bounds
    after = at + len(sign)
    if sign == "@":
        local = _LOCAL.search(text[max(done, at - _LONGEST_LOCAL) : at])
        domain = _DOMAIN.match(text, after, stop)
        if local is None or domain is None:
            return None
        return at - len(local.group()), domain.end()
    first = at
    if sign == "://":
        scheme = _SCHEME.search(text[max(done, at - _LONGEST_SCHEME) : at])
        if scheme is None:
            return None
        first = at - len(scheme.group())
    elif at > done and text[at - 1].isalnum():
        return None
    rest = _REST.match(text, after, stop)
    last = _without_trailing(text, after, rest.end() if rest else after)
    return (first, last) if last > after else None


def _without_trailing(text: str, start: int, end: int) -> int:
    """Leave out closing punctuation, and a closing bracket whose opening one is not in the address."""
    surplus = text.count(")", start, end) - text.count("(", start, end)
    while end > start:
        last = text[end - 1]
        if last == ")" and surplus > 0:
            surplus -= 1
        elif last not in _TRAILING:
            break
        end -= 1
    return end
