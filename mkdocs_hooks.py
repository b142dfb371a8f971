"""What mkdocs needs to show the pages outside docs/ in the site, with links that also work in the repository."""

from __future__ import annotations

import posixpath
import re
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).parent
OUTSIDE = {
    "README.md": "index.md",
    **{name: name for name in ("ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md")},
}
"""Pages at the root of the repository, and what they are called in the site."""
LINK = re.compile(r"(?P<image>!?)\[(?P<text>[^\]]*)\]\((?P<target>[^):#\s]+)(?P<anchor>#[^)\s]*)?\)")


def on_files(files: Files, *, config: MkDocsConfig) -> Files:
    """Add the pages at the root of the repository."""
    for name, uri in OUTSIDE.items():
        files.append(File.generated(config, uri, abs_src_path=str(ROOT / name)))
    return files


def on_page_markdown(markdown: str, *, page: Page, files: Files, **_: Any) -> str:
    """Lead links to where a file lies in the site; what is not part of the site keeps its text without a link."""
    uri = page.file.src_uri
    source = next((name for name, own in OUTSIDE.items() if own == uri), f"docs/{uri}")

    def lead(link: re.Match[str]) -> str:
        path = posixpath.normpath(posixpath.join(posixpath.dirname(source), link["target"]))
        target = OUTSIDE.get(path, path.removeprefix("docs/"))
        if files.get_file_from_path(target) is None:
            # a missing file stays a link, and with it an error of the build
            return link["text"] if (ROOT / path).exists() else link[0]
        own = posixpath.relpath(target, posixpath.dirname(uri) or ".")
        return f"{link['image']}[{link['text']}]({own}{link['anchor'] or ''})"

    return LINK.sub(lead, markdown)
