"""Archives made to hurt: what they say of themselves is not believed."""

from __future__ import annotations

import io
import tracemalloc
import zipfile

import pytest

from unslant.core.archives import Archive, DamagedArchive, LargeArchive

MB = 1_000_000


def archive(compression: int = zipfile.ZIP_DEFLATED, **members: bytes) -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", compression) as made:
        for name, content in members.items():
            made.writestr(name, content)
    return held.getvalue()


def lying(data: bytes, size: int) -> bytes:
    """Return an archive of one member that declares a size of 10 in both its headers."""
    told = size.to_bytes(4, "little")
    assert data.count(told) == 2
    return data.replace(told, (10).to_bytes(4, "little"))


def test_members_are_read_in_their_order_and_twice_if_need_be() -> None:
    made = Archive(archive(b=b"two" * MB, a=b"one"), 10 * MB)
    assert [member.filename for member in made.members] == ["b", "a"]
    assert made.read("a") == made.read(made.members[1]) == b"one"
    assert made.read("b") == b"two" * MB


def test_all_members_share_the_limit() -> None:
    made = Archive(archive(a=b"a" * 600, b=b"b" * 400, c=b"c"), 1_000)
    made.read("a")
    made.read("b")
    with pytest.raises(LargeArchive):
        made.read("c")


@pytest.mark.parametrize("compression", [zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
@pytest.mark.parametrize("honest", [True, False])
def test_a_bomb_takes_no_memory(compression: int, honest: bool) -> None:
    """A few bytes of bzip2 are gigabytes, and Python unpacks them at once, however few are asked for."""
    size = 60 * MB
    bomb = archive(compression, a=b"\0" * size)
    data = bomb if honest else lying(bomb, size)
    tracemalloc.start()
    try:
        with pytest.raises((LargeArchive, DamagedArchive)):
            Archive(data, MB).read("a")
        assert tracemalloc.get_traced_memory()[1] < 5 * MB
    finally:
        tracemalloc.stop()


def test_whatever_is_wrong_is_damage() -> None:
    whole = archive(a=b"some words" * 100)
    encrypted = bytearray(whole)
    encrypted[6] |= 1
    encrypted[encrypted.index(b"PK\x01\x02") + 8] |= 1
    broken = whole[:40] + b"\xff" * 10 + whole[50:]
    for data in (b"", b"%PDF", whole[:-30], bytes(encrypted), broken):
        with pytest.raises(DamagedArchive):
            Archive(data, MB).read("a")
    with pytest.raises(DamagedArchive):
        Archive(whole, MB).read("b")
