"""Functions and classes of a source file as sections, its lines as units that say where a cut does least harm."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from components.preprocessors.long_units import key_of
from components.preprocessors.packing import Bound
from components.preprocessors.sections import Section
from components.preprocessors.units import Unit, line_spans

if TYPE_CHECKING:
    from tree_sitter import Node, Parser


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_FUNCTIONS = _words(
    "function_definition function_declaration function_item function_statement method_definition method_declaration method singleton_method "
    "constructor_declaration destructor_declaration generator_function_declaration local_function_statement operator_declaration "
    "init_declaration secondary_constructor macro_definition"
)
_CONTAINERS = _words(
    "class_definition class_declaration class_specifier struct_specifier struct_item struct_declaration enum_item enum_declaration "
    "enum_specifier trait_item trait_declaration trait_definition impl_item mod_item interface_declaration record_declaration "
    "namespace_definition namespace_declaration object_declaration object_definition abstract_class_declaration protocol_declaration "
    "extension_declaration internal_module class module companion_object annotation_type_declaration union_specifier union_item "
    "type_declaration"
)
_WRAPPERS = _words("decorated_definition export_statement template_declaration ambient_declaration")
_ABOVE = ("comment", "attribute", "annotation", "decorator", "line_comment", "block_comment", "multiline_comment", "attribute_item", "doc_comment")
"""What belongs to the definition below it."""
_BODIES = _words(
    "block statement_block compound_statement body_statement declaration_list class_body field_declaration_list enum_body interface_body "
    "do_group function_body statements template_body constructor_body switch_block enum_class_body indented_block module program source_file "
    "translation_unit compilation_unit statement_list control_structure_body interface_type object_type enum_variant_list then else ensure"
)
"""Nodes whose children are statements or members."""
Fits = Callable[[str], bool]


@dataclass(frozen=True)
class _Mark:
    """Where a section begins."""

    start: int
    path: tuple[str, ...]
    head: int | None = None
    """Start of the line on which the function or class itself begins, below its comments; None where it is neither."""

    @property
    def definition(self) -> bool:
        """Whether it is a function or a class."""
        return self.head is not None


def code_outline(text: str, parser: Parser | None, fits: Fits) -> tuple[list[Section], list[Unit]]:
    """Sections and units of a source file.

    A section is a function or a class with the comments above it, or what stands between two of them. A class that does not fit a chunk becomes
    its head and its members. `heading_path` holds the names. Without a parser, the file is one section.

    :param fits: whether a text fits a chunk.
    """
    if parser is None:
        return [_section(text, 0, len(text), ())], _units(text, {}, {})
    source = text.encode("utf-8", "replace")
    place = _Places(text, source)
    root = parser.parse(source).root_node
    marks = _merged(_marks(text, place, root.children, (), fits))
    starts = [0, *(mark.start for mark in marks[1:]), len(text)]
    sections = [_section(text, left, right, mark.path) for (left, right), mark in zip(pairwise(starts), marks, strict=True)]
    return sections or [_section(text, 0, len(text), ())], _units(
        text, _statements(text, place, root), dict(zip(starts, (mark.head for mark in marks), strict=False))
    )


def _section(text: str, start: int, end: int, path: tuple[str, ...]) -> Section:
    return Section(start, end, path, [{"kind": "code", "start": start, "end": end}] if text[start:end].strip() else [])


class _Places:
    """Character positions of the parser's bytes."""

    def __init__(self, text: str, source: bytes) -> None:
        self._of: list[int] | None = None
        if len(source) != len(text):
            self._of = [number for number, c in enumerate(text) for _ in c.encode("utf-8", "replace")]
            self._of.append(len(text))

    def __call__(self, byte: int) -> int:
        return byte if self._of is None else self._of[byte]


def _marks(text: str, place: _Places, nodes: list[Node], path: tuple[str, ...], fits: Fits) -> Iterator[_Mark]:
    above: Node | None = None  # the first of the comments that stand right above
    last_row = -1
    for node in nodes:
        if not node.is_named:
            continue
        if node.type in _ABOVE:
            if above is None or node.start_point[0] > last_row + 1:
                if above is not None:
                    yield _Mark(_line_start(text, place(above.start_byte)), path)
                above = node
            last_row = _last_row(node)
            continue
        attached = above is not None and node.start_point[0] <= last_row + 1
        if above is not None and not attached:
            yield _Mark(_line_start(text, place(above.start_byte)), path)
        start = _line_start(text, place(above.start_byte if above is not None and attached else node.start_byte))
        above, last_row = None, _last_row(node)
        definition = _definition(node)
        if definition is None:
            yield _Mark(start, path)
            continue
        inner = (*path, _name(definition))
        yield _Mark(start, inner, _line_start(text, place(definition.start_byte)))
        body = _body(definition)
        if definition.type in _CONTAINERS and body is not None and not fits(text[start : place(node.end_byte)]):
            members = list(_marks(text, place, body.children, inner, fits))
            first = next((number for number, mark in enumerate(members) if mark.definition), len(members))
            yield from members[first:]  # what stands before the first member belongs to the head
    if above is not None:
        yield _Mark(_line_start(text, place(above.start_byte)), path)


def _merged(marks: Iterator[_Mark]) -> list[_Mark]:
    """Neighbours that are no definitions as one; a mark that stands on the line of the one before is left out."""
    kept: list[_Mark] = []
    for mark in marks:
        same = kept and (mark.start <= kept[-1].start or (not mark.definition and not kept[-1].definition and mark.path == kept[-1].path))
        if not same:
            kept.append(mark)
    return kept


def _last_row(node: Node) -> int:
    row, column = node.end_point
    return row if column else row - 1  # some grammars end a comment behind its line break


def _definition(node: Node) -> Node | None:
    """The function or class that a node is or wraps."""
    if node.type in _WRAPPERS:
        return next((found for child in node.named_children if (found := _definition(child)) is not None), None)
    if node.type in _FUNCTIONS or (node.type in _CONTAINERS and (_body(node) is not None or not node.type.startswith("namespace"))):
        return node
    if node.type in ("lexical_declaration", "variable_declaration"):  # const f = () => …
        for child in node.named_children:
            value = child.child_by_field_name("value")
            if value is not None and value.type in ("arrow_function", "function_expression", "function", "class"):
                return child
    return None


def _body(node: Node) -> Node | None:
    body = node.child_by_field_name("body")
    return body if body is not None else next((child for child in node.named_children if child.type in _BODIES), None)


def _name(node: Node) -> str:
    found: Node | None = node
    while found is not None and found.child_count and found.type not in ("qualified_identifier", "generic_type", "scoped_type_identifier"):
        inner = found.child_by_field_name("name") or found.child_by_field_name("declarator") or found.child_by_field_name("type")
        if inner is None:
            inner = next((child for child in found.named_children if "identifier" in child.type or child.type == "type_spec"), None)
        found = inner
    name = (found.text or b"").decode("utf-8", "replace") if found is not None else ""
    return " ".join(name.split()) or node.type.replace("_", " ")


def _statements(text: str, place: _Places, root: Node) -> dict[int, tuple[int, bool]]:
    """For each line start where a statement begins: its depth, and whether it is the first of its body, as a docstring is."""
    found: dict[int, tuple[int, bool]] = {}
    stack: list[tuple[Node, int]] = [(root, 0)]
    while stack:
        node, depth = stack.pop()
        is_body = node.type in _BODIES
        first = True
        for child in node.children:
            if child.child_count:
                stack.append((child, depth + is_body))
            if is_body and child.is_named:
                start = _line_start(text, place(child.start_byte))
                if start not in found or found[start][0] > depth:
                    found[start] = (depth, first and depth > 0)
                first = False
    return found


def _units(text: str, statements: dict[int, tuple[int, bool]], heads: dict[int, int | None]) -> list[Unit]:
    """The lines of a file. Between statements of a function's body a cut is best, then between inner ones, then inside one.

    Without `statements`, it is best before a line that is not indented and follows a blank line.

    :param heads: for each start of a section, the line on which its function or class begins, if it is one.
    """
    spans = line_spans(text, 0, len(text))
    lines = [_line_start(text, start) for start, _ in spans]
    shallowest = _shallowest(lines, statements, heads)
    units: list[Unit] = []
    head, shallow = 0, 0
    for number, ((start, end), line) in enumerate(zip(spans, lines, strict=True)):
        blank_above = number > 0 and text.count("\n", spans[number - 1][1], start) > 1
        if line in heads or not number:
            bound, head, shallow = Bound.BLOCK, heads.get(line) or 0, shallowest.get(line, 0)
        elif not statements:
            bound = (Bound.BLOCK if start == line else Bound.LINE) if blank_above else Bound.SENTENCE
        elif line <= head or not any(c.isalnum() for c in text[start:end]):
            bound = Bound.GLUED  # below a comment on the function, or a closing bracket
        elif (found := statements.get(line)) is not None:
            depth, first = found
            bound = Bound.GLUED if first else Bound.BLOCK if depth <= shallow else Bound.LINE
        else:
            bound = Bound.SENTENCE
        units.append(Unit(min(start, line), end, 0, bound, key_of(text[start:end])))  # with its indentation
    return units


def _shallowest(lines: list[int], statements: dict[int, tuple[int, bool]], heads: dict[int, int | None]) -> dict[int, int]:
    """For each start of a section the least depth of a statement below its head."""
    found: dict[int, int] = {}
    section, head = 0, 0
    for line in lines:
        if line in heads:
            section, head = line, heads[line] or line
        if line > head and line in statements:
            found[section] = min(found.get(section, statements[line][0]), statements[line][0])
    return found


def _line_start(text: str, position: int) -> int:
    """The beginning of the line, where nothing but spaces stands before the position; else the position."""
    start = text.rfind("\n", 0, position) + 1
    return start if not text[start:position].strip() else position
