"""A compiled server: serve the one domain that lies beside it, without tasks, from any folder."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any

from runtime.domain.domain import Domain
from runtime.domain.load import load_domain
from runtime.errors import EnvironmentFault, UsageError
from runtime.sandbox.files import MIB, parse_json, read_bytes
from runtime.server import launch
from runtime.server.listing import Listing
from runtime.session.session import Session, open_stored_session
from runtime.session.world import DEFAULT_SEED, DEFAULT_SIZE, World, WorldCache, read_world
from runtime.wording import words_only

FORMAT = 2
CARD, DOMAIN = "compiled.json", "domain"  # what was compiled, and the folder of the domain's files


def main(folder: Path, words: Sequence[str] | None = None) -> int:
    """Serve until the client leaves; exit status 2 if something was asked for that cannot be."""
    with words_only():
        return _run(folder, words)


def _run(folder: Path, words: Sequence[str] | None) -> int:
    try:
        card = _read_card(folder)
        return _serve(folder, card, _make_parser(card["listing"]).parse_args(words))
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


def _changed(path: Path) -> UsageError:
    return UsageError(
        f"{str(path)!r} was changed after it was compiled; change the domain itself and compile it again."
    )


def _make_parser(listing: dict[str, Any]) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="server.py",
        description=f"{listing['title']}, as an MCP server over stdio (one process, one session) or streamable HTTP.",
    )
    parser.add_argument("--version", action="store_true", help="print the domain's version and digest")
    launch.add_world_options(parser)
    launch.add_state_options(parser, default_session=" (default: one for each seed and size)")
    launch.add_http_options(parser)
    launch.add_rules_options(parser)
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
    _check(arguments)
    is_debug = arguments.debug == "true"  # a bundle passes its setting on unchanged

    @cache
    def domain() -> Domain:
        loaded = _load(folder / DOMAIN, card["digest"])
        launch.check_strict(arguments, loaded)
        return loaded

    def extras(domain: Domain) -> Any:
        if not is_debug:
            return None
        from runtime.server.debug import Debug

        return Debug(domain)

    if arguments.http:
        loaded = domain()
        open_asked = partial(launch.open_asked_world, strict=arguments.strict)
        return launch.run_http(arguments, {loaded.name: loaded}, open_asked, extras)
    listing = Listing(**{**card["listing"], "tools": tuple(card["listing"]["tools"])})
    if is_debug or arguments.strict or arguments.world is not None or arguments.state is not None:
        # What names a file fails now, in one line; everything else can wait for the first call.
        session = _open(arguments, domain())
        return launch.run_stdio(arguments, listing, lambda: session, extras(domain()))
    return launch.run_stdio(arguments, listing, lambda: _open_late(arguments, domain), None)


def _check(arguments: argparse.Namespace) -> None:
    if arguments.http and (arguments.state or arguments.session or arguments.world):
        raise UsageError("--state, --session and --world are for stdio; over HTTP, POST /sessions says it")
    if arguments.session is not None and arguments.state is None:
        raise UsageError("--session names a session in a folder; pass --state DIR, too")
    if arguments.world is not None and launch.asked_world(arguments):
        raise UsageError("pass one of --world, and --seed with --size")
    if arguments.world is not None and arguments.state is not None and arguments.session is None:
        raise UsageError("--world with --state needs a --session NAME")
    launch.check_size(arguments.size)


def _load(folder: Path, digest: str) -> Domain:
    domain = load_domain(folder)
    if domain.digest != digest:
        raise _changed(folder)
    return domain


def _open_late(arguments: argparse.Namespace, domain: Any) -> Session:
    try:
        return _open(arguments, domain())
    except UsageError as error:
        raise EnvironmentFault(str(error)) from error


def _open(arguments: argparse.Namespace, domain: Domain) -> Session:
    asked = launch.asked_world(arguments)

    def make_world() -> World:
        if arguments.world is not None:
            return read_world(arguments.world, domain.schema, domain.policies, launch.say)
        return WorldCache().take(domain, **asked)

    if arguments.state is None:
        return Session(domain, make_world(), principal=arguments.principal, strict=arguments.strict)
    name = arguments.session or f"seed-{asked.get('seed', DEFAULT_SEED)}-size-{asked.get('size', DEFAULT_SIZE)}"
    return open_stored_session(
        domain, arguments.state, name, make_world, asked, principal=arguments.principal, strict=arguments.strict
    )
