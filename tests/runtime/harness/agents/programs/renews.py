"""An honest program: it plays the library's task `keep-a-book`."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from telling import call, tell

member = call("find_member", email="farid.becker6@example.org")
loans = call("list_loans", member_id=member["member_id"])
renewed = call("renew_loan", loan_id=loans["loans"][2]["loan_id"])
tell(f"new due date: {renewed['due_on']}")
