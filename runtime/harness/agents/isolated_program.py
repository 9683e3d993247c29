"""A program in an isolation of its own: it is started, its server's socket is taken from inside, then it may begin."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import Mapping, Sequence
from pathlib import Path

from runtime.errors import EnvironmentFault
from runtime.harness.agents.isolation import Isolation
from runtime.harness.agents.program import Program, cannot_start

_SECONDS = 30.0  # until there is something to listen on


class IsolatedProgram:
    """An isolation that waits to be told what to run; `listener` is a socket in it, `program` all that runs there."""

    def __init__(self, program: Program, control: socket.socket, listener: socket.socket) -> None:
        """Use `start`."""
        self.program = program
        self.listener = listener
        self._control = control

    @classmethod
    async def start(cls, isolation: Isolation, folder: Path) -> IsolatedProgram:
        """Isolate a folder; errors: EnvironmentFault, UsageError."""
        control, theirs = socket.socketpair()
        with theirs:
            command = isolation.command(folder, theirs.fileno())
            environment = {"LANG": "C.UTF-8"}
            try:
                program = await Program.start(
                    command, folder, environment, descriptors=(theirs.fileno(),), ignores_stop=True
                )
            except BaseException:
                control.close()
                raise
        control.settimeout(_SECONDS)
        try:
            _, (descriptor,), *_ = await asyncio.to_thread(socket.recv_fds, control, 64, 1)
        except (OSError, ValueError) as error:  # TimeoutError is an OSError; no descriptor came
            control.close()
            await program.stop(politely=False)
            raise EnvironmentFault(f"The isolation of an agent's program {program.end_words()}.") from error
        except BaseException:
            await program.stop(politely=False)
            control.close()
            raise
        return cls(program, control, socket.socket(fileno=descriptor))

    async def run(self, command: Sequence[str], environment: Mapping[str, str]) -> None:
        """Let the program begin; errors: UsageError if it cannot be started there."""
        reader, writer = await asyncio.open_connection(sock=self._control)
        try:
            writer.write(json.dumps({"command": list(command), "environment": dict(environment)}).encode() + b"\n")
            await writer.drain()
            said = await reader.read()
        finally:
            writer.close()
        if said:
            raise cannot_start(command[0], f"{said.decode(errors='replace')}; --isolate shows it what is needed to run")
