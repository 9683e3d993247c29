"""`worldsmith studio`: start the local web page that shows domains, plays tasks and watches evaluations."""

from __future__ import annotations

import argparse
import contextlib
import errno
import secrets
import socket
from pathlib import Path
from types import FrameType
from urllib.parse import quote

from runtime.commands.options import command, option
from runtime.errors import UsageError

PORT = 8770


@command(
    "studio",
    "A web page on this machine: look at domains, play their tasks by hand or watch an agent, step back and fork, see "
    "each change and the verdict, and follow an evaluation or a farm. Only the printed link opens it.",
    option("domain", nargs="?", help="name or path of a domain to begin with (default: all of them)"),
    option("--run", dest="store", type=Path, metavar="FILE", help="the store of an evaluation to begin with"),
    option("--farm", type=Path, metavar="FILE", help="the list of a farm to begin with"),
    option("--port", type=int, default=PORT, metavar="N", help=f"port to listen on (default {PORT})"),
)
def run_studio(arguments: argparse.Namespace) -> int:
    """Serve until the process is told to stop."""
    import uvicorn

    from worldsmith.studio.domains import show_domain
    from worldsmith.studio.server import Studio, build_app

    start = ""  # the part of the page to begin with
    if arguments.domain is not None:
        start = f"#/domain/{quote(show_domain(arguments.domain))}"
    if arguments.store is not None:
        if not arguments.store.is_file():
            raise UsageError(f"There is no store {str(arguments.store)!r}; `worldsmith eval --store FILE` writes one.")
        start = f"#/run/{quote(arguments.store.stem)}"
    if arguments.farm is not None:
        if not arguments.farm.is_file():
            raise UsageError(f"There is no list {str(arguments.farm)!r}; `worldsmith farm FILE` builds one.")
        start = f"#/farm/{quote(arguments.farm.stem)}"
    studio = Studio(arguments.store, arguments.farm)
    token = secrets.token_urlsafe(24)
    listening = listen(arguments.port)
    port = listening.getsockname()[1]

    class Server(uvicorn.Server):
        def handle_exit(self, sig: int, frame: FrameType | None) -> None:
            studio.hub.close()  # uvicorn waits for streams that are open
            super().handle_exit(sig, frame)

    config = uvicorn.Config(
        build_app(studio, port, token),
        ws="none",
        lifespan="off",
        log_level="error",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=2,
    )
    print(f"The studio is at http://127.0.0.1:{port}/?token={token}{start}", flush=True)
    with contextlib.suppress(KeyboardInterrupt):  # which uvicorn raises again after it has stopped properly
        Server(config).run(sockets=[listening])
    return 0


def listen(port: int) -> socket.socket:
    """Return a socket that listens on a port of this machine; errors: UsageError, naming a free one, if it is taken."""
    if not 0 <= port <= 65_535:
        raise UsageError(f"--port is {port}; it must be from 1 to 65535, or 0 for any that is free.")
    try:
        return _bound(port)
    except OSError as error:
        if error.errno != errno.EADDRINUSE:
            raise UsageError(f"Port {port} cannot be used: {error.strerror}.") from error
    with _bound(0) as other:
        free = other.getsockname()[1]
    raise UsageError(f"Port {port} is in use; {free} is free: --port {free}.")


def _bound(port: int) -> socket.socket:
    # Named, for asyncio sends small answers at once only where it sees that this is TCP.
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(("127.0.0.1", port))
        listening.listen()
    except OSError:
        listening.close()
        raise
    return listening
