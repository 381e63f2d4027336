"""Workbooks to documents: xlsx, xls, xlsb, ods."""

from __future__ import annotations

import io
import re
from typing import Any

from haystack import Document, component
from haystack.dataclasses import ByteStream

from components.converters.file_converter import FileConverter
from components.converters.office_package import package_notices
from components.converters.outcome import Parts, UnreadableError, build_document
from components.converters.sheet_marks import Marks, read_marks
from components.converters.sheet_tables import Cells, sheet_parts
from components.converters.sheet_values import GENERAL, shown
from components.routers.content_sniffer import sniff
from components.routers.file_types import XLSX

_GENERIC_NAME = re.compile(r"(?i)(?:sheet|tabelle|feuil|feuille|hoja|foglio|blad|planilha|plan|лист|工作表|シート)\s*\d*")
_MAX_CELLS = 20_000_000


def read(source: ByteStream) -> list[Document]:
    """Read a workbook as one document: a heading a sheet, its tables, and the text around them.

    Values are read, never formulas: a formula's result as the program that wrote the file stored it. Numbers are written as their format
    shows them, days as ISO dates. Hidden sheets, rows and columns are left out; rows behind a filter or a closed outline are kept. Notices
    name both.

    :raises UnreadableError: encrypted, damaged, or without a filled cell.
    """
    import python_calamine

    meta = source.meta or {}
    mime_type = source.mime_type or meta.get("mime_type") or sniff(source.data, str(meta.get("file_name") or "")).mime_type
    try:
        workbook = python_calamine.load_workbook(io.BytesIO(source.data))
    except (python_calamine.CalamineError, OSError, ValueError) as error:
        what = "encrypted with a password" if "password" in str(error).lower() else f"damaged: {error}"
        raise UnreadableError(f"the workbook is {what}") from error
    marks = read_marks(source.data) if mime_type == XLSX else {}
    notices = package_notices(source.data) if mime_type == XLSX else []
    visible = [m for m in workbook.sheets_metadata if m.visible == python_calamine.SheetVisibleEnum.Visible]
    hidden = [m.name for m in workbook.sheets_metadata if m not in visible]
    if hidden:
        notices.append(f"hidden sheets were left out: {', '.join(hidden)[:200]}")
    sheets: list[tuple[str, Parts]] = []
    for sheet in visible:
        if sheet.typ != python_calamine.SheetTypeEnum.WorkSheet:
            continue
        own = marks.get(sheet.name, Marks())
        _check_extent(sheet.name, own.last_row + 1, own.last_column + 1)  # before calamine makes room for every cell between two far ones
        parts = _sheet_parts(workbook.get_sheet_by_name(sheet.name), own, notices)
        if parts:
            sheets.append((sheet.name, parts))
    parts = [part for name, own in sheets for part in [*_heading(name, alone=len(sheets) == 1), *own]]
    if not parts:
        raise UnreadableError(f"no text: the workbook has no filled cell{' outside its hidden sheets' if hidden else ''}")
    return [build_document(source, parts, title="", mime_type=mime_type, notices=notices or None)]


def _heading(name: str, *, alone: bool) -> Parts:
    return [] if alone and _GENERIC_NAME.fullmatch(name) else [(name, {"kind": "heading", "level": 1})]


def _check_extent(name: str, rows: int, columns: int) -> None:
    if rows * columns > _MAX_CELLS:
        raise UnreadableError(f"the sheet {name!r} spans more than {_MAX_CELLS // 1_000_000} million cells, which is refused")


def _sheet_parts(sheet: Any, marks: Marks, notices: list[str]) -> Parts:
    _check_extent(sheet.name, sheet.height, sheet.width)
    top, left = sheet.start or (0, 0)
    cells: Cells = {}
    left_out = 0
    for row, values in enumerate(sheet.to_python(skip_empty_area=True), start=top):
        for column, value in enumerate(values, start=left):
            if value == "" or value is None:
                continue
            text = shown(value, marks.formats.get((row, column), GENERAL))
            link = marks.links.get((row, column))
            if link and link.removeprefix("mailto:").rstrip("/") not in text:
                text = f"{text} ({link.removeprefix('mailto:')})"
            if not text:
                continue
            if row in marks.hidden_rows or column in marks.hidden_columns:
                left_out += 1
            else:
                cells[row, column] = text
    where = f"sheet {sheet.name!r}"
    if left_out:
        notices.append(f"{where}: {left_out} cells in hidden rows or columns were left out")
    if marks.folded_rows:
        notices.append(f"{where}: {len(marks.folded_rows)} rows hidden by a filter or a closed outline were read")
    if marks.without_value:
        notices.append(f"{where}: {marks.without_value} formulas have no stored result and were left out; open and save it in a spreadsheet program")
    return sheet_parts(cells, sheet.merged_cell_ranges or [])


@component
class SheetConverter(FileConverter):
    """Reads workbooks with `python-calamine`, a table a block, so that a row keeps its column names when it is cut.

    Haystack's `XLSXToDocument` makes one table of a whole sheet, with empty cells and unnamed columns, reads no xls or ods, and shows
    what is hidden.

    ```python
    from pathlib import Path

    out = SheetConverter().run([ByteStream.from_file_path(Path("rates.xlsx"))])
    ```
    """

    read = staticmethod(read)
    modules = ("python_calamine", "lxml.etree")

    def __init__(self, timeout_s: float = 120.0, max_memory_mb: int = 1024) -> None:
        """Create a converter.

        :param timeout_s: seconds that reading one source may take, more than 0.
        :param max_memory_mb: megabytes that it may take, 64 or more.
        :raises ValueError: a value out of range.
        """
        FileConverter.__init__(self, timeout_s=timeout_s, max_memory_mb=max_memory_mb)
