"""Settings as the options of a command: each field of a dataclass has its type, default and help in one place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import Field, dataclass, field
from typing import Any, ClassVar, Literal, dataclass_transform


@dataclass(frozen=True, slots=True)
class Option:
    """What the command line needs to know of a field beside its name, its type and its default."""

    help: str
    name: str = ""
    """The option, such as ``--label``; empty: the name of the field, and ``-o`` as well for ``output``."""
    metavar: str | None = None
    """For a path, ``DIR`` and ``PATH`` say that it need not be a ``FILE``."""
    least: float | None = None
    most: float | None = None
    beyond: Literal["least", "most"] | None = None
    """The bound that is not allowed itself."""
    choices: Sequence[str] = ()
    exists: bool = False
    """The path must exist."""
    commas: bool = False
    """Several values may be given at once, with commas between them."""
    required: bool = False
    shown: bool = True
    """Whether the help shows the default."""


def option(about: str, default: Any = None, **details: Any) -> Any:
    """Return a field of a dataclass that is an option of a command as well.

    Without a default, a ``bool`` is False and a ``tuple`` empty.
    """
    return field(default=default, metadata={"option": Option(about, **details)})


@dataclass_transform(frozen_default=True, kw_only_default=True)
@dataclass(frozen=True, kw_only=True)
class Options:
    """The base of settings that are options; a class below it is a frozen dataclass, and its fields are keywords."""

    quiet: ClassVar[bool] = False
    """Whether the command shows progress, and so has ``--quiet``."""

    def __init_subclass__(cls) -> None:
        for name, hint in cls.__annotations__.items() if "__annotations__" in vars(cls) else ():
            own = vars(cls).get(name)
            if isinstance(own, Field) and own.default is None:
                own.default = False if hint == "bool" else () if hint.startswith("tuple[") else None
        dataclass(frozen=True, kw_only=True)(cls)
