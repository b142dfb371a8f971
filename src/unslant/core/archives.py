"""ZIP archives that come from outside: whatever one says of itself, no more of it is unpacked than a limit."""

from __future__ import annotations

import io
import zipfile
import zlib
from collections.abc import Sequence

_ZSTANDARD = 93
_COMPRESSIONS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, _ZSTANDARD)
"""With others, a few bytes become gigabytes in one step, however little is asked for."""
_STEP = 4096
"""How much is asked for in one step; Zstandard unpacks at least as many bytes of the archive."""
_DAMAGED = (zipfile.BadZipFile, zlib.error, RuntimeError, OSError, EOFError, KeyError)


class DamagedArchive(ValueError):
    """It is no archive, or a member is damaged, encrypted, missing or compressed in an unusual way."""


class LargeArchive(ValueError):
    """What was asked for unpacks to more than the limit."""


class Archive:
    """An archive in memory, of which ``max_bytes`` can be unpacked, all members together."""

    def __init__(self, data: bytes, max_bytes: int) -> None:
        """Open an archive; :class:`DamagedArchive` if it is none."""
        try:
            self._archive = zipfile.ZipFile(io.BytesIO(data))
        except (*_DAMAGED, ValueError) as error:
            raise DamagedArchive(str(error)) from error
        self._left = max_bytes
        self.members: Sequence[zipfile.ZipInfo] = self._archive.infolist()
        """In their order; a name can occur twice."""
        self.names = frozenset(member.filename for member in self.members)

    def read(self, member: str | zipfile.ZipInfo) -> bytes:
        """Unpack a member; the size that the archive declares is not believed."""
        parts = []
        try:
            info = self._archive.getinfo(member) if isinstance(member, str) else member
            if info.compress_type not in _COMPRESSIONS:
                raise DamagedArchive(f"the compression of {info.filename} is not read")
            with self._archive.open(info) as stream:
                while part := stream.read(min(_STEP, self._left + 1)):
                    parts.append(part)
                    self._left -= len(part)
                    if self._left < 0:
                        raise LargeArchive(info.filename)
        except _DAMAGED as error:
            raise DamagedArchive(str(error)) from error
        return b"".join(parts)
