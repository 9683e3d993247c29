"""The folder that a program finds itself in: where its world is (`mcp.json`), what it is asked (`TASK.md`), no more."""

from __future__ import annotations

import json
import logging
import re
import tempfile
from collections.abc import Sequence
from pathlib import Path

from runtime.harness.agents.removal import remove_folder
from runtime.harness.messages import Message, converses

TALK = "talk_to_user"  # the tool with which the program speaks, beside those of the world
PLACEHOLDERS = ("config", "url", "folder", "prompt")  # what `Folder.fill` knows

_log = logging.getLogger(__name__)

_ABOUT_TOOLS = (
    'You are the assistant. Your tools are those of the MCP server "world", which `mcp.json` names. They are the only '
    "way to look anything up or to change anything. "
)
_ABOUT_USER = (
    f"A user is waiting. The user reads nothing that you write and hears only what you say with the tool `{TALK}`: "
    "give it your message, and it returns what the user says next. Greet the user with it to begin with; the user "
    "then says what is wanted. Ask, confirm and report with the same tool. When it says that the conversation is "
    "over, stop."
)
_ABOUT_WORDS = (
    "The user has said everything at once, see below, and answers nothing. When all is done, or cannot be done, report "
    f"it once with the tool `{TALK}`, with whatever the user wanted to know. That ends the conversation; then stop."
)


class Folder:
    """A new folder of one episode that only its owner may enter."""

    def __init__(self) -> None:
        self.path = Path(tempfile.mkdtemp(prefix="worldsmith-agent-")).resolve()
        self.config = self.path / "mcp.json"
        self.url = self.prompt = ""

    def write(self, url: str, messages: Sequence[Message]) -> None:
        """Say where the world is and what is asked; `messages` are those before the program's first turn."""
        self.url = url
        self.prompt = write_prompt(messages)
        servers = {"world": {"type": "http", "url": url}}
        self.config.write_text(json.dumps({"mcpServers": servers}, indent=2) + "\n", encoding="utf-8")
        (self.path / "TASK.md").write_text(self.prompt, encoding="utf-8")

    def fill(self, words: Sequence[str]) -> list[str]:
        """The words of a command with `{config}`, `{folder}`, `{url}` and `{prompt}` filled in; others stay."""
        values = {"config": str(self.config), "folder": str(self.path), "url": self.url, "prompt": self.prompt}
        return [re.sub(rf"\{{({'|'.join(values)})\}}", lambda found: values[found[1]], word) for word in words]

    def remove(self) -> None:
        """Remove the folder with whatever the program left in it; what cannot be removed is a warning."""
        try:
            remove_folder(self.path)
        except OSError as error:
            _log.warning("Folder %r of an agent's program cannot be removed: %s.", str(self.path), error.strerror)


def write_prompt(messages: Sequence[Message]) -> str:
    """What the program is asked: the system message, how to act and speak, and the user's words if nobody answers."""
    system = "\n\n".join(message.text for message in messages if message.role == "system")
    if converses(messages):
        return f"{system}\n\n{_ABOUT_TOOLS}{_ABOUT_USER}\n"
    words = "\n\n".join(message.text for message in messages if message.role == "user")
    return f"{system}\n\n{_ABOUT_TOOLS}{_ABOUT_WORDS}\n\nThe user says:\n\n{words}\n"
