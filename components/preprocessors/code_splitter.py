"""Splits source files into their functions and classes."""

from __future__ import annotations

from haystack import component

from components.chunk import embedded_text
from components.preprocessors.chunk_layout import HEADER_SHARE, Layout, SectionChunks, lay_out
from components.preprocessors.code_languages import code_language, parser_of
from components.preprocessors.code_outline import code_outline
from components.preprocessors.splitter import SourceText, Splitter


@component
class CodeSplitter(Splitter):
    """Cuts source files into whole functions and classes, each with the comments above it; other documents as `HeadingSplitter` does.

    Haystack has no splitter for code: the others cut inside functions and lose indentation at the beginning of a chunk.

    The file is parsed with `tree-sitter` (Bash, C, C#, C++, Go, Java, JavaScript, Kotlin, PHP, Python, Ruby, Rust, Scala, Swift, TypeScript), which
    reads broken code too. A class that does not fit becomes its head and its members; a function that does not fit is cut between statements,
    those of its own body first, and its docstring stays with its signature. What stands between functions, such as imports, is packed
    together. `heading_path` names class and function, so the context header does too. A file in another language is cut at blank lines, before
    lines that are not indented where that can be.

    A file is code if its extension says so (`file_name`, else `uri`, of the meta).

    ```python
    from haystack import Document
    from components.preprocessors.code_splitter import CodeSplitter

    code = "# Days of leave.\\ndef days(grade):\\n    return 20\\n\\n\\ndef notice():\\n    return 30\\n"
    out = CodeSplitter().run([Document(content=code, meta={"file_name": "leave.py"})])
    assert [d.meta["heading_path"] for d in out["documents"]] == [["days"], ["notice"]]
    ```

    :param max_tokens: tokens of a chunk, context header and special tokens included; 32 to 8192, and no more than the model reads.
    :param section_max_chars: characters of a section; a longer one becomes several. 500 to 1,000,000.
    :param model: whose tokenizer counts: `packaged`, a folder or a hub name; None is the embedding model of the settings.
    :raises ValueError: a value outside these bounds.
    """

    def __init__(self, max_tokens: int = 240, section_max_chars: int = 12000, model: str | None = None) -> None:
        Splitter.__init__(self, max_tokens, section_max_chars, model)

    def lay_out(self, source: SourceText) -> list[SectionChunks]:
        """Functions and classes as sections, packed with whole statements."""
        layout = Layout(self.max_tokens - self.counter.overhead, self.section_max_chars, join_if_short=source.is_record, language=source.language)
        language = code_language(str(source.meta.get("file_name") or source.meta.get("uri") or ""))
        outline = None
        if language is not None:
            room = int(layout.max_tokens * (1 - HEADER_SHARE / 2))
            outline = code_outline(source.text, parser_of(language), lambda text: self.counter.count([embedded_text(text, source.title)])[0] <= room)
        return lay_out(source.text, source.blocks, source.title, layout, self.counter.count, outline)
