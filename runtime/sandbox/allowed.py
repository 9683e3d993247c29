"""The syntax, imports, builtins, methods and attributes that the code of a domain may use."""

from __future__ import annotations

import importlib


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


MODULES: dict[str, frozenset[str]] = {
    module: _words(names)
    for module, names in {
        "__future__": "annotations",
        "collections": "Counter defaultdict",
        "collections.abc": "Callable Collection Iterable Iterator Mapping MutableMapping Sequence Set",
        "datetime": "date datetime time timedelta",
        "decimal": "Decimal InvalidOperation ROUND_CEILING ROUND_DOWN ROUND_FLOOR ROUND_HALF_DOWN ROUND_HALF_EVEN "
        "ROUND_HALF_UP ROUND_UP",
        "math": "acos asin atan atan2 ceil cos degrees e exp fabs floor fsum hypot inf isclose isfinite isinf isnan "
        "isqrt log log10 log2 nan pi radians sin sqrt tan trunc",
        "string": "ascii_letters ascii_lowercase ascii_uppercase digits hexdigits punctuation",
        "typing": "Annotated Any Final Literal NotRequired Optional Required TypeAlias TypedDict Union",
    }.items()
}
"""Modules with the names that may be imported from them; an author module offers its `__all__`."""

AUTHOR_MODULES = frozenset({"runtime", "runtime.rules", "runtime.story"})

EXCEPTIONS = _words(
    "ArithmeticError AttributeError IndexError KeyError LookupError OverflowError TypeError ValueError "
    "ZeroDivisionError"
)
BOUNDED_NAMES = _words(
    "Counter Decimal all any defaultdict dict enumerate filter float frozenset int list map max min range reversed "
    "round set sorted str sum tuple zip"
)
"""Names replaced by their bounded form wherever they are a value (see `budget`)."""
BUILTINS = BOUNDED_NAMES - {"Counter", "Decimal", "defaultdict"} | EXCEPTIONS | _words("abs bool divmod len ord")

MACHINE = frozenset({"now", "seed", "today"})  # plain values of a handle; as methods they read the clock or the machine
KEYED_METHODS = _words("add discard get setdefault")  # which find a key at once
BOUNDED_METHODS = (
    MACHINE
    | KEYED_METHODS
    | _words("capitalize casefold choices clear copy count difference endswith extend find format index insert")
    | _words("intersection isalnum isalpha isdecimal isdigit isdisjoint islower isspace issubset issuperset istitle")
    | _words("isupper join lower lstrip most_common partition pop remove removeprefix removesuffix replace reverse")
    | _words(
        "rfind rpartition rsplit rstrip sample shuffle sort split splitlines startswith strip symmetric_difference"
    )
    | _words("title total union update upper")
    # of a database, a world and a story
    | _words(
        "delete first new_id require select value moment share after all_but each answer believes call changes_mind"
    )
    | _words("check choose compose date_of day decline dictate highest identify in_short insists keep_back lowest")
    | _words("may_change money or_else others otherwise outside permits pick pick_several possible row tell")
    | _words("event misremembers other_row together wait wish wrong")
)
"""Methods that take longer the more there is, hash what they are given, depend on order, or read the machine."""
ATTRIBUTES = (
    BOUNDED_METHODS
    | _words("append items keys values")
    | _words("choice expovariate gauss normalvariate randint random randrange triangular uniform")
    | _words("combine date days fromisoformat hour isoformat isoweekday microsecond minute month second seconds")
    | _words("time total_seconds weekday year is_finite is_integer is_nan normalize quantize to_integral_value")
    | _words("arguments item me random size tool")  # values of handles
    | _words("already_exists failed_precondition invalid_argument not_found permission_denied resource_exhausted")
)
"""The attributes that code may name, of whatever value."""

CONSTANT_CALLS = frozenset({"Decimal", "Field", "date", "datetime", "frozenset", "time", "timedelta"})
DECORATORS = frozenset({"duty", "rule", "scenario", "tool"})

NODES = _words(
    "arguments arg keyword Return Assign AugAssign AnnAssign For If IfExp Raise Try ExceptHandler Expr Pass Break "
    "Continue With withitem FunctionDef Lambda BoolOp NamedExpr BinOp UnaryOp Dict Set List Tuple ListComp SetComp "
    "DictComp GeneratorExp comprehension Compare Call JoinedStr FormattedValue Constant Attribute Subscript Starred "
    "Name Slice Load Store And Or Not UAdd USub Add Sub Mult Div FloorDiv Mod Pow BitOr BitAnd "
    "Eq NotEq Lt LtE Gt GtE Is IsNot In NotIn"
)
INSTEAD = {
    "While": "write a for loop over a range or the rows",
    "Yield": "collect a list and return it",
    "Global": "pass the value as an argument",
    "Nonlocal": "return the value",
    "Delete": "write values.pop(key) or build a new value",
    "Match": "write if and elif",
    "Import": "write `from MODULE import NAME`",
    "Assert": "write an if that raises a Rejection",
}


def is_offered(module: str, name: str) -> bool:
    """Return whether a domain's code may import a name from a module."""
    if module in AUTHOR_MODULES:
        return name in getattr(importlib.import_module(module), "__all__", ())
    return name in MODULES.get(module, ())
