"""How the requests of a twin's scenarios are worded, for a plain, a formal and a casual speaker, and in short.

<row> is what a request is about, <part> a column of it ("Maya's phone number"), <column> the column alone.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, fields

from generator.twin.words import capital, word_set


@dataclass(frozen=True)
class Wording:
    """A request in three registers, and the clause that completes "Just ..., please."."""

    plain: str
    formal: str
    casual: str
    short: str = ""


@dataclass(frozen=True)
class Said:
    """What a row is called: in a request, and in its short clause, where no value has an ending of ours."""

    words: str
    short: str
    is_bare: bool = False
    """Whether it is a person's name and nothing else."""

    def owns(self, what: str) -> Said:
        """Something that the row has: "Maya's phone number", "the price of the track Crazy"."""
        short = f"the {what} of {self.short}"
        return Said(f"{self.words}'s {what}" if self.is_bare else f"the {what} of {self.words}", short)


WORDINGS = {
    "mark": Wording(
        "Please mark <row> as <value>.",
        "I would like <row> to be marked as <value>.",
        "can you mark <row> as <value>",
        "marking <row> as <value>",
    ),
    "do": Wording(
        "Please <verb> <row>.",
        "I would like you to <verb> <row>.",
        "can you <verb> <row>",
        "<doing> <row>",
    ),
    "amount": Wording(
        "Please set <part> to <value>.",
        "From now on, <part> should be <value>. Could you please change it?",
        "make <part> <value> from now on",
        "setting <part> to <value>",
    ),
    "contact": Wording(
        "The <column> for <row> is <value> now. Can you update it?",
        "There is a new <column> for <row>, <value>. Could you please update it?",
        "new <column> for <row>, it's <value> now",
        "changing <part> to <value>",
    ),
    "note": Wording(
        "Please put this in the <column> for <row>, exactly as I say it: <value>",
        "I would like the <column> for <row> to say exactly this: <value>",
        "can you put exactly this in the <column> for <row>: <value>",
        "changing <part> to <value>",
    ),
    "day": Wording(
        "Please move <part> to <value>.",
        "I would like to move <part> to <value>.",
        "can you move <part> to <value>",
        "moving <part> to <value>",
    ),
    "correct": Wording(
        "It looks like <part> is wrong. It should be <value>, can you fix that?",
        "I noticed that <part> is not right. Please change it to <value>.",
        "<part> should be <value>, can you fix that",
        "changing <part> to <value>",
    ),
    "switch": Wording(
        "Please switch <part> to <value>.",
        "From now on, <part> should be <value>. Could you please change it?",
        "can you make <value> <part>",
        "switching <part> to <value>",
    ),
    "add": Wording(
        "Please add <new>. <Details>.",
        "I would like to add <new>. <Details>.",
        "can you add <new>? <details>",
        "adding <new>, where <details>",
    ),
    "add nothing else": Wording(
        "Please add <new>.",
        "I would like to add <new>.",
        "can you add <new>",
        "adding <new>",
    ),
    "remove": Wording(
        "Please delete <row> from our records.",
        "Could you please take <row> off our records?",
        "can you delete <row> from our records",
        "deleting <row>",
    ),
    "put": Wording(
        "Please put <item> on <row>.",
        "I would like to have <item> on <row>, please.",
        "can you add <item> to <row>",
        "putting <item> on <row>",
    ),
    "put some": Wording(
        "Please put <item> on <row>, with a <column> of <value>.",
        "I would like to have <item> on <row>, with a <column> of <value>.",
        "can you add <item> to <row>? <column> is <value>",
        "putting <item> on <row> with a <column> of <value>",
    ),
    "take": Wording(
        "Please take <item> off <row>.",
        "I would like <item> to be taken off <row>.",
        "can you take <item> off <row>",
        "taking <item> off <row>",
    ),
    "take all but": Wording(
        "Please take everything off <row> except <item>.",
        "I would like everything to be taken off <row>, except <item>.",
        "can you take everything off <row> except <item>",
        "taking everything off <row> except <item>",
    ),
    "regulate": Wording(
        "For <item> on <row>, please change the <column> to <value>.",
        "I would like the <column> for <item> on <row> to be <value>.",
        "can you make the <column> <value> for <item> on <row>",
        "changing the <column> for <item> on <row> to <value>",
    ),
    "ask": Wording(
        "Can you look up <parts> for me?",
        "Could you please tell me <parts>?",
        "can you tell me <parts>",
        "telling me <parts>",
    ),
    "change and ask": Wording(
        "Please make <part> <value>. And can you tell me <asked>?",
        "I would like <part> to be <value>. Please also tell me <asked>.",
        "make <part> <value> pls, and what's <asked>",
        "changing <part> to <value> and telling me <asked>",
    ),
    "take and count": Wording(
        "Please take <item> off <row>, then count the <nouns> that are left. What's their total <column>?",
        "Please take <item> off <row>. I would then like a count of the remaining <nouns> and their total <column>.",
        "take <item> off <row>, then count the <nouns> that are left and tell me the total <column>",
        "taking <item> off <row>, then counting the <nouns> that are left and telling me their total <column>",
    ),
    "withhold": Wording(
        "I need to change <part>. Can you do that for me?",
        "I would like to have <part> changed.",
        "gotta change <part>, can you do that",
        "changing <part> to <value>",
    ),
    "take back": Wording(
        "Sorry, I got that wrong. Make the <column> <value> instead.",
        "I apologize, that was a mistake. The <column> should be <value>.",
        "oops, make the <column> <value> instead",
        "changing the <column> to <value>",
    ),
    "by another": Wording(
        "I forgot the name, but there's a <noun> with the <known> <clue>. Please change the <column> to <value>.",
        "I do not have the name of the <noun>, but the <known> is <clue>. Please change the <column> to <value>.",
        "don't have the name, the <known> is <clue>. can you change that <noun>'s <column> to <value>",
        "changing the <column> to <value> for the <noun> with the <known> <clue>",
    ),
    "by what is theirs": Wording(
        "I don't have the name of the <link> for <row>, but the <column> there should be <value>. Please look it "
        "up and change it.",
        "Could you look up the <link> for <row>, please, and change the <column> there to <value>?",
        "whatever the <link> for <row> is called, change the <column> there to <value>",
        "looking up the <link> for <row> and changing the <column> there to <value>",
    ),
    "best": Wording(
        "Please find <best> and change the <column> to <value>.",
        "Could you look for <best>, please? I would like its <column> to be <value>.",
        "can you find <best> and make the <column> <value>",
        "changing the <column> of <best> to <value>",
    ),
    "count": Wording(
        "Can you count the <nouns> for <row>? And what's their total <column>?",
        "Please count the <nouns> for <row>, and tell me their total <column>.",
        "count the <nouns> for <row> for me pls, and what's the total <column>",
        "counting the <nouns> for <row> and telling me their total <column>",
    ),
    "all but": Wording(
        "Please change the <column> to <value> on all <nouns> for <row> except <item>.",
        "I would like the <column> to be <value> on all <nouns> for <row>, except <item>.",
        "make the <column> <value> on all the <nouns> for <row>, just not <item>",
        "changing the <column> to <value> on all <nouns> for <row> except <item>",
    ),
    "if": Wording(
        "If <measured> is <limit> or more, make the <column> <value>. If it's less, make it <other>.",
        "Please look at <measured>. If it is <limit> or more, change the <column> to <value>, otherwise to <other>.",
        "check <measured>. if it's <limit> or more make the <column> <value>, if it's less make it <other>",
        "changing the <column> to <value> if <measured> is <limit> or more, and to <other> if it's less",
    ),
    "one of": Wording(
        "One of the <nouns> for <row> needs a change. Please make the <column> <value>.",
        "I would like the <column> of one of the <nouns> for <row> to be <value>.",
        "need to change one of the <nouns> for <row>, make the <column> <value>",
        "changing the <column> to <value> on one of the <nouns> for <row>, <item>",
    ),
}


def worded(name: str, **parts: str | Said) -> Wording:
    """A wording with these parts in it; <part> is the <column> of the <row>."""
    row, column = parts.get("row"), parts.get("column")
    if isinstance(row, Said) and isinstance(column, str):
        parts = {"part": row.owns(column), **parts}
    told = {each.name: getattr(WORDINGS[name], each.name) for each in fields(Wording)}
    for register, words in told.items():
        for part, said in parts.items():
            shown = said if isinstance(said, str) else said.short if register == "short" else said.words
            words = words.replace(f"<{part}>", shown).replace(f"<{capital(part)}>", capital(shown))
        told[register] = capital(words).strip() if register in ("plain", "formal") else words.strip()
    return Wording(**told)


_STRESSED_LAST = word_set(
    "admit commit compel confer control defer emit equip expel forget incur infer occur omit outfit patrol permit "
    "prefer program propel rebut recap recur refer refit regret remit rerun reset resubmit retrofit submit transfer "
    "transmit unpin unplug unset unwrap unzip upset"
)


def doing(verb: str) -> str:
    """Return the -ing form of a verb: cancel, canceling; ship, shipping; submit, submitting; close, closing."""
    if verb.endswith("ie"):
        return f"{verb[:-2]}ying"
    if verb.endswith("e") and not verb.endswith(("ee", "oe", "ye")):
        return f"{verb[:-1]}ing"
    if verb.endswith("ic"):
        return f"{verb}king"
    is_one_syllable = re.fullmatch(r"(?:[^aeiou]*|qu|squ)[aeiou][^aeiouwxy]", verb) is not None
    return f"{verb}{verb[-1] if is_one_syllable or verb in _STRESSED_LAST else ''}ing"
