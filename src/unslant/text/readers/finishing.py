"""The last step that the readers of markup share."""

from __future__ import annotations

from collections.abc import Iterable

from unslant.text.readers.addresses import addresses, has_addresses
from unslant.text.readers.masking import Ranges, Reading, merged, pairs, trimmed

__all__ = ["finished"]


def finished(
    prose: str, sections: Ranges, blocks: Iterable[tuple[int, int]], quotations: Ranges, comments: Ranges
) -> Reading:
    """Blank reference sections and addresses, and put what was found into its final form."""
    prose = pairs(sections).blank(prose)
    if has_addresses(prose):
        prose = pairs(addresses(prose)).blank(prose)
    return Reading(prose, trimmed(prose, blocks), merged(quotations), merged(comments))
