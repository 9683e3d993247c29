"""Write a run as one HTML file: the modules of the page in one script, and the run as JSON that no markup can leave."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
from collections.abc import Iterator, Sequence
from importlib.resources import files
from typing import Any

from runtime.harness.evaluation.store import Run, read_outcomes
from runtime.harness.record import EpisodeRecord
from runtime.page.figures import describe_run
from runtime.page.steps import Replayer
from runtime.page.tell import tell_episode, tell_system

_STYLES = ("studio.css", "play.css", "evaluation.css")
MOST = 200  # conversations on a page, unless told otherwise
_IMPORT = re.compile(r'^import \{([^}]*)\} from "\./([\w-]+)\.js";$', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function\*?|const|let|class) (\w+))", re.MULTILINE)
_EXPORT_LIST = re.compile(r"\bexport ?\{([^}]*)\};?")  # minified
_PAGE = """<!doctype html>
<html lang="en" data-frozen>
<head>
<meta charset="utf-8">
<meta name="generator" content="worldsmith report">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<title>{title}</title>
<link rel="icon" href="data:,">
<style>{style}</style>
</head>
<body>
<div id="app"></div>
<noscript><p>This page is drawn by a script that it holds itself; allow it to run.</p></noscript>
"""


def page_parts(run: Run, most: int = MOST) -> Iterator[str]:
    """Yield the page in parts, to be written one after another; the same run gives the same page, byte for byte.

    `most` is how many episodes it tells in full; the list has all of them. One conversation is held at a time.
    """
    outcomes, replayer = read_outcomes(run), Replayer()
    told = choose_episodes(outcomes.numbered(run), most)
    style, script = "".join(map(_read, _STYLES)), join_modules("report")
    policy = f"default-src 'none'; style-src {_digest(style)}; script-src {_digest(script)}; img-src data:"
    policy += "; base-uri 'none'; form-action 'none'"
    yield _PAGE.format(policy=policy, style=style, title=html.escape(f"{run.config.shown}: evaluation"))
    yield _data("api/runs/run", describe_run(run, outcomes, told))
    systems: dict[str, str] = {}
    for number in told:
        record = run.attempt(number)
        systems.setdefault(record.domain, tell_system(record))
        yield _data(f"api/episodes/run/{number}", tell_episode(run, record, replayer))
    for domain, text in systems.items():
        yield _data(f"api/systems/run/{domain}", {"text": text})
    yield f'<script type="module">{script}</script>\n</body>\n</html>\n'


def choose_episodes(episodes: Sequence[tuple[int, EpisodeRecord]], most: int) -> list[int]:
    """Return the numbers of the episodes that are told in full, failures first."""
    ordered = sorted(episodes, key=lambda each: each[1].reward == 1)  # stable
    return [number for number, _ in ordered[:most]]


def join_modules(entry: str) -> str:
    """Return a module and all that it imports as one script: each is a function that returns what it exports."""
    parts: dict[str, str] = {}

    def add(name: str) -> None:
        text = _read(f"{name}.js").partition("\n//# sourceMappingURL")[0]
        for _, needed in _IMPORT.findall(text):
            if needed not in parts:
                add(needed)
        exports = [(each, each) for each in _EXPORT.findall(text)]
        for listed in _EXPORT_LIST.findall(text):
            exports += [(pair.split(" as ")[0].strip(), pair.split(" as ")[-1].strip()) for pair in listed.split(",")]
        text = _EXPORT_LIST.sub("", _EXPORT.sub("", text))
        text = _IMPORT.sub(r'const {\1} = modules["\2"];', text)
        returned = ", ".join(f"{outside}: {inside}" for inside, outside in exports)
        parts[name] = f'modules["{name}"] = (() => {{\n{text}\nreturn {{{returned}}};\n}})();'

    add(entry)
    return "\n".join(["const modules = {};", *parts.values()])


def _read(name: str) -> str:
    return files(__package__).joinpath("static", name).read_text(encoding="utf-8")


def _digest(text: str) -> str:
    """Return what a content security policy allows an inline script or style by."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _data(name: str, value: Any) -> str:
    """Return a value as JSON in an element that nothing in it can end: ASCII, and without the characters of markup."""
    text = json.dumps(value, separators=(",", ":"))
    for character in "<>&":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return f'<script type="application/json" id="{html.escape(name)}">{text}</script>\n'
