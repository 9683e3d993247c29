"""The MCP Inspector's command line, and arguments that the library's tools accept."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from typing import Any

from tests.conformance.programs import Ended, folder_of, run_program

INSPECTOR = "@modelcontextprotocol/inspector@2.12.0"


def call_inspector(node: str, target: Sequence[str], era: str, method: str, *more: str) -> Ended:
    """Run one request against a server, which is a command or a URL."""
    program = folder_of(INSPECTOR) / "node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js"
    asked = ("--protocol-era", era, "--method", method, *more, "--format", "json")
    return run_program([node, str(program), "--cli", *target, *asked], seconds=45)


def result_of(ended: Ended) -> dict[str, Any]:
    """The result that the Inspector printed; empty if there is none."""
    try:
        result = json.loads(ended.out)["result"]
    except (ValueError, KeyError, TypeError):
        return {}
    return result if isinstance(result, dict) else {}


def sensible_calls(rows: sqlite3.Connection) -> dict[str, dict[str, Any]]:
    """Arguments that each tool accepts in the world that every server starts from."""

    def one(sql: str) -> str:
        found = rows.execute(sql).fetchone()
        if found is None:
            raise RuntimeError(f"the world has no row for {sql!r}")
        return str(found[0])

    out = "(SELECT count(*) FROM loan WHERE loan.book_id = book.book_id AND status = 'out')"
    member = one(
        "SELECT member_id FROM member WHERE status = 'active' AND owed_cents <= 1000 AND"
        " (SELECT count(*) FROM loan WHERE loan.member_id = member.member_id AND status = 'out') < 5 AND"
        " NOT EXISTS (SELECT 1 FROM hold WHERE hold.member_id = member.member_id)"
    )
    loan = one(
        "SELECT loan_id FROM loan WHERE status = 'out' AND renewals < 2 AND due_on >= '2026-03-16' AND"
        " NOT EXISTS (SELECT 1 FROM hold WHERE hold.book_id = loan.book_id)"
    )
    caller, email, phone = rows.execute("SELECT member_id, email, phone FROM member WHERE phone IS NOT NULL").fetchone()
    return {
        "search_books": {"words": "the", "only_available": True},
        "find_member": {"email": one("SELECT email FROM member")},
        "register_member": {"name": "Ada Okoye", "email": "ada.okoye@example.org", "phone": None},
        "list_loans": {"member_id": member, "status": "returned"},
        "borrow_book": {"member_id": member, "book_id": one(f"SELECT book_id FROM book WHERE copies > {out}")},
        "renew_loan": {"loan_id": loan},
        "return_book": {"loan_id": loan},
        "calculate_late_fee": {"due_on": "2026-03-02", "returned_on": "2026-03-16"},
        "list_holds": {"member_id": member},
        "place_hold": {"member_id": member, "book_id": one(f"SELECT book_id FROM book WHERE copies = {out}")},
        "cancel_hold": {"hold_id": one("SELECT hold_id FROM hold WHERE status = 'waiting'")},
        "change_phone": {"member_id": member, "phone": "555-0142"},
        "forgive_debt": {"member_id": one("SELECT member_id FROM member WHERE owed_cents > 0"), "cents": 1},
        "note_identification": {"member_id": caller, "email": email, "phone": phone},
        "decline_request": {"member_id": member, "subject_id": loan, "rule_code": "RENEWAL_WINDOW"},
    }
