import io
from typing import Any

import pptx
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.util import Inches

from components.converters.slide_reader import read_slides


def build(fill) -> Any:
    presentation = pptx.Presentation()
    fill(presentation)
    buffer = io.BytesIO()
    presentation.save(buffer)
    return read_slides(buffer.getvalue())


def box(slide: Any, text: str, top: float, left: float = 1) -> Any:
    shape = slide.shapes.add_textbox(Inches(left), Inches(top), Inches(2), Inches(0.5))
    shape.text_frame.text = text
    return shape


def test_a_slide_is_a_heading_with_its_shapes_from_top_to_bottom_and_its_notes():
    def fill(presentation):
        slide = presentation.slides.add_slide(presentation.slide_layouts[1])
        slide.shapes.title.text = "Leave"
        frame = slide.placeholders[1].text_frame
        frame.text = "Twenty days"
        inner = frame.add_paragraph()
        inner.text, inner.level = "after a year", 1
        slide.notes_slide.notes_text_frame.text = "Say it slowly."
        slide = presentation.slides.add_slide(presentation.slide_layouts[6])
        box(slide, "below", 4)
        box(slide, "right", 1.05, 5)
        box(slide, "left", 1.1)

    read = build(fill)
    assert [(fields["kind"], fields["page"], text) for text, fields in read.parts] == [
        ("heading", 1, "Leave"),
        ("list", 1, "- Twenty days\n  - after a year"),
        ("paragraph", 1, "Notes: Say it slowly."),
        ("heading", 2, "Slide 2"),
        ("paragraph", 2, "left"),
        ("paragraph", 2, "right"),
        ("paragraph", 2, "below"),
    ]
    assert read.title == "Leave"


def test_tables_charts_and_groups():
    def fill(presentation):
        slide = presentation.slides.add_slide(presentation.slide_layouts[5])
        slide.shapes.title.text = "Figures"
        table = slide.shapes.add_table(2, 2, Inches(1), Inches(2), Inches(4), Inches(1)).table
        for row, values in enumerate((("Grade", "Days"), ("A", "20"))):
            for column, value in enumerate(values):
                table.cell(row, column).text = value
        data = CategoryChartData()
        data.categories = ["Q1", "Q2"]
        data.add_series("Sales", (1.5, 2))
        slide.shapes.add_chart(XL_CHART_TYPE.COLUMN_CLUSTERED, Inches(1), Inches(3.5), Inches(4), Inches(2), data)
        group = slide.shapes.add_group_shape()
        inner = group.shapes.add_group_shape()
        inner.shapes.add_textbox(Inches(1), Inches(6), Inches(1), Inches(1)).text_frame.text = "deep inside"

    parts = build(fill).parts
    assert ("Grade | Days\nA | 20", {"kind": "table", "page": 1, "header_rows": 1}) in parts
    assert any(text.endswith("Q1 | 1.5\nQ2 | 2") for text, _ in parts)
    assert parts[-1][0] == "deep inside"


def test_what_no_one_sees_is_left_out_and_a_hidden_slide_is_named():
    def fill(presentation):
        slide = presentation.slides.add_slide(presentation.slide_layouts[6])
        box(slide, "seen", 1)
        box(slide, "off the slide", 1, 40)
        box(slide, "hidden", 2)._element.nvSpPr.cNvPr.set("hidden", "1")
        slide = presentation.slides.add_slide(presentation.slide_layouts[6])
        box(slide, "later", 1)
        slide._element.set("show", "0")

    read = build(fill)
    assert [text for text, _ in read.parts] == ["seen", "Slide 2", "later"]
    assert read.notices == ["slide 1: 2 hidden shapes or shapes outside the slide were left out", "slide 2 is hidden in the show and was read"]
