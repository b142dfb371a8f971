"""The files of the rewriter: two graphs, a tokenizer, and ``rewriter.json`` with the digest of each."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from unslant.core.errors import InputError, ModelError
from unslant.core.files import read_bytes

FORMAT = "unslant/wordings/1"
ABOUT, ENCODER, DECODER, TOKENIZER = "rewriter.json", "encoder.onnx", "decoder.onnx", "tokenizer.json"
VECTORS = "vectors.npz"
MAX_SUBWORDS = 192
"""The longest passage, in subwords."""
MAX_WRITTEN = 24
"""The longest wording, in subwords."""

_WEIGHTS = Path(__file__).parent / "weights"
_MAX_BYTES = 1 << 30


@dataclass(frozen=True, slots=True)
class RewriterPackage:
    """A folder with a complete ``rewriter.json``."""

    folder: Path
    files: Mapping[str, str]
    """The SHA-256 of every file, by name."""
    layers: int
    heads: int
    width: int
    """The shape of the decoder's attention."""

    def read(self, name: str) -> bytes:
        """Return a file's content; raise unless its digest is the one in ``rewriter.json``."""
        try:
            content = read_bytes(self.folder / name, max_bytes=_MAX_BYTES)
        except InputError:
            raise _error(self.folder, f"{name} is missing or cannot be read") from None
        if hashlib.sha256(content).hexdigest() != self.files[name]:
            raise _error(self.folder, f"{name} is damaged: its SHA-256 is not the one in {ABOUT}")
        return content

    @property
    def identity(self) -> str:
        """A digest that changes with any file."""
        return hashlib.sha256(json.dumps(dict(self.files), sort_keys=True).encode()).hexdigest()


def shipped_rewriter() -> Path | None:
    """Return the folder of the rewriter that ships with unslant, if one does."""
    return _WEIGHTS if (_WEIGHTS / ABOUT).is_file() else None


def load_rewriter(folder: Path | None = None) -> RewriterPackage:
    """Read the description of a rewriter, by default of the one that ships; the large files are read on first use."""
    folder = folder or shipped_rewriter()
    if folder is None:
        raise ModelError("no rewriter ships with this build of unslant")
    try:
        about = json.loads(read_bytes(folder / ABOUT))
        if about["format"] != FORMAT:
            raise _error(folder, f"{ABOUT} has the format {about['format']!r}, not {FORMAT!r}")
        files = {str(name): str(digest) for name, digest in about["files"].items()}
        package = RewriterPackage(
            folder, files, int(about["layers"]), int(about["heads"]), int(about["width"])
        )
    except InputError:
        raise _error(folder, f"{ABOUT} is missing or cannot be read") from None
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError):
        raise _error(folder, f"{ABOUT} is incomplete") from None
    missing = {ENCODER, DECODER, TOKENIZER, VECTORS} - files.keys()
    if missing:
        raise _error(folder, f"{ABOUT} has no digest of {min(missing)}")
    return package


def _error(folder: Path, what: str) -> ModelError:
    if folder == _WEIGHTS:
        return ModelError(f"the rewriter that ships with unslant cannot be used: {what}; reinstall unslant")
    return ModelError(
        f"the rewriter in {str(folder)!r} cannot be used: {what}; name one that 'unslant train rewriter' wrote"
    )
