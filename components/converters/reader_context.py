"""A multiprocessing context whose children inherit nothing of the program that starts them."""

from __future__ import annotations

import io
import os
from collections.abc import Iterable
from multiprocessing import forkserver, popen_forkserver, spawn, util
from multiprocessing.context import ForkServerContext, ForkServerProcess, reduction, set_spawning_popen  # pyright: ignore[reportAttributeAccessIssue]
from typing import Any

_server = forkserver.ForkServer()


def preload(modules: Iterable[str]) -> None:
    """Name the modules that the fork server imports when it is started."""
    _server.set_forkserver_preload(["components.converters.reader_server", *modules])


class _Popen(popen_forkserver.Popen):
    """multiprocessing's own runs the program's `__main__` again in each child, so that a script without a guard would begin anew there, and has one
    fork server for all of a process."""

    _fds: list[int]

    def _launch(self, process_obj: Any) -> None:
        preparation = spawn.get_preparation_data(process_obj._name)
        for key in ("init_main_from_name", "init_main_from_path"):
            preparation.pop(key, None)
        buffer = io.BytesIO()
        set_spawning_popen(self)
        try:
            reduction.dump(preparation, buffer)
            reduction.dump(process_obj, buffer)
        finally:
            set_spawning_popen(None)
        self.sentinel, writer = _server.connect_to_new_process(self._fds)
        kept = os.dup(writer)  # its end tells the child that this process is gone
        self.finalizer = util.Finalize(self, util.close_fds, (kept, self.sentinel))  # pyright: ignore[reportAttributeAccessIssue]
        with open(writer, "wb", closefd=True) as file:  # noqa: PTH123  a file descriptor
            file.write(buffer.getbuffer())
        self.pid = forkserver.read_signed(self.sentinel)


class _Process(ForkServerProcess):
    @staticmethod
    def _Popen(process_obj: Any) -> Any:
        return _Popen(process_obj)


class ReaderContext(ForkServerContext):
    """Starts children from a fork server of its own, which has imported the parsers and holds neither torch nor the index."""

    Process = _Process  # pyright: ignore[reportAssignmentType, reportIncompatibleVariableOverride]


def _after_fork() -> None:
    global _server  # noqa: PLW0603  in a fork of this program the server is not its own
    _server = forkserver.ForkServer()


os.register_at_fork(after_in_child=_after_fork)
