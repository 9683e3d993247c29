"""A compiled server: serve the one domain that lies beside it, without tasks, from any folder."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from runtime.domain.load import load_domain
from runtime.errors import EnvironmentFault, UsageError
from runtime.sandbox.files import MIB, parse_json, read_bytes
from runtime.server import launch
from runtime.wording import words_only

FORMAT = 3
CARD, DOMAIN = "compiled.json", "domain"  # what was compiled, and the folder of the domain's files


def main(folder: Path, words: Sequence[str] | None = None) -> int:
    """Serve until the client leaves; exit status 2 if something was asked for that cannot be."""
    with words_only():
        return _run(folder, words)


def _run(folder: Path, words: Sequence[str] | None) -> int:
    try:
        card = _read_card(folder)
        return _serve(folder, card, _make_parser(card).parse_args(words))
    except UsageError as error:
        print("\n".join(f"error: {line}" for line in str(error).splitlines()), file=sys.stderr)
        return 2
    except EnvironmentFault as fault:
        print(f"error: {fault}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130


def _read_card(folder: Path) -> dict[str, Any]:
    path = folder / CARD
    try:
        card: dict[str, Any] = parse_json(read_bytes(path, 64 * MIB))
    except (UsageError, ValueError) as error:
        raise UsageError(f"{str(path)!r} cannot be read: {error}; compile the domain again.") from None
    if card.get("format") != FORMAT:
        raise UsageError(f"{str(path)!r} has format {card.get('format')!r}; this server reads {FORMAT}.")
    return card


def _make_parser(card: dict[str, Any]) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="server.py",
        description=f"{card['title']}, as an MCP server over stdio (one process, one session) or streamable HTTP.",
    )
    version = f"{card['domain']} {card['version']} (digest {card['digest']})"
    parser.add_argument("--version", action="version", version=version)
    launch.add_world_options(parser)
    launch.add_state_options(parser)
    launch.add_http_options(parser)
    launch.add_rules_options(parser)
    launch.add_fault_options(parser)
    parser.add_argument(
        "--debug",
        nargs="?",
        const="true",
        default="",
        metavar="true",
        help="add tools for people: show changes and violations, reset",
    )
    return parser


def _serve(folder: Path, card: dict[str, Any], arguments: argparse.Namespace) -> int:
    launch.check_options(arguments)
    domain = load_domain(folder / DOMAIN)
    if domain.digest != card["digest"]:
        raise UsageError(
            f"{str(domain.path)!r} was changed after it was compiled; change the domain itself and compile it again."
        )
    launch.check_strict(arguments, domain)
    extras = None
    if arguments.debug == "true":  # a bundle passes its setting on unchanged
        from runtime.server.debug import Debug

        extras = Debug(domain)
    if arguments.http:
        open_asked = partial(launch.open_asked_world, strict=arguments.strict)
        return launch.run_http(arguments, {domain.name: domain}, open_asked, lambda _: extras)
    return launch.run_stdio(arguments, launch.open_session(arguments, domain), extras)
