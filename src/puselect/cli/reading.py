"""Reading tables with a library that prints panics and at times ends the process: either becomes one error line."""

import ctypes
import os
import signal
import struct
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from puselect.atomic import scratch_files
from puselect.cli.application import DEBUG, messages, one_line

CRASHES = (signal.SIGABRT, signal.SIGBUS, signal.SIGSEGV) if sys.platform == "linux" else ()
SA_ONSTACK = 0x08000000
STACK_BYTES = 1 << 16
ACTION_BYTES = 512  # more than any C library's struct sigaction
CLEAN_LINE = "\r\x1b[K\x1b[?25h"
"""For a terminal that shows a spinner: empty the line, show the cursor."""


@contextmanager
def reading(data: str) -> Iterator[None]:
    """End with one error line, exit code 1 and no scratch files where polars fails on `data` in this block.

    On a damaged file polars may panic: Rust prints to the file descriptor, past `sys.stderr`, before the error is
    raised. Only an application may redirect it, so this is done here and not where tables are read. Other output is
    passed on, and everything with --debug.
    """
    try:
        stderr = os.dup(2)
    except OSError:  # standard error is closed
        with _last_words(data, 2):
            yield
        return
    with tempfile.TemporaryFile() as buffer, _last_words(data, stderr):
        show = False
        try:
            if DEBUG not in sys.argv:
                os.dup2(buffer.fileno(), 2)
            yield
            show = True
        finally:
            os.dup2(stderr, 2)
            os.close(stderr)
            if show:
                buffer.seek(0)
                os.write(2, buffer.read())


@contextmanager
def _last_words(data: str, stream: int) -> Iterator[None]:
    """Write an error to the descriptor `stream`, remove scratch files and exit with 1 if a library crashes here.

    No Python can run any more where polars aborts, because a damaged page asks for more memory than there is, overflows
    the stack on types nested without end, or reads a file that has become shorter. Hence signal handlers of a few
    machine instructions, with a stack of their own.
    """
    if not CRASHES:  # the structures are those of Linux
        yield
        return
    from puselect.tables.errors import FileError

    error = FileError(data, "damaged", "it is damaged, or too large for the memory")
    line = f"{CLEAN_LINE if messages.is_terminal else ''}error: {one_line(error)}\n"
    libc, stack = ctypes.CDLL(None), ctypes.create_string_buffer(STACK_BYTES)
    handler = _Handler(line.encode(errors="replace"), stream, list(scratch_files))
    old_stack, old_actions = ctypes.create_string_buffer(64), {}
    libc.sigaltstack(struct.pack("Pi4xN", ctypes.addressof(stack), 0, STACK_BYTES), old_stack)
    action = struct.pack("P128xi4xP", handler.address, SA_ONSTACK, 0)
    try:
        for number in CRASHES:
            old_actions[number] = ctypes.create_string_buffer(ACTION_BYTES)
            libc.sigaction(int(number), action, old_actions[number])
        yield
    finally:
        for number, old_action in old_actions.items():
            libc.sigaction(int(number), old_action, None)
        libc.sigaltstack(old_stack, None)


class _Handler:
    """Machine code that writes a line, removes files and exits, by system calls only.

    Parameters
    ----------
    line : bytes
    stream : int
        Descriptor that the line is written to.
    scratch : list of path
    """

    def __init__(self, line: bytes, stream: int, scratch: list[Path]) -> None:
        import llvmlite.binding as llvm

        self._texts = [ctypes.create_string_buffer(text) for text in (line, *map(os.fsencode, scratch))]
        llvm.initialize_native_target()
        llvm.initialize_native_asmprinter()
        machine = llvm.Target.from_default_triple().create_target_machine()
        self._code = llvm.create_mcjit_compiler(llvm.parse_assembly(str(self._module(stream))), machine)
        self._code.finalize_object()
        self.address: int = self._code.get_function_address("end")

    def _module(self, stream: int) -> Any:
        from llvmlite import ir

        number, word, nothing = ir.IntType(32), ir.IntType(8 * ctypes.sizeof(ctypes.c_void_p)), ir.VoidType()
        module = ir.Module()

        def function(name: str, result: Any, *arguments: Any) -> Any:
            return ir.Function(module, ir.FunctionType(result, arguments), name)

        write = function("write", word, number, word, word)
        unlink, leave = function("unlink", number, word), function("_exit", nothing, number)
        body = ir.IRBuilder(function("end", nothing, number).append_basic_block())
        line, *scratch = (word(ctypes.addressof(text)) for text in self._texts)
        for path in scratch:
            body.call(unlink, [path])
        body.call(write, [number(stream), line, word(len(self._texts[0]) - 1)])
        body.call(leave, [number(1)])
        body.unreachable()
        return module
