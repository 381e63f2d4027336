"""Writes the docx and pdf files of the example corpus from the text in `document_texts.py`; the same text gives the same bytes.

Run from the clone: `python -m examples.make_documents [FOLDER]`. Without a folder it writes to `examples/documents`.
Needs python-docx and fpdf2.
"""

from __future__ import annotations

import io
import re
import sys
import zipfile
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from docx import Document
from fpdf import FPDF
from fpdf.enums import XPos, YPos

from examples.document_texts import TEXTS

DOCUMENTS = Path(__file__).parent / "documents"
WRITTEN = datetime(2025, 1, 1, tzinfo=UTC)
"""Date in the properties of every file, fixed so that the bytes are."""


@dataclass
class Part:
    """One element of a text. `kind`: heading1, heading2, paragraph, bullets, numbers or table."""

    kind: str
    text: str = ""
    rows: list[list[str]] = field(default_factory=list)
    """Items of a list (one cell each) or rows of a table, its head first."""


def parse(markup: str) -> list[Part]:
    """Read the small markup of `document_texts.py`.

    >>> [part.kind for part in parse("# Leave\\n\\nTen days\\nfor all.\\n\\n- sick")]
    ['heading1', 'paragraph', 'bullets']
    """
    parts: list[Part] = []
    for block in re.split(r"\n\s*\n", markup.strip()):
        lines = block.split("\n")
        if block.startswith("## "):
            parts.append(Part("heading2", block[3:]))
        elif block.startswith("# "):
            parts.append(Part("heading1", block[2:]))
        elif block.startswith("- "):
            parts.append(Part("bullets", rows=[[line[2:]] for line in lines]))
        elif block.startswith("1. "):
            parts.append(Part("numbers", rows=[[line.split(". ", 1)[1]] for line in lines]))
        elif block.startswith("|"):
            rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
            parts.append(Part("table", rows=[row for row in rows if set("".join(row)) != {"-"}]))
        else:
            parts.append(Part("paragraph", " ".join(lines)))
    return parts


def docx_bytes(markup: str) -> bytes:
    """The text as a Word document."""
    document = Document()
    for part in parse(markup):
        if part.kind.startswith("heading"):
            document.add_heading(part.text, level=int(part.kind[-1]))
        elif part.kind == "paragraph":
            document.add_paragraph(part.text)
        elif part.kind == "table":
            table = document.add_table(rows=0, cols=len(part.rows[0]), style="Table Grid")
            for row in part.rows:
                for cell, text in zip(table.add_row().cells, row, strict=True):
                    cell.text = text
        else:
            for (item,) in part.rows:
                document.add_paragraph(item, style="List Bullet" if part.kind == "bullets" else "List Number")
    properties = document.core_properties
    properties.title = parse(markup)[0].text
    properties.author = properties.last_modified_by = properties.comments = ""
    properties.created = properties.modified = WRITTEN.replace(tzinfo=None)
    buffer = io.BytesIO()
    document.save(buffer)
    return _with_fixed_dates(buffer.getvalue())


def _with_fixed_dates(archive: bytes) -> bytes:
    """The same zip archive with the date of every member set to `WRITTEN`."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(archive)) as source, zipfile.ZipFile(out, "w") as target:
        for name in sorted(source.namelist(), key=lambda name: (name != "[Content_Types].xml", name)):
            info = zipfile.ZipInfo(name, date_time=WRITTEN.timetuple()[:6])
            info.compress_type = zipfile.ZIP_DEFLATED
            info.create_system = 0
            target.writestr(info, source.read(name))
    return out.getvalue()


class _Pdf(FPDF):
    """A4 pages in Helvetica, with the title above and the page number below."""

    def header(self) -> None:
        if self.page_no() > 1:
            self.set_font("helvetica", style="I", size=9)
            self.cell(0, 8, self.title or "", new_x=XPos.LMARGIN, new_y=YPos.NEXT)
            self.ln(3)

    def footer(self) -> None:
        self.set_y(-15)
        self.set_font("helvetica", style="I", size=9)
        self.cell(0, 8, f"Page {self.page_no()}", align="C")


def pdf_bytes(markup: str) -> bytes:
    """The text as a PDF with a text layer."""
    parts = parse(markup)
    pdf = _Pdf(format="A4")
    pdf.set_creation_date(WRITTEN)
    pdf.set_title(parts[0].text)
    pdf.set_lang("en")
    pdf.set_auto_page_break(True, margin=20)
    pdf.add_page()
    for part in parts:
        if part.kind.startswith("heading"):
            pdf.set_font("helvetica", style="B", size=17 if part.kind == "heading1" else 13)
            if pdf.will_page_break(24):  # no heading alone at the foot of a page
                pdf.add_page()
                pdf.set_font("helvetica", style="B", size=13)
            pdf.multi_cell(0, 8, part.text, new_x=XPos.LMARGIN, new_y=YPos.NEXT)
        elif part.kind == "table":
            pdf.set_font("helvetica", size=10)
            with pdf.table(line_height=6) as table:
                for cells in part.rows:
                    row = table.row()
                    for cell in cells:
                        row.cell(cell)
        else:
            pdf.set_font("helvetica", size=11)
            lines = [part.text] if part.kind == "paragraph" else [item for (item,) in part.rows]
            for number, line in enumerate(lines, start=1):
                mark = {"paragraph": "", "bullets": "- ", "numbers": f"{number}. "}[part.kind]
                pdf.multi_cell(0, 6, mark + line, align="L", new_x=XPos.LMARGIN, new_y=YPos.NEXT)
        pdf.ln(3)
    return bytes(pdf.output())


def make(folder: Path = DOCUMENTS) -> list[Path]:
    """Write every file of `TEXTS` below the folder and return their paths."""
    written = []
    for name, markup in TEXTS.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(docx_bytes(markup) if path.suffix == ".docx" else pdf_bytes(markup))
        written.append(path)
    return written


if __name__ == "__main__":
    for made in make(Path(sys.argv[1]) if len(sys.argv) > 1 else DOCUMENTS):
        sys.stdout.write(f"{made}\n")
