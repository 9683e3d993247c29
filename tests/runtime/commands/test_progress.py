"""A long command shows how it goes: one line that stays in place on a terminal, plain lines when piped."""

from __future__ import annotations

import io
import os
import pty
import re
import subprocess
import sys
import time

import pytest

from runtime.commands.progress import Progress

PLAYED = """
import time
from runtime.commands.progress import Progress
with Progress("playing :star: [red]x[/red]", 40) as progress:
    for number in range(40):
        time.sleep(0.02)
        progress.advance()
        if number == 20:
            progress.said("one went wrong")
    progress.tell("$0.10")
    time.sleep(0.3)
"""


def test_piped_it_tells_plain_lines_now_and_then(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("runtime.commands.progress._FIRST_PLAIN_SECONDS", 0.2)
    stream = io.StringIO()
    with Progress("playing", 40, stream) as progress:
        progress.advance(12)
        progress.said("one went wrong")
        time.sleep(0.2)
        progress.tell("reward 0.500")
        progress.tell("reward 0.600")
    lines = stream.getvalue().splitlines()
    assert len(lines) == 2
    assert lines[0] == "one went wrong"
    assert re.fullmatch(r"playing: 12 of 40, \d+\.\d/s, \d+ s left, reward 0\.500", lines[1])
    assert "\x1b" not in stream.getvalue()


def test_on_a_terminal_the_line_stays_in_place_and_is_gone_at_the_end() -> None:
    leader, follower = pty.openpty()
    environment = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "80"}
    with subprocess.Popen([sys.executable, "-c", PLAYED], stderr=follower, env=environment) as process:
        os.close(follower)
        shown = b""
        try:
            while chunk := os.read(leader, 65_536):
                shown += chunk
        except OSError:  # the other end was closed
            pass
    os.close(leader)
    text = shown.decode()
    assert process.returncode == 0
    assert "playing :star: [red]x[/red]: 40 of 40" in text  # neither emoji nor markup
    assert "$0.10" in text
    plain = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", text)
    assert [line.strip() for line in re.split(r"[\r\n]+", plain)].count("one went wrong") == 1
    assert text.rstrip().endswith("\x1b[2K")  # the line is taken away
