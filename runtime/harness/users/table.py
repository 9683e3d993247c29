"""What the user does next: a table of where its wish stands, what the assistant's message is, and the deed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

Stand = Literal["wanted", "ahead", "restated", "rejected", "written", "asked", "held"]
"""Where a wish stands: said; said, though it may have been seen to before; said again; a writing call was rejected, or
a refusal was noted; one was accepted; said, and it only asks; an offer that came with what was done or answered was
replied to."""

Event = Literal["asks_fact", "fits", "proposes", "asks", "refuses", "states"]
"""A question for facts that the user knows; a proposal of just what is wished; any other proposal; any other
question; a refusal; anything else that is said."""

Deed = Literal[
    "tell",
    "agree",
    "limit",
    "provided",
    "restate",
    "stand",
    "hold",
    "settle",
    "decline",
    "waive",
    "pass",
    "shrug",
    "aside",
    "press",
    "drop",
    "leave",
    "note",
    "open",
]
"""`limit`: yes, as far as it is what was wished. `hold`: one sentence that is true of what was wished and of an extra.
Both name the facts for which the message has something else. `settle`: a `hold` for a plan once something was done;
`decline` is one for an offer, `pass` for any other question; `aside` says what is wished to a question that has nothing
to do with it; `waive` declines what is offered in place of a wish that only asks.
`provided`: yes, if it is what is named. `stand`: the wish stands, to whoever knows it. `shrug`: no more is known.
`press`: insist, or else restate. `drop`: insist, or else leave the wish as refused. `leave`: take down its
answers, then `open` the next wish, or say goodbye. `note` asks for answers."""

#                asks_fact fits     proposes   asks       refuses  states
TABLE: Mapping[Stand, tuple[Deed, Deed, Deed, Deed, Deed, Deed]] = {
    "wanted": ("tell", "agree", "limit", "hold", "press", "limit"),
    "ahead": ("tell", "agree", "limit", "hold", "drop", "leave"),
    "restated": ("tell", "agree", "limit", "shrug", "drop", "limit"),
    "rejected": ("tell", "agree", "limit", "hold", "drop", "drop"),
    "written": ("tell", "hold", "hold", "hold", "drop", "leave"),
    "asked": ("tell", "agree", "hold", "hold", "drop", "leave"),
    "held": ("tell", "leave", "leave", "leave", "drop", "leave"),
}
