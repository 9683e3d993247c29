"""How the requests of a twin's scenarios are worded: the sayings of `sayings.toml`, with parts in them."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path

from generator.twin.words import capital, word_set


@dataclass(frozen=True)
class Wording:
    """A request in three registers, and the clause that completes "Just ..., please."."""

    plain: str
    formal: str
    casual: str
    short: str = ""


@dataclass(frozen=True)
class Phrase:
    """What a row is called: in a request, and in its short clause, where no value has an ending of ours."""

    words: str
    short: str
    is_bare: bool = False
    """Whether it is a person's name and nothing else."""

    def owns(self, what: str) -> Phrase:
        """Something that the row has: "Maya's phone number", "the price of the track Crazy"."""
        short = f"the {what} of {self.short}"
        return Phrase(f"{self.words}'s {what}" if self.is_bare else f"the {what} of {self.words}", short)


WORDINGS = {
    name: Wording(**registers)
    for name, registers in tomllib.loads(Path(__file__).with_name("sayings.toml").read_text(encoding="utf-8")).items()
}


def worded(name: str, parts: Mapping[str, str | Phrase]) -> Wording:
    """A wording with these parts in it; <part> is the <column> of the <row>."""
    row, column = parts.get("row"), parts.get("column")
    if isinstance(row, Phrase) and isinstance(column, str):
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
