import io
from datetime import date, datetime, time, timedelta

import openpyxl
import pytest
from haystack.dataclasses import ByteStream
from hypothesis import given, settings
from hypothesis import strategies as st
from openpyxl.workbook.workbook import Workbook

from components.converters.outcome import UnreadableError
from components.converters.sheet_converter import SheetConverter, read
from components.converters.sheet_tables import sheet_parts
from components.converters.sheet_values import shown
from components.routers.file_types import XLSX


def saved(book: Workbook) -> bytes:
    buffer = io.BytesIO()
    book.save(buffer)
    return buffer.getvalue()


def parts_of(book: Workbook):
    (document,) = read(ByteStream(saved(book), mime_type=XLSX, meta={"file_name": "rates.xlsx"}))
    content = document.content or ""
    return document, [(b["kind"], content[b["start"] : b["end"]]) for b in document.meta["blocks"]]


def sheet(rows: list[list], name: str = "Rates") -> Workbook:
    book = openpyxl.Workbook()
    page = book.active
    assert page is not None
    page.title = name
    for row in rows:
        page.append(row)
    return book


def test_sheets_are_headings_and_rows_keep_their_columns():
    book = sheet([["Grade", "Days"], ["A", 20], ["B", 25]])
    other = book.create_sheet("Notes")
    other["B2"] = "Nothing else."
    document, parts = parts_of(book)
    assert parts == [
        ("heading", "Rates"),
        ("table", "Grade | Days\nA | 20\nB | 25"),
        ("heading", "Notes"),
        ("paragraph", "Nothing else."),
    ]
    assert document.meta["blocks"][1]["header_rows"] == 1
    assert document.meta["title"] == "Rates"


def test_a_generic_name_of_the_only_sheet_is_no_heading():
    assert parts_of(sheet([["Grade", "Days"], ["A", 20]], "Sheet1"))[1][0][0] == "table"


def test_values_are_shown_as_a_reader_sees_them():
    book = sheet([["What", "Value"]])
    page = book["Rates"]
    values = [
        ("share", 0.125, "0.0%"),
        ("pay", 1234.5, '"€" #,##0.00'),
        ("loss", -81, "#,##0;(#,##0)"),
        ("none", 0, '0;-0;"—"'),
        ("code", 7, "00000"),
        ("whole", 42.0, "General"),
        ("day", date(2024, 3, 1), "dd/mm/yyyy"),
        ("when", datetime(2024, 3, 1, 14, 30), "dd/mm/yyyy hh:mm"),
        ("yes", True, "General"),
    ]
    for row, (name, value, code) in enumerate(values, start=2):
        page.cell(row, 1, name)
        page.cell(row, 2, value).number_format = code
    lines = parts_of(book)[1][-1][1].split("\n")[1:]
    assert lines == [
        "share | 12.5%",
        "pay | € 1,234.50",
        "loss | (81)",
        "none | —",
        "code | 00007",
        "whole | 42",
        "day | 2024-03-01",
        "when | 2024-03-01 14:30",
        "yes | TRUE",
    ]


@pytest.mark.parametrize(
    ("value", "code", "text"),
    [
        (5e6, '#,##0.0,,"M"', "5.0M"),
        (1.5, "# ?/?", "1.5"),
        (3, ";;;", ""),
        (0.5, "#.##", ".5"),
        (-0.001, "0.00", "0.00"),
        (1234.5, "[$€-407] #,##0.00", "€ 1,234.50"),
        (12, "[>10]0;0.0", "12"),
        (time(9, 5), "General", "09:05"),
        (timedelta(hours=30), "[h]:mm", "30:00:00"),
        (1234567890123.0, "General", "1234567890123"),
    ],
)
def test_number_formats(value, code, text):
    assert shown(value, code) == text


@settings(deadline=None)
@given(st.floats(-1e300, 1e300) | st.integers(-(10**18), 10**18), st.text(alphabet='0#?,.%"()-;_* $[]GEdm/@\\', max_size=20))
def test_no_format_fails_and_a_general_number_reads_back(value, code):
    assert isinstance(shown(value, code), str)
    assert float(shown(value)) == pytest.approx(float(value), rel=1e-9)


def test_tables_beside_and_below_each_other_are_told_apart():
    book = sheet([])
    page = book["Rates"]
    for row, column, value in [
        (1, 1, "Grade"), (1, 2, "Days"), (2, 1, "A"), (2, 2, 20), (3, 1, "B"), (3, 2, 25),
        (1, 4, "City"), (1, 5, "Rent"), (2, 4, "Pune"), (2, 5, 900),
        (6, 1, "Item"), (6, 2, "Price"), (7, 1, "Desk"), (7, 2, 50),
    ]:  # fmt: skip
        page.cell(row, column, value)
    tables = [text for kind, text in parts_of(book)[1] if kind == "table"]
    assert tables == ["Grade | Days\nA | 20\nB | 25", "City | Rent\nPune | 900", "Item | Price\nDesk | 50"]


def test_titles_notes_spacers_and_groups_of_columns():
    cells = {
        (0, 0): "Leave 2024",
        (2, 1): "Staff", (2, 4): "Trainees",
        (3, 0): "Grade", (3, 1): "Days", (3, 2): "Hours", (3, 4): "Days", (3, 5): "Hours",
        (5, 0): "A", (5, 1): "20", (5, 2): "160", (5, 4): "10", (5, 5): "80",
        (6, 0): "B", (6, 1): "25", (6, 2): "200", (6, 4): "12", (6, 5): "96",
        (8, 0): "Total", (8, 1): "45", (8, 2): "360", (8, 4): "22", (8, 5): "176",
        (9, 0): "(a) Without public holidays.",
    }  # fmt: skip
    assert [(fields["kind"], text) for text, fields in sheet_parts(cells)] == [
        ("paragraph", "Leave 2024"),
        (
            "table",
            "Grade | Staff Days | Staff Hours | Trainees Days | Trainees Hours\nA | 20 | 160 | 10 | 80\nB | 25 | 200 | 12 | 96\n"
            "Total | 45 | 360 | 22 | 176",
        ),
        ("paragraph", "(a) Without public holidays."),
    ]


def test_merged_cells_reach_every_row_and_column():
    book = sheet([["Region", "2024", None], [None, "Sales", "Cost"], ["North", 1, 2], [None, 3, 4]])
    page = book["Rates"]
    for cells in ("A1:A2", "B1:C1", "A3:A4"):
        page.merge_cells(cells)
    assert parts_of(book)[1][-1][1] == "Region | 2024 Sales | 2024 Cost\nNorth | 1 | 2\nNorth | 3 | 4"


def test_rows_of_words_are_not_taken_for_names_of_columns():
    rows = [["Name", "City", "Role"], ["Asha", "Pune", "Cook"], ["Bo", "Oslo", "Clerk"], ["Cy", "Rome", "7"]]
    assert parts_of(sheet(rows))[1][-1][1].split("\n")[:2] == ["Name | City | Role", "Asha | Pune | Cook"]


def test_hidden_cells_are_left_out_and_named():
    book = sheet([["Grade", "Days", "Secret"], ["A", 20, "x"], ["B", 25, "y"], ["C", 30, "z"]])
    page = book["Rates"]
    page.column_dimensions["C"].hidden = True
    page.row_dimensions[3].hidden = True
    book.create_sheet("Hidden sheet").sheet_state = "hidden"
    book["Hidden sheet"]["A1"] = "nobody sees this"
    document, parts = parts_of(book)
    assert parts[-1] == ("table", "Grade | Days\nA | 20\nC | 30")
    notices = document.meta["notices"]
    assert any("Hidden sheet" in notice for notice in notices)
    assert any("6 cells in hidden rows or columns" in notice for notice in notices)


def test_filtered_rows_are_read_and_named():
    book = sheet([["Grade", "Days"], ["A", 20], ["B", 25]])
    page = book["Rates"]
    page.auto_filter.ref = "A1:B3"
    page.auto_filter.add_filter_column(0, ["A"])
    page.row_dimensions[3].hidden = True
    document, parts = parts_of(book)
    assert parts[-1][1].endswith("B | 25")
    assert any("hidden by a filter" in notice for notice in document.meta["notices"])


def test_links_are_written_out_and_formulas_are_not():
    book = sheet([["Name", "Site"], ["Guide", "here"], ["Sum", "=1+1"]])
    book["Rates"]["B2"].hyperlink = "https://example.org/guide"
    document, parts = parts_of(book)
    assert "Guide | here (https://example.org/guide)" in parts[-1][1]
    assert "1+1" not in (document.content or "")
    assert any("1 formulas have no stored result" in notice for notice in document.meta["notices"])


def test_an_empty_workbook_and_a_damaged_one_have_their_reason():
    with pytest.raises(UnreadableError, match="no text: the workbook has no filled cell"):
        read(ByteStream(saved(openpyxl.Workbook()), mime_type=XLSX))
    out = SheetConverter().run([ByteStream(saved(sheet([["a", "b"]]))[:-300], mime_type=XLSX, meta={"uri": "a.xlsx"})])
    assert "damaged" in str(out["failed"])


def test_a_far_cell_is_refused_before_it_fills_the_memory():
    book = sheet([["a"]])
    book["Rates"]["XFD1048576"] = "far"
    with pytest.raises(UnreadableError, match="million cells"):
        read(ByteStream(saved(book), mime_type=XLSX))
