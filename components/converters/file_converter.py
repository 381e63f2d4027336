"""What converters of files share: each source is read in a child process, under limits."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from haystack import Document, component
from haystack.dataclasses import ByteStream

from components.converters import isolation
from components.converters.outcome import UnreadableError, failure
from components.failure import Failure

Reading = list[Document] | tuple[list[Document], list[Failure]]
"""What a read function gives: documents, and where parts of a source can fail alone, those failures."""


class FileConverter:
    """Base of converters. A subclass names its read function and is the component.

    The function gets a source and the keyword arguments of `options`, and returns a `Reading`. It must be of a module, since a child process
    imports it; what it raises becomes the failure of that source, an `UnreadableError` with its own words. `isolation.py` says what else can
    become of it.

    ```python
    def read(source: ByteStream, *, upper: bool) -> list[Document]:
        text = source.data.decode()
        return [build_document(source, [(text.upper() if upper else text, {"kind": "paragraph"})], title="")]


    @component
    class ShoutingConverter(FileConverter):
        read = staticmethod(read)

        def __init__(self, upper: bool = True, timeout_s: float = 120.0, max_memory_mb: int = 1024) -> None:
            FileConverter.__init__(self, timeout_s=timeout_s, max_memory_mb=max_memory_mb)
            self.upper = upper

        def options(self) -> dict[str, Any]:
            return {"upper": self.upper}
    ```
    """

    read: ClassVar[Callable[..., Reading]]
    modules: ClassVar[tuple[str, ...]] = ()
    """Modules that the function imports and that take long: children have them before they read."""

    def __init__(self, *, timeout_s: float = 120.0, max_memory_mb: int = 1024) -> None:
        """Create a converter.

        :param timeout_s: seconds that reading one source may take, more than 0.
        :param max_memory_mb: megabytes that it may take, 64 or more.
        :raises ValueError: a value out of range.
        """
        if not timeout_s > 0:
            raise ValueError(f"timeout_s={timeout_s!r} is not accepted: seconds, more than 0")
        if max_memory_mb < 64:
            raise ValueError(f"max_memory_mb={max_memory_mb!r} is not accepted: megabytes, 64 or more")
        self.timeout_s = timeout_s
        self.max_memory_mb = max_memory_mb
        isolation.preload((type(self).read.__module__, *self.modules))

    def options(self) -> dict[str, Any]:
        """Keyword arguments of the read function; pickled."""
        return {}

    def warm_up(self) -> None:
        """Start the children, without waiting for them."""
        isolation.start()

    @component.output_types(documents=list[Document], failed=list[Failure])
    def run(self, sources: list[ByteStream]) -> dict[str, list[Document] | list[Failure]]:
        """Convert the sources, several at a time.

        :param sources: files of the formats that this converter reads.
        :returns: `documents` in the order of the sources, each with blocks, and `failed` with the reason of each source or part that gave none.
        """
        documents: list[Document] = []
        failed: list[Failure] = []
        readings = isolation.run_isolated(
            type(self).read, [(source,) for source in sources], self.options(), timeout_s=self.timeout_s, max_memory_mb=self.max_memory_mb
        )
        for source, reading in zip(sources, readings, strict=True):
            if isinstance(reading, UnreadableError):
                failed.append(failure(source, reading))
                continue
            found, failures = reading if isinstance(reading, tuple) else (reading, [])
            documents += found
            failed += failures
            if not found and not failures:
                failed.append(failure(source, "no text: the file holds none that could be read"))
        return {"documents": documents, "failed": failed}
