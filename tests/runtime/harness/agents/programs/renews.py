"""An honest program: it plays the library's task `keep-a-book`."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from telling import call, tell

known = {"email": "nora.moreno9@example.org", "phone": "(937) 555-0174"}
member = call("find_member", email=known["email"])
tell("Who are you, please?")
call("note_identification", member_id=member["member_id"], **known)
loans = call("list_loans", member_id=member["member_id"])
renewed = call("renew_loan", loan_id=loans["loans"][1]["loan_id"])
tell(f"new due date: {renewed['due_on']}")
