"""The syntax, imports, builtins, methods and attributes that the code of a domain may use."""

from __future__ import annotations

import importlib
from random import Random
from types import CodeType, CoroutineType, FrameType, GeneratorType, TracebackType

from pydantic import BaseModel


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
        "itertools": "accumulate chain dropwhile groupby islice pairwise takewhile zip_longest",
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
    "Counter dict enumerate filter format list map max min pow range repr reversed round sorted str sum tuple zip"
)
"""Names replaced by their bounded form wherever they are a value (see `operations`)."""
BUILTINS = BOUNDED_NAMES - {"Counter"} | EXCEPTIONS | _words("abs all any bool divmod float frozenset int len ord set")

BOUNDED_METHODS = _words(
    "center choices extend format join ljust pop replace rjust sample strftime strptime update zfill"
)
"""Methods that can make a large value of small ones, depend on the order of a set, or import something themselves."""
CLOCKS = frozenset({"now", "today"})  # plain values of a handle; of a date they would be methods that read the machine

_RANDOM_METHODS = _words(
    "choice choices expovariate gauss normalvariate randint random randrange sample shuffle triangular uniform"
)  # without those that loop until a number fits, which never end for some arguments
_INTERNAL = "internal objects are out of reach; use the values themselves"
_RANDOM = f"random numbers come from: {', '.join(sorted(_RANDOM_METHODS))}"
REFUSED_ATTRIBUTES: dict[str, str] = {
    **{
        name: _INTERNAL
        for kind in (BaseModel, CodeType, CoroutineType, FrameType, GeneratorType, TracebackType, type)
        for name in dir(kind)
        if name[0] != "_" and name not in {"clear", "copy", "replace"}
    },
    **{name: _RANDOM for name in dir(Random) if name not in _RANDOM_METHODS | {"seed"}},
    **dict.fromkeys(("declaration", "is_scenario", "obj"), _INTERNAL),
    **dict.fromkeys(("encode", "decode", "to_bytes", "from_bytes", "hex", "fromhex"), "tools work on text, not bytes"),
    **dict.fromkeys(("astimezone", "fromtimestamp", "timestamp", "utcfromtimestamp", "utcnow"), "use db.now"),
    **dict.fromkeys(("format_map", "expandtabs", "translate", "maketrans"), "write an f-string or text.replace(...)"),
    **dict.fromkeys(
        _words(
            "as_integer_ratio default_factory elements from_float from_iterable fromkeys register scaleb with_traceback"
        ),
        "compute it in plain code",
    ),
}

CONSTANT_CALLS = frozenset({"Decimal", "Field", "date", "datetime", "frozenset", "time", "timedelta"})
DECORATORS = frozenset({"duty", "rule", "scenario", "tool"})

NODES = _words(
    "arguments arg keyword Return Assign AugAssign AnnAssign For If IfExp Raise Try ExceptHandler Expr Pass Break "
    "Continue With withitem FunctionDef Lambda BoolOp NamedExpr BinOp UnaryOp Dict Set List Tuple ListComp SetComp "
    "DictComp GeneratorExp comprehension Compare Call JoinedStr FormattedValue Constant Attribute Subscript Starred "
    "Name Slice Load Store And Or Not Invert UAdd USub Add Sub Mult Div FloorDiv Mod Pow LShift RShift BitOr BitAnd "
    "BitXor Eq NotEq Lt LtE Gt GtE Is IsNot In NotIn"
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
