"""Make the office of a domain with an inbox: a domain of its own, whose tasks are days."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from runtime.domain.domain import Domain
from runtime.domain.load import RULES, load_domain
from runtime.domain.policy_text import POLICY, write_policy
from runtime.errors import BrokenDomain, UsageError
from runtime.sandbox.files import read_text

SUFFIX = "_day"
INBOX = "inbox"
_DAYS_OF = "days_of"
TOOLS = ("list_messages", "read_message", "reply", "set_aside")
_INBOX_TOOLS = Path(__file__).with_name("inbox.py")
_TABLE = """
CREATE TABLE inbox (                        -- A message that somebody wrote to the office
    message_id   TEXT PRIMARY KEY,          -- Message number
    arrived_at   TEXT NOT NULL,             -- When it arrived
    sender_name  TEXT NOT NULL,             -- Who signed it
    subject      TEXT NOT NULL,             -- Its subject
    body         TEXT NOT NULL,             -- Its words
    state        TEXT NOT NULL DEFAULT 'new' CHECK (state IN ('new', 'answered', 'set_aside')),  -- What became of it
    outcome      TEXT CHECK (outcome IN ('done', 'declined', 'partly', 'withdrawn')),  -- Of an answered one
    reason       TEXT CHECK (reason IN ('beyond_tools', 'unclear')),      -- Of one that was set aside
    reply        TEXT,                      -- Words to the sender
    told_date    TEXT,                      -- The date that was asked for
    told_cents   INTEGER,                   -- The amount that was asked for
    told_number  INTEGER,                   -- The number that was asked for
    told_value   TEXT,                      -- What else was asked for
    closed_at    TEXT                       -- When it was answered or set aside
) STRICT, WITHOUT ROWID;
"""
_PAST = '''

_PAST_MESSAGES = (  # name, subject, body, what became of it
    ("Grace Lindqvist", "Thank you", "Everything went well. Thanks for your help!", {"outcome": "done"}),
    ("Omar Castillo", "One more question", "Could you do this for my neighbor, too?", {"outcome": "declined"}),
    ("Helen Park", "Two things", "Please take care of both when you have a minute.", {"outcome": "partly"}),
    ("Victor Osei", "Parking", "Could someone save me a parking spot tomorrow?", {"reason": "beyond_tools"}),
    ("Lucy Marsh", "As discussed", "Just the usual, please.", {"reason": "unclear"}),
)


def populate(world: WorldBuilder) -> None:
    """The office as it is, and in its inbox what was closed on the last days."""
    _populate_office(world)
    for number, (name, subject, body, closed) in enumerate(_PAST_MESSAGES):
        arrived = world.moment(-1 - number, "14:20:00")
        world.insert(
            "inbox",
            message_id=f"MESSAGE-{900 + number}",
            arrived_at=arrived,
            sender_name=name,
            subject=subject,
            body=body,
            state="answered" if "outcome" in closed else "set_aside",
            reply="It is taken care of as far as we can." if "outcome" in closed else None,
            closed_at=world.moment(-1 - number, "15:05:00"),
            **closed,
        )
'''
_COLUMNS = {
    "inbox.reply": "words to the sender; the outcome and what was asked for stand beside them",
    "inbox.closed_at": "the clock at the time of the call",
}


def check_days(folder: Path, *, replace: bool) -> None:
    """Check that days may take the place of a folder; errors: UsageError where it holds anything but days."""
    try:
        held = load_domain(folder).card.provenance.get(_DAYS_OF)
    except (UsageError, BrokenDomain):
        held = None
    if held is None:
        raise UsageError(f"{str(folder)!r} holds something else than days; give another --out.")
    if not replace:
        raise UsageError(f"{str(folder)!r} has days already; give --replace, or another --out.")


def make_office(domain: Domain, folder: Path) -> Domain:
    """Write a domain that is another one with an inbox, and load it; errors: UsageError where names are taken."""
    taken = [name for name in TOOLS if name in domain.tools] + [INBOX] * (INBOX in domain.schema.tables)
    if taken:
        raise UsageError(f"Domain {domain.name!r} has {taken[0]!r} of its own, as an inbox has; it can have no days.")
    source = domain.path
    (folder / "tools").mkdir(parents=True)
    for name in (RULES, "rule_cases.jsonl"):
        if (source / name).is_file():
            shutil.copyfile(source / name, folder / name)
    world = read_text(source / "world.py").replace("def populate(", "def _populate_office(", 1)
    (folder / "world.py").write_text(f"{world.rstrip()}\n{_PAST}", "utf-8")
    for file in sorted((source / "tools").glob("*.py")):
        shutil.copyfile(file, folder / "tools" / file.name)
    shutil.copyfile(_INBOX_TOOLS, folder / "tools" / "inbox.py")
    (folder / "schema.sql").write_text(f"{read_text(source / 'schema.sql').rstrip()}\n{_TABLE}", "utf-8")
    card = json.loads(read_text(source / "domain.json"))
    card["name"] += SUFFIX
    card["desk"] = "inbox"
    card["columns"] = card.get("columns", {}) | {
        name: {"policy": "generated", "reason": reason} for name, reason in _COLUMNS.items()
    }
    card["provenance"] = {_DAYS_OF: domain.name, "digest": domain.digest}
    (folder / "domain.json").write_text(json.dumps(card, indent=2, ensure_ascii=False) + "\n", "utf-8")
    (folder / POLICY).write_text(write_policy(load_domain(folder)), "utf-8")
    return load_domain(folder)
