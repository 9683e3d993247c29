"""Where an office is: its country and currency, and how people there write amounts and the day and month of a date."""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, StrictBool, model_validator

from runtime.wording import have, said_money

MONEY_NAMES = {
    **dict.fromkeys(("cents", "pence", "paise", "paisa", "kobo", "pesewas", "ngwee", "thebe", "tambala"), 100),
    **dict.fromkeys(("butut", "sen", "sene", "seniti", "toea", "laari", "agorot", "centavos", "fils", "avos"), 100),
    **dict.fromkeys(("piastres", "ore", "rappen", "groszy", "haleru", "bani", "tetri", "kopiykas"), 100),
    **dict.fromkeys(("yen", "francs", "forints", "rupiahs", "ariary", "vatu", "shillings"), 1),
}
"""How many of a unit make one of the currency, by the last word of names of columns and numbers: fee_cents, fee_yen."""

Word = Annotated[str, Field(pattern=r"^\S{1,20}$")]


def minor_of(name: str) -> int | None:
    """Return how many of the units in the name of an amount make one of the currency; None if it names no unit."""
    _, mark, unit = name.rpartition("_")
    return MONEY_NAMES.get(unit) if mark else None


class Locale(BaseModel):
    """`locale` in `domain.json`; `worldsmith new --locale` writes it, so that nothing is looked up later.

    `names` are other ways to name the currency, its plural last. `subunits` are the words for its hundredth part, the
    plural last; none where amounts are whole, with `minor` 1.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    tag: str = Field(pattern=r"^en-[A-Z]{2}$")
    country: str = Field(min_length=1, max_length=60)
    currency: str = Field(pattern=r"^[A-Z]{3}$")
    symbol: str = Field(pattern=r"^\S{1,5}$")
    names: tuple[Word, ...] = Field(min_length=1, max_length=8)
    subunits: tuple[Word, ...] = Field(max_length=4)
    minor: Literal[1, 100]
    day_first: StrictBool

    @model_validator(mode="after")
    def _names_its_unit(self) -> Self:
        known = [unit for unit, minor in MONEY_NAMES.items() if minor == self.minor]
        if self.unit not in known:
            raise ValueError(f"minor {self.minor} goes with another unit than {self.unit!r}; {have(self.unit, known)}")
        return self

    @property
    def is_american(self) -> bool:
        return self == AMERICAN

    @property
    def place(self) -> str:
        """The country as it stands in a sentence: the United Kingdom, Ireland."""
        is_plural = self.country.endswith((" Islands", " Emirates")) or self.country in _WITH_ARTICLE
        return f"the {self.country}" if is_plural else self.country

    @property
    def unit(self) -> str:
        """The unit in which the database holds amounts: cents, pence, yen."""
        return (self.subunits or self.names)[-1]

    @property
    def customer(self) -> str:
        """What someone who plays a customer is told to be."""
        return "an American customer" if self.is_american else f"a customer who lives in {self.place}"

    @property
    def sentence(self) -> str:
        """The place and the currency, for a policy and a person."""
        return f"The office is in {self.place}, and amounts are in {self.names[-1]} ({self.currency})."

    def money(self, amount: int | float | Decimal, minor: int | None = None) -> str:
        """Return an amount as people say it; `minor` is how many of its units make one of the currency."""
        return said_money(amount, self.symbol, self.minor if minor is None else minor)


_WITH_ARTICLE = {"United States", "United Kingdom", "Bahamas", "Gambia", "Maldives", "Netherlands", "Philippines"}

AMERICAN = Locale(
    tag="en-US",
    country="United States",
    currency="USD",
    symbol="$",
    names=("USD", "US$", "dollar", "dollars"),
    subunits=("cent", "cents"),
    minor=100,
    day_first=False,
)
