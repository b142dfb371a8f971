"""Small corpora of our own making, in the formats of the real ones."""

from __future__ import annotations

import csv
import gzip
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TextIO, cast


def _create(path: Path) -> TextIO:
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix == ".gz":
        return cast(TextIO, gzip.open(path, "wt", encoding="utf-8", newline=""))
    return path.open("w", encoding="utf-8", newline="")


def write_jsonl(path: Path, rows: Sequence[Mapping[str, Any]]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with _create(path) as file:
        file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    return path


def write_csv(
    path: Path, rows: Sequence[Mapping[str, Any]], delimiter: str = ",", *, quote: bool = True
) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with _create(path) as file:
        if quote:
            writer = csv.DictWriter(file, list(rows[0]), delimiter=delimiter)
            writer.writeheader()
            writer.writerows(rows)
        else:
            file.writelines(
                delimiter.join(map(str, row)) + "\n" for row in (list(rows[0]), *(r.values() for r in rows))
            )
    return path


def write_parquet(path: Path, rows: Sequence[Mapping[str, Any]]) -> Path:
    import pyarrow
    import pyarrow.parquet

    path.parent.mkdir(parents=True, exist_ok=True)
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist([dict(row) for row in rows]), path)
    return path


def write_xlsx(path: Path, rows: Sequence[Mapping[str, Any]]) -> Path:
    """Write a workbook by hand: a ZIP archive of four small XML files."""
    import zipfile
    from xml.sax.saxutils import escape

    def line(cells: Sequence[Any]) -> str:
        inline = (
            f'<c t="inlineStr"><is><t xml:space="preserve">{escape(str(cell))}</t></is></c>' for cell in cells
        )
        return f"<row>{''.join(inline)}</row>"

    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    package = "http://schemas.openxmlformats.org/package/2006"
    body = "".join(line(cells) for cells in (list(rows[0]), *(list(row.values()) for row in rows)))
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{package}/content-types">'
        '<Default Extension="xml" ContentType="application/xml"/>'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        '<Override PartName="/xl/workbook.xml" ContentType='
        '"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/></Types>',
        "_rels/.rels": f'<Relationships xmlns="{package}/relationships"><Relationship Id="r1" '
        f'Type="{office}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook xmlns="{main}" xmlns:r="{office}"><sheets>'
        '<sheet name="s" sheetId="1" r:id="r1"/></sheets></workbook>',
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{package}/relationships"><Relationship Id="r1" '
        f'Type="{office}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>',
        "xl/worksheets/sheet1.xml": f'<worksheet xmlns="{main}"><sheetData>{body}</sheetData></worksheet>',
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in parts.items():
            archive.writestr(name, text)
    return path


def wikibias_row(name: str, side: str, text: str, marked: str = "", **more: Any) -> dict[str, Any]:
    """One sentence; ``marked`` are the tokens that carry the slant, which must be neighbours."""
    tokens, wanted = text.split(), marked.split()
    tags = ["O"] * len(tokens)
    for at in range(len(tokens)):
        if wanted and tokens[at : at + len(wanted)] == wanted:
            tags[at : at + len(wanted)] = ["B-bias"] + ["I-bias"] * (len(wanted) - 1)
    pair = name.partition("_")[0]
    row = {
        "id": name,
        "pair": int(pair),
        "side": side,
        "tokens": tokens,
        "tags": tags,
        "label": int(bool(wanted)),
    }
    return row | {"types": ["framing"] if wanted else [], "tag_boundary": "runs"} | more
