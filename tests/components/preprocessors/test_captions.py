from components.blocks import join_blocks
from components.preprocessors.packing import Bound
from components.preprocessors.units import units_of

TABLE = ("Grade | Q1\nA | 20", {"kind": "table", "header_rows": 1})
CAPTION = ("Table 1. Days of leave", {"kind": "caption"})
WORDS = ("Something else is said here.", {"kind": "paragraph"})


def bounds(*parts) -> list[Bound]:
    """How well a cut would be placed before each block but the first."""
    text, blocks = join_blocks(list(parts))
    units = units_of(text, blocks)
    return [next(unit.bound for unit in units if unit.block == number) for number in range(1, len(blocks))]


def test_a_caption_stays_with_the_table_below_it():
    assert bounds(WORDS, CAPTION, TABLE, WORDS) == [Bound.BLOCK, Bound.GLUED, Bound.BLOCK]


def test_a_caption_with_no_table_below_stays_with_the_one_above():
    assert bounds(TABLE, CAPTION, WORDS) == [Bound.GLUED, Bound.BLOCK]
    assert bounds(TABLE, CAPTION, TABLE) == [Bound.BLOCK, Bound.GLUED]


def test_names_of_columns_that_the_format_tells_are_believed():
    text, blocks = join_blocks([TABLE])  # "Q1" alone looks like data
    assert units_of(text, blocks)[1].header_row == "Grade | Q1"
    text, blocks = join_blocks([(TABLE[0].replace("Q1", "Days"), {"kind": "table", "header_rows": 0})])
    assert units_of(text, blocks)[1].header_row == ""
