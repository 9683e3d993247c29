"""The first program inside the isolation: it listens on loopback for worldsmith, and then becomes the agent's program.

`python -c TEXT_OF_THIS_FILE FD` sends the listening socket over the socket FD: whoever accepts on it is outside, while
only what is inside can connect. Then it reads one line, `{"command": [...], "environment": {...}}`. The socket FD
closes when the program has started; a reason is sent before if it cannot be.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import sys


def main() -> int:
    """Listen, and become the program."""
    signal.signal(signal.SIGTERM, signal.SIG_DFL)  # around this process it is ignored
    with socket.socket(fileno=int(sys.argv[1])) as control:
        control.set_inheritable(False)
        with socket.create_server(("127.0.0.1", 0)) as listener:
            socket.send_fds(control, [b"listening"], [listener.fileno()])
        asked = json.loads(control.makefile("rb").readline() or b"null")
        if asked is None:
            return 1
        try:
            os.execve(asked["command"][0], asked["command"], asked["environment"])
        except (OSError, ValueError) as error:
            control.sendall(str(getattr(error, "strerror", None) or error).encode())
    return 1


if __name__ == "__main__":
    sys.exit(main())
