"""Ratings as arrays: who gave which label to what."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from unslant.core.errors import InputError, MissingExtra
from unslant.lab.corpora.dataset import Annotation

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Level", "RatingScale", "Ratings", "require_numpy"]

Level = Literal["nominal", "ordinal", "interval"]


def require_numpy() -> None:
    """Say which extra brings numpy, where it is not installed."""
    try:
        import numpy  # noqa: F401
    except ModuleNotFoundError as error:
        raise MissingExtra("measuring agreement", "numpy", "corpora") from error


@dataclass(frozen=True, slots=True)
class RatingScale:
    """What the labels mean to each other."""

    level: Level = "nominal"
    """``nominal``: equal or not; ``ordinal``: ranked; ``interval``: numbers, or equally spaced steps."""
    order: tuple[str, ...] = ()
    """The labels from lowest to highest; empty: the labels are numbers, or their order does not matter."""

    def values(self, labels: Sequence[str]) -> list[float]:
        """Return the place of each label on the scale, or say which label has none."""
        if self.order:
            for label in labels:
                if label not in self.order:
                    raise InputError(
                        f"the label {label!r} is not on the scale; the scale has {', '.join(self.order)}"
                    )
            return [float(self.order.index(label)) for label in labels]
        if self.level == "nominal":
            return [float(index) for index in range(len(labels))]
        try:
            return [float(label) for label in labels]
        except ValueError:
            raise InputError(
                f"an {self.level} scale needs numbers or an order, and the labels are {', '.join(labels)}; "
                "give the order with --order low,…,high"
            ) from None


@dataclass(frozen=True, slots=True, eq=False)
class Ratings:
    """Labels by item and annotator; anyone may have left out anything."""

    items: tuple[str, ...]
    annotators: tuple[str, ...]
    labels: tuple[str, ...]
    item: NDArray[np.int64]
    """For each rating, the place of its item in ``items``; likewise the two below."""
    annotator: NDArray[np.int64]
    label: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.item)

    @classmethod
    def of(cls, annotations: Iterable[Annotation]) -> Ratings:
        """Gather ratings; an annotator may rate an item once."""
        return cls.from_triples(
            (annotation.item, annotation.annotator, annotation.label) for annotation in annotations
        )

    @classmethod
    def from_triples(cls, triples: Iterable[tuple[str, str, str]]) -> Ratings:
        """Gather ratings given as item, annotator, label."""
        require_numpy()
        import numpy as np

        items: dict[str, int] = {}
        annotators: dict[str, int] = {}
        labels: dict[str, int] = {}
        seen: set[tuple[int, int]] = set()
        rows: list[tuple[int, int, int]] = []
        for item, annotator, label in triples:
            place = items.setdefault(item, len(items))
            who = annotators.setdefault(annotator, len(annotators))
            if (place, who) in seen:
                raise InputError(f"annotator {annotator} rated the item {item} twice; keep one of the two")
            seen.add((place, who))
            rows.append((place, who, labels.setdefault(label, len(labels))))
        table = np.array(rows, dtype=np.int64).reshape(-1, 3)
        return cls(tuple(items), tuple(annotators), tuple(labels), table[:, 0], table[:, 1], table[:, 2])

    def counts(self) -> NDArray[np.float64]:
        """Return how often each item (row) was given each label (column)."""
        import numpy as np

        cells = self.item * len(self.labels) + self.label
        flat = np.bincount(cells, minlength=len(self.items) * len(self.labels))
        return flat.reshape(len(self.items), len(self.labels)).astype(np.float64)

    def one_against_rest(self, label: str) -> Ratings:
        """Return the same ratings with two labels: this one, and any other."""
        import numpy as np

        chosen = (self.label == self.labels.index(label)).astype(np.int64)
        return Ratings(self.items, self.annotators, ("", label), self.item, self.annotator, chosen)
