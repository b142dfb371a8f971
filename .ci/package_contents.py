"""Look into a built sdist and wheel: nothing but the package, and no trace of the machine that built it."""

from __future__ import annotations

import json
import re
import sys
import tarfile
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath

CACHES = re.compile(
    r"(^|/)(__pycache__|node_modules|\.[a-z]+_cache|\.hypothesis|\.venv|\.git)(/|$)|\.(pyc|pyo|tmp)$"
)
IN_WHEEL = re.compile(r"unslant/|unslant-[^/]+\.dist-info/")
IN_SDIST = re.compile(
    r"(src/unslant|tests|docs|benchmarks|deploy|editors|\.ci)/|[A-Z]+\.md$|"
    r"(LICENSE|PKG-INFO|pyproject\.toml|hatch_build\.py|mkdocs\.yml|mkdocs_hooks\.py|constraints\.txt|action\.yml|\.gitignore|\.pre-commit-hooks\.yaml)$"
)
NEEDED = (
    "unslant/edits/attribution.toml",
    "unslant/edits/compiled.json",
    "unslant/edits/compiled_words.json",
    "unslant/rules/compiled.json",
    "unslant/py.typed",
    "unslant/samples/sample.md",
    "unslant/server/page/index.html",
)


def of_sdist(path: Path) -> dict[str, bytes]:
    """Return the files of an sdist, without the folder that holds them all."""
    found = {}
    with tarfile.open(path) as archive:
        for member in archive.getmembers():
            if member.issym() or member.islnk():
                raise SystemExit(f"{path.name}: {member.name} is a link")
            file = archive.extractfile(member)
            if file is not None:
                found[str(PurePosixPath(*PurePosixPath(member.name).parts[1:]))] = file.read()
    return found


def of_wheel(path: Path) -> dict[str, bytes]:
    """Return the files of a wheel."""
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def problems(kind: str, files: Mapping[str, bytes], traces: list[bytes]) -> Iterator[str]:
    """Yield what should not be there, and what is missing."""
    allowed = IN_WHEEL if kind == "wheel" else IN_SDIST
    for name, content in files.items():
        if CACHES.search(name) or not allowed.match(name):
            yield f"{kind}: {name} should not be in it"
        for trace in traces:
            if trace in content:
                yield f"{kind}: {name} names the folder {trace.decode()}, in which it was built"
    for name in NEEDED if kind == "wheel" else ():
        if name not in files:
            yield f"{kind}: {name} is missing"
    for name in files:
        if name.endswith("rewriter/weights/rewriter.json"):
            folder = PurePosixPath(name).parent
            for needed in json.loads(files[name])["files"]:
                if str(folder / needed) not in files:
                    yield f"{kind}: {folder / needed} is missing"


def main(sdist: str, wheel: str, *traces: str) -> None:
    """Print every problem, and fail if there is one."""
    places = [trace.encode() for trace in traces]
    found = [
        *problems("sdist", of_sdist(Path(sdist)), places),
        *problems("wheel", of_wheel(Path(wheel)), places),
    ]
    if found:
        raise SystemExit("\n".join(found))


if __name__ == "__main__":
    main(*sys.argv[1:])
