"""Code: whole functions with what stands above them, classes by their members, long functions between statements."""

from typing import Any

import pytest
from haystack import Document
from haystack.dataclasses import ByteStream

from components.converters.text_converter import TextConverter
from components.preprocessors.code_languages import code_language, parser_of
from components.preprocessors.code_splitter import CodeSplitter
from components.preprocessors.text_cleaner import TextCleaner

PYTHON = '''"""Leave of the staff."""

import datetime

LIMIT = 20


# How many days are left.
# Never below zero.
@cached
def left(taken):
    """Days left."""
    return max(0, LIMIT - taken)


class Leave:
    """A leave."""

    limit = 3

    def grant(self, days, who):
        """Grant leave to a member of the staff."""
        for day in range(days):
            self.write(day, who)
        return self

    # Take it back.
    def revoke(self):
        self.days = 0
'''


def split(code: str, name: str, **init):
    out = CodeSplitter(model="packaged", **init).run([Document(content=code, meta={"file_name": name, "title": name})])
    assert out["failed"] == []
    assert "".join(section.content for section in out["sections"]) == code
    return out["documents"]


def test_functions_and_classes_are_whole_with_the_comments_above():
    chunks = split(PYTHON, "leave.py")
    assert [chunk.meta["heading_path"] for chunk in chunks] == [[], ["left"], ["Leave"]]
    assert chunks[1].content.startswith("# How many days are left.\n# Never below zero.\n@cached\ndef left")
    assert chunks[1].content.endswith("LIMIT - taken)")
    assert chunks[1].meta["context_header"] == "leave.py > left"
    assert chunks[2].content == PYTHON[PYTHON.index("class Leave") :].rstrip()


def test_a_class_that_does_not_fit_becomes_its_head_and_its_members():
    chunks = split(PYTHON, "leave.py", max_tokens=64)
    assert [chunk.meta["heading_path"] for chunk in chunks] == [[], ["left"], ["Leave"], ["Leave", "grant"], ["Leave", "revoke"]]
    assert chunks[3].content.startswith("    def grant")  # with its indentation
    assert chunks[4].content == "    # Take it back.\n    def revoke(self):\n        self.days = 0"


def test_a_long_function_is_cut_between_statements_and_keeps_its_docstring():
    body = "".join(f"    total_{n} = compute_total(\n        first_{n},\n        second_{n},\n    )\n" for n in range(12))
    chunks = split(f'def long():\n    """What it does."""\n{body}', "long.py", max_tokens=80)
    assert len(chunks) > 3
    assert chunks[0].content.startswith('def long():\n    """What it does."""\n')
    for chunk in chunks[1:]:
        assert chunk.content.startswith("    total_")
    assert all(chunk.content.endswith(")") for chunk in chunks)


@pytest.mark.parametrize(
    ("name", "code", "paths"),
    [
        (
            "a.js",
            "import x from 'x';\n/** Adds. */\nexport const add = (a, b) => {\n  return a + b;\n};\nfunction two() { return 2; }\n",
            [[], ["add"], ["two"]],
        ),
        ("a.ts", "interface Shape { area(): number }\nexport default function main(): void {}\n", [["Shape"], ["main"]]),
        ("a.go", "package main\n\n// Grants.\nfunc (l *Leave) Grant(w string) error {\n\treturn nil\n}\n", [[], ["Grant"]]),
        (
            "a.rs",
            "use std::fmt;\n/// A leave.\n#[derive(Debug)]\nstruct Leave { days: u32 }\nimpl Leave { fn grant(&self) {} }\n",
            [[], ["Leave"], ["Leave"]],
        ),
        ("A.java", "package hr;\n/** Leave. */\n@Deprecated\npublic class Leave { int days; }\n", [[], ["Leave"]]),
        ("a.c", "#include <stdio.h>\n/* Grants. */\nstatic int *\ngrant(int x)\n{\n  return 0;\n}\n", [[], ["grant"]]),
        (
            "a.cpp",
            "template <typename T>\nclass Leave { T days; };\nint Leave<int>::grant(int x) { return x; }\n",
            [["Leave"], ["Leave<int>::grant"]],
        ),
        ("a.rb", "require 'x'\n# A leave.\nclass Leave\n  def grant; end\nend\n", [[], ["Leave"]]),
        ("a.php", "<?php\nfunction f() { return 1; }\n", [[], ["f"]]),
        ("a.sh", "set -e\n# Grants.\ngrant() {\n  echo 20\n}\n", [[], ["grant"]]),
        ("a.cs", "using System;\n[Serializable]\npublic class Leave { int Grant() => 20; }\n", [[], ["Leave"]]),
        ("a.kt", "package hr\nfun top() = 1\n", [[], ["top"]]),
        ("a.swift", "import Foundation\n/// Top.\nfunc top() -> Int { 1 }\n", [[], ["top"]]),
        ("a.scala", "package hr\nobject Main { def main(a: Int) = 1 }\n", [[], ["Main"]]),
    ],
)
def test_languages(name: str, code: str, paths: list[list[str]]):
    if parser_of(code_language(name) or "") is None:
        pytest.skip("the grammar is not installed")
    assert [chunk.meta["heading_path"] for chunk in split(code, name)] == paths


def test_broken_code_is_split_all_the_same():
    split("def f(:\n  return 1\n\nclass {{{\n\ndef g():\n    return 2\n", "a.py")


def test_another_language_is_cut_at_blank_lines_before_lines_that_are_not_indented():
    code = "\n\n".join(f"CREATE TABLE leave_{n} (\n  days int,\n\n  who text\n);" for n in range(12))
    chunks = split(code, "a.sql", max_tokens=80)
    assert len(chunks) > 2
    assert all(chunk.content.startswith("CREATE") and chunk.content.endswith(");") for chunk in chunks)


def test_places_are_characters_and_not_bytes():
    chunks = split("# धारा परिभाषा\ndef अवकाश():\n    return 'é'\n\n\ndef g():\n    return '👍'\n", "a.py")
    assert [chunk.meta["heading_path"] for chunk in chunks] == [["अवकाश"], ["g"]]
    assert chunks[1].content == "def g():\n    return '👍'"


def test_a_source_file_reaches_the_splitter_with_its_indentation():
    source = ByteStream(PYTHON.encode(), mime_type="text/plain", meta={"file_name": "leave.py", "path": "leave.py"})
    cleaned: Any = TextCleaner().run([d for d in TextConverter().run([source])["documents"] if isinstance(d, Document)])
    documents: list[Document] = cleaned["documents"]
    assert documents[0].content == PYTHON.rstrip()
    assert CodeSplitter(model="packaged").run(documents)["documents"][1].content.endswith("    return max(0, LIMIT - taken)")


def test_prose_is_cut_as_at_headings():
    out = CodeSplitter(model="packaged").run([Document(content="Twenty days of leave.", meta={"file_name": "leave.md"})])
    assert [chunk.content for chunk in out["documents"]] == ["Twenty days of leave."]
