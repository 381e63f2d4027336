"""Indexing graphs that differ from `pipelines/index.yml` in the splitter alone.

`python -m evaluation.splitter_variants` writes them anew under `pipelines/splitters/`, after a change of `index.yml` or of a node below.
"""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

_LIMITS = """\
      max_tokens: 240          # of the embedding model, context header included; all-MiniLM-L6-v2 reads 256
      section_max_chars: 12000 # a longer section becomes several parents
      model: null              # whose tokenizer counts; null: the embedding model of the settings
"""
_MODULE = "components.preprocessors"
VARIANTS = {
    "token_window": f"""\
  splitter:                    # windows of a fixed number of tokens, whatever stands in them
    type: {_MODULE}.token_window_splitter.TokenWindowSplitter
    init_parameters:
      size: 200                # tokens of a window; the context header gets what the model reads beyond them
      overlap: 40              # tokens repeated from the window before; less than size
      section_max_chars: 12000 # a longer section becomes several parents
      model: null              # whose tokenizer counts; null: the embedding model of the settings
""",
    "sentence": f"""\
  splitter:                    # so many sentences a chunk
    type: {_MODULE}.sentence_splitter.SentenceSplitter
    init_parameters:
      sentences: 5             # of a chunk, those repeated included
      overlap: 1               # sentences repeated from the chunk before; less than sentences
{_LIMITS}""",
    "recursive": f"""\
  splitter:                    # at blank lines, else at line ends, stops, spaces
    type: {_MODULE}.recursive_splitter.RecursiveSplitter
    init_parameters:
      separators: null         # the coarsest first; null: blank line, line end, stop, space
      overlap: 0               # tokens repeated from the chunk before, in whole pieces
{_LIMITS}""",
    "paragraph": f"""\
  splitter:                    # a paragraph, list, table or block of code a chunk
    type: {_MODULE}.paragraph_splitter.ParagraphSplitter
    init_parameters:
      min_tokens: 32           # shorter ones are joined to what follows
{_LIMITS}""",
    "sentence_window": f"""\
  splitter:                    # single sentences are found, and shown with those around them
    type: {_MODULE}.sentence_window_splitter.SentenceWindowSplitter
    init_parameters:
      window: 3                # sentences shown on each side
{_LIMITS}""",
    "semantic": f"""\
  splitter:                    # where the subject changes, by the embeddings of neighbouring sentences; twice the time
    type: {_MODULE}.semantic_splitter.SemanticSplitter
    init_parameters:
      percentile: 90           # a break is where the distance is above this percentile of the document's
      min_tokens: 48           # smaller chunks are joined to a neighbour
      batch_size: 32           # sentences embedded at once
{_LIMITS}""",
    "parent_child": f"""\
  splitter:                    # small chunks are found; show their parents with `expand: section` of the evidence builder
    type: {_MODULE}.parent_child_splitter.ParentChildSplitter
    init_parameters:
      max_tokens: 96           # of a chunk, context header included
      parent_tokens: 1024      # of a parent
      model: null              # whose tokenizer counts; null: the embedding model of the settings
""",
    "record": f"""\
  splitter:                    # groups of rows with their header; a record whole
    type: {_MODULE}.record_splitter.RecordSplitter
    init_parameters:
      rows: null               # rows of a chunk at most; null: as many as fit
{_LIMITS}""",
    "code": f"""\
  splitter:                    # whole functions and classes of source files; other documents as in index.yml
    type: {_MODULE}.code_splitter.CodeSplitter
    init_parameters:
{_LIMITS}""",
}
"""Name of a variant to the text of its splitter node."""
_NODE = re.compile(r"^  splitter:.*\n(?:^ {3,}.*\n|^\s*\n)*", re.MULTILINE)
_SCHEMA = "# yaml-language-server: $schema=graph.schema.json\n"


def variant(index: str, name: str) -> str:
    """The text of an indexing graph with another splitter.

    :param index: the text of `index.yml`.
    :param name: a key of `VARIANTS`.
    :raises ValueError: the text has no splitter node, or more than one.
    """
    node = VARIANTS[name]
    changed, count = _NODE.subn(lambda _: node, index)
    if count != 1:
        raise ValueError(f"index.yml has {count} nodes `  splitter:`; accepted: one")
    head = (
        f"{_SCHEMA.replace('graph.schema', '../graph.schema')}"
        "# index.yml with another splitter; docs/splitters.md says when. Written by `python -m evaluation.splitter_variants`: edit there.\n"
    )
    return head + changed.removeprefix(_SCHEMA)


def write_variants(pipelines: Path) -> list[Path]:
    """Write every variant under `pipelines/splitters/`.

    :returns: the files that changed.
    """
    index = (pipelines / "index.yml").read_text(encoding="utf-8")
    changed: list[Path] = []
    for name in VARIANTS:
        path = pipelines / "splitters" / f"index_{name}.yml"
        text = variant(index, name)
        if not path.is_file() or path.read_text(encoding="utf-8") != text:
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
            changed.append(path)
    return changed


def main() -> None:
    """Write the variants of this clone and name those that changed."""
    home = Path(os.environ.get("SAKSHYA_HOME") or Path(__file__).parents[1])
    for path in write_variants(home / "pipelines"):
        sys.stdout.write(f"{path}\n")


if __name__ == "__main__":
    main()
