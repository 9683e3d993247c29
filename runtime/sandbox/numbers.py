"""How large a number may become, and what its arithmetic costs.

A whole number has at most MAX_BITS bits and a Decimal at most MAX_DIGITS digits, so that every operation on them costs
about a step, however it is written; the few that cost more are charged for the size of their operands.
"""

from __future__ import annotations

import re
from datetime import date, time
from decimal import Decimal
from typing import Any

from runtime.errors import Rejection
from runtime.sandbox.budget import FREE_ITEMS, ITEMS_PER_STEP, MAX_WIDTH, SCALARS, active_budget, charge, spend, weigh

MAX_BITS = 256
MAX_DIGITS = 100
MOST_LAYOUT, MOST_DIRECTIVES = 40, 7  # of what strptime reads by
FREE_LAYOUTS = 4
_LAYOUT_STEPS = 5_000  # Python makes a regular expression of each
_SMALL = 1 << 62
_DECIMAL_POWER_STEPS = 1_000
_MACHINE_CODES = frozenset("sZzcxX")


def bounded_int(value: Any) -> Any:
    """A number that an operation has made, unless it is a whole one of too many bits."""
    if isinstance(value, int) and not -_SMALL < value < _SMALL and value.bit_length() > MAX_BITS:
        _refuse_bits()
    return value


def product(a: Any, b: Any) -> Any:
    """a * b of numbers."""
    if isinstance(a, int) and isinstance(b, int) and a.bit_length() + b.bit_length() > MAX_BITS:
        _refuse_bits()
    return a * b


def power(a: Any, b: Any, modulus: Any = None) -> Any:
    """a ** b, or pow(a, b, modulus)."""
    if modulus is not None:
        if not all(isinstance(each, int) for each in (a, b, modulus)):
            raise TypeError("pow() with a modulus takes whole numbers only.")
        for each in (a, b, modulus):
            bounded_int(each)
        spend(b.bit_length() * (1 + modulus.bit_length() // 32))
        return pow(a, b, modulus)
    if isinstance(a, int) and isinstance(b, int):
        if a.bit_length() * b > MAX_BITS:
            _refuse_bits()
    elif isinstance(a, Decimal) or isinstance(b, Decimal):
        whole = isinstance(b, int) and abs(b) < FREE_ITEMS
        spend(b.bit_length() if whole else _DECIMAL_POWER_STEPS)
    return a**b


def shift_left(a: Any, b: Any) -> Any:
    """a << b."""
    if isinstance(a, int) and isinstance(b, int) and a.bit_length() + b > MAX_BITS:
        _refuse_bits()
    return a << b


def modulo(a: Any, b: Any) -> Any:
    """a % b of numbers; text is formatted by f-strings only, whose widths are bounded."""
    if isinstance(a, str):
        raise TypeError(f"{a[:40]!r} % ... formats text; write an f-string.")
    return bounded_int(a) % b


def floor_divide(a: Any, b: Any) -> Any:
    """a // b."""
    return bounded_int(a) // b


def quotient_and_rest(a: Any, b: Any) -> Any:
    """divmod(a, b)."""
    return divmod(bounded_int(a), b)


def whole(value: Any = 0, *base: Any) -> int:
    """int(value, base)."""
    if isinstance(value, str):
        charge(len(value))
        spend(len(value) // ITEMS_PER_STEP)
    refuse_far_decimal(value)
    return bounded_int(int(value, *base))  # type: ignore[no-any-return]


def rounded(value: Any, *places: Any) -> Any:
    """round(value, places)."""
    if places and isinstance(places[0], int) and abs(places[0]) > MAX_DIGITS:
        raise Rejection.resource_exhausted(
            f"A number is rounded to {str(places[0])[:40]} places; at most {MAX_DIGITS} can be asked for."
        )
    refuse_far_decimal(value)
    return bounded_int(round(value, *places))


def decimal(value: Any = "0") -> Decimal:
    """Decimal(value), of few digits and near zero: its arithmetic is rounded to 28 digits, its operands are not."""
    if isinstance(value, str):
        if len(value) > MAX_DIGITS:
            value = value.strip()
        is_long = len(value) > MAX_DIGITS
    elif isinstance(value, list | tuple):
        is_long = len(value) > 3 or any(isinstance(part, list | tuple) and len(part) > MAX_DIGITS for part in value)
    else:
        bounded_int(value)
        is_long = False
    number = Decimal("NaN") if is_long else Decimal(value)
    if is_long or (isinstance(value, float) and len(number.as_tuple().digits) > MAX_DIGITS):
        raise Rejection.resource_exhausted(
            f"A Decimal is made of more than {MAX_DIGITS} digits; write Decimal(str(x)) of a float, or ask for less."
        )
    refuse_far_decimal(number)
    return number


def refuse_far_decimal(value: Any, most: int = MAX_WIDTH) -> None:
    """A Decimal such as 1e999999 is short until its digits are written out."""
    if isinstance(value, Decimal) and value.is_finite() and abs(value.adjusted()) > most:
        raise Rejection.resource_exhausted(f"{value:.2e} has more than {most} digits; ask for less at once.")


def bounded_format(value: Any, spec: str = "") -> str:
    """format(value, spec), the width and precision bounded."""
    if spec:
        widths = [int(width) if len(width) < 9 else MAX_WIDTH + 1 for width in re.findall(r"\d+", spec)]
        if len(spec) > MAX_WIDTH or any(width > MAX_WIDTH for width in widths):
            raise Rejection.resource_exhausted(f"A format asks for more than {MAX_WIDTH} places; ask for less at once.")
        spend(sum(widths) // 8)
    refuse_far_decimal(value)
    bounded_int(value)
    if isinstance(value, date | time):
        spend(len(spec))
        refuse_machine_codes(spec)
    if type(value) is str or type(value) not in SCALARS:
        weigh(value)
    return format(value, spec)


def refuse_machine_codes(layout: str) -> None:
    """A layout of dates such as %Z or %c, which is written differently from machine to machine."""
    found = _MACHINE_CODES & set(re.findall(r"%[-_0^#:]*\d*[EO]?(.)", layout))
    if found:
        raise TypeError(f"%{min(found)} of a date depends on the machine; write out the parts, as in %Y-%m-%d.")


def charge_layout(layout: str) -> None:
    """Pay for reading a date by a layout, which has few directives, since many could be matched in many ways."""
    refuse_machine_codes(layout)
    if len(layout) > MOST_LAYOUT or layout.count("%") > MOST_DIRECTIVES:
        raise TypeError(
            f"a layout of strptime has at most {MOST_LAYOUT} characters and {MOST_DIRECTIVES} directives; use fewer."
        )
    spend(64 + 16 * layout.count("%"))
    budget = active_budget()
    if budget is not None and layout not in budget.layouts:
        budget.layouts.add(layout)
        if len(budget.layouts) > FREE_LAYOUTS:
            budget.spend(_LAYOUT_STEPS)


def _refuse_bits() -> None:
    raise Rejection.resource_exhausted(f"This call makes a number of more than {MAX_BITS} bits; ask for less at once.")
