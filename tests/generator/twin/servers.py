"""PostgreSQL and MariaDB servers in a temporary directory, for the tests that hold a twin against real ones."""

from __future__ import annotations

import glob
import os
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

PASSWORD = "s3cret-of-the-test"


@dataclass(frozen=True)
class Server:
    """A running server: its address, and how SQL is run in it and dumped from it."""

    address: str
    run: Callable[[str], None]
    dump: Callable[..., str]


def _found(*names: str) -> str:
    """Return the path of the first program that is there; skip the test if none is."""
    places = [*glob.glob("/usr/lib/postgresql/*/bin"), "/usr/sbin", "/usr/local/bin"]
    path = os.pathsep.join([*places, os.environ.get("PATH", "")])
    program = next((found for name in names if (found := shutil.which(name, path=path))), None)
    if program is None:
        pytest.skip(f"{names[0]} is not installed")
    return program


def _free_port() -> int:
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        return int(server.getsockname()[1])


def _sh(*command: str, given: str | None = None, user: str | None = None) -> str:
    done = subprocess.run(
        command, input=given, capture_output=True, text=True, errors="replace", timeout=120, user=user, cwd="/tmp"
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@contextmanager
def postgres(folder: Path) -> Iterator[Server]:
    """Start PostgreSQL on a free port; the server does not run as root."""
    initdb, pg_ctl, psql, pg_dump = (_found(name) for name in ("initdb", "pg_ctl", "psql", "pg_dump"))
    user, port = ("postgres" if os.getuid() == 0 else None), str(_free_port())
    own = Path(tempfile.mkdtemp(prefix="worldsmith-postgres-"))
    own.chmod(0o755)
    data = own / "data"
    data.mkdir()
    secret = own / "password"
    secret.write_text(PASSWORD)
    if user:
        shutil.chown(data, user)
    _sh(initdb, "-D", str(data), "-U", "tester", "-A", "scram-sha-256", f"--pwfile={secret}", "-N", user=user)
    options = f"-p {port} -k {data} -c listen_addresses=127.0.0.1 -c fsync=off"
    _sh(pg_ctl, "-D", str(data), "-o", options, "-l", str(data / "log"), "-w", "start", user=user)
    address = f"postgresql://tester:{PASSWORD}@127.0.0.1:{port}/postgres"
    try:
        yield Server(
            address,
            lambda sql: [_sh(psql, "-v", "ON_ERROR_STOP=1", "-q", address, given=sql), None][1],
            lambda *options: _sh(pg_dump, *options, address),
        )
    finally:
        _sh(pg_ctl, "-D", str(data), "-m", "immediate", "stop", user=user)
        shutil.rmtree(own)


@contextmanager
def mariadb(folder: Path) -> Iterator[Server]:
    """Start MariaDB on a free port and make a database and a user with a password."""
    install, mariadbd = _found("mariadb-install-db"), _found("mariadbd")
    client, dump = _found("mariadb"), _found("mariadb-dump", "mysqldump")
    port, data, log = str(_free_port()), folder / "data", folder / "log"
    user = ["--user=root"] if os.getuid() == 0 else []
    _sh(install, "--no-defaults", f"--datadir={data}", "--auth-root-authentication-method=normal", *user)
    paths = [f"--datadir={data}", f"--socket={folder / 's'}", f"--pid-file={folder / 'pid'}", f"--port={port}"]
    with log.open("w") as file:
        server = subprocess.Popen([mariadbd, "--no-defaults", *paths, "--bind-address=127.0.0.1", *user], stderr=file)
    to = ["--no-defaults", f"--socket={folder / 's'}", "-u", "root"]
    try:
        for _ in range(300):
            if subprocess.run([client, *to, "-e", "SELECT 1"], capture_output=True).returncode == 0:
                break
            time.sleep(0.1)
        _sh(
            client,
            *to,
            given=f"CREATE DATABASE shop; GRANT ALL ON shop.* TO tester@'127.0.0.1' IDENTIFIED BY '{PASSWORD}';",
        )
        yield Server(
            f"mariadb://tester:{PASSWORD}@127.0.0.1:{port}/shop",
            lambda sql: [_sh(client, *to, "shop", given=sql), None][1],
            lambda *options: _sh(dump, *to, *options, "shop"),
        )
    finally:
        server.terminate()
        server.wait(30)
