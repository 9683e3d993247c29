"""What the code of a domain may name: its modules, builtins, methods and kinds of statement."""

from __future__ import annotations

from random import Random
from types import CodeType, CoroutineType, FrameType, GeneratorType, TracebackType

MODULES: dict[str, frozenset[str]] = {
    "__future__": frozenset({"annotations"}),
    "collections": frozenset({"Counter", "defaultdict"}),
    "collections.abc": frozenset(
        {"Callable", "Collection", "Iterable", "Iterator", "Mapping", "MutableMapping", "Sequence", "Set"}
    ),
    "dataclasses": frozenset({"dataclass", "field", "replace"}),
    "datetime": frozenset({"date", "datetime", "time", "timedelta"}),
    "decimal": frozenset(
        {"Decimal", "InvalidOperation", "ROUND_CEILING", "ROUND_DOWN", "ROUND_FLOOR", "ROUND_HALF_DOWN"}
        | {"ROUND_HALF_EVEN", "ROUND_HALF_UP", "ROUND_UP"}
    ),
    "functools": frozenset({"reduce"}),
    "itertools": frozenset(
        {"accumulate", "chain", "dropwhile", "groupby", "islice", "pairwise", "takewhile", "zip_longest"}
    ),
    "math": frozenset(
        {"acos", "asin", "atan", "atan2", "ceil", "cos", "degrees", "e", "exp", "fabs", "floor", "fsum", "hypot", "inf"}
        | {"isclose", "isfinite", "isinf", "isnan", "isqrt", "log", "log10", "log2", "nan", "pi", "radians", "sin"}
        | {"sqrt", "tan", "trunc"}
    ),
    "statistics": frozenset({"fmean", "mean", "median", "median_high", "median_low", "mode", "pstdev", "stdev"}),
    "string": frozenset({"ascii_letters", "ascii_lowercase", "ascii_uppercase", "digits", "hexdigits", "punctuation"}),
    "typing": frozenset(
        {"Annotated", "Any", "Final", "Literal", "NamedTuple", "NotRequired", "Optional", "Required", "TypeAlias"}
        | {"TypedDict", "Union"}
    ),
}
"""Module to the names that may be imported from it; the author's modules have their `__all__` instead."""

AUTHOR_MODULES = frozenset({"runtime", "runtime.rules", "runtime.story"})

CAUGHT_EXCEPTIONS = frozenset(
    {"ArithmeticError", "AttributeError", "IndexError", "KeyError", "LookupError", "OverflowError", "TypeError"}
    | {"ValueError", "ZeroDivisionError"}
)

BOUNDED_BUILTINS = frozenset(
    {"all", "any", "dict", "divmod", "enumerate", "filter", "float", "format", "frozenset", "int", "list", "map", "max"}
    | {"min", "pow", "range", "repr", "round", "set", "sorted", "str", "sum", "tuple", "zip"}
)
"""Builtins that are replaced, wherever they are a value, by a form that charges for its work."""

BOUNDED_IMPORTS = frozenset({"Counter", "Decimal", "defaultdict"})
BOUNDED_NAMES = BOUNDED_BUILTINS | BOUNDED_IMPORTS

PLAIN_BUILTINS = frozenset({"abs", "bool", "chr", "isinstance", "len", "ord", "reversed"})

BUILTINS = BOUNDED_BUILTINS | PLAIN_BUILTINS | CAUGHT_EXCEPTIONS

KEYED_METHODS = frozenset({"add", "discard", "get", "setdefault"})
"""Methods that hash their first argument and do little else."""

CHARGED_METHODS = frozenset(
    # text
    {"capitalize", "casefold", "center", "count", "endswith", "expandtabs", "find", "format", "index", "isalnum"}
    | {"isascii", "isdecimal", "isdigit", "isidentifier", "islower", "isnumeric", "isprintable", "isspace", "istitle"}
    | {"isupper", "join", "ljust", "lower", "lstrip", "partition", "removeprefix", "removesuffix", "replace", "rfind"}
    | {"rindex", "rjust", "rpartition", "rsplit", "rstrip", "split", "splitlines", "startswith", "strip", "swapcase"}
    | {"isalpha", "title", "upper", "zfill"}
    # collections
    | {"copy", "difference", "difference_update", "elements", "extend", "insert", "intersection", "intersection_update"}
    | {"isdisjoint", "issubset", "issuperset", "most_common", "pop", "remove", "reverse", "sort", "subtract"}
    | {"symmetric_difference", "symmetric_difference_update", "total", "union", "update"}
    # dates, whose C code imports modules on behalf of its caller
    | {"strftime", "strptime"}
    # the seeded random numbers of a world
    | {"choices", "sample", "shuffle"}
)
"""Methods whose work grows with what they are called on, or with their arguments."""

METHODS = CHARGED_METHODS | KEYED_METHODS | {"append", "clear", "items", "keys", "popitem", "values"}

RANDOM_METHODS = frozenset(
    {
        "choice",
        "choices",
        "expovariate",
        "gauss",
        "normalvariate",
        "randint",
        "random",
        "randrange",
        "sample",
        "shuffle",
    }
    | {"triangular", "uniform"}
)
"""Methods of seeded random numbers, none of which turns until a number fits: those never end for some arguments."""

_CODE_TYPES = (CodeType, CoroutineType, FrameType, GeneratorType, TracebackType)
REFUSED_ATTRIBUTES: dict[str, str] = {
    **{
        name: "the interpreter's own objects are out of reach; use the values themselves"
        for kind in _CODE_TYPES
        for name in dir(kind)
        if name.startswith(("ag_", "co_", "cr_", "f_", "gi_", "tb_"))
    },
    "format_map": "write an f-string",
    "obj": "an error's object may be the runtime's own; use the values themselves",
    "default_factory": "call defaultdict(...) with the type itself",
    **dict.fromkeys(("declaration", "is_scenario"), "what stands in front of a function is for the runtime only"),
    **dict.fromkeys(("translate", "maketrans"), "write text.replace(...)"),
    **dict.fromkeys(
        (
            *("construct", "dict", "from_orm", "json", "model_computed_fields", "model_config", "model_construct"),
            *("model_copy", "model_dump", "model_dump_json", "model_extra", "model_fields", "model_fields_set"),
            *("model_json_schema", "model_parametrized_name", "model_post_init", "model_rebuild", "model_validate"),
            *("model_validate_json", "model_validate_strings", "parse_file", "parse_obj", "parse_raw", "schema"),
            *("schema_json", "update_forward_refs", "validate"),
        ),
        "it is a name of the runtime's own models, some of which read files; use the values themselves",
    ),
    **dict.fromkeys(("encode", "decode", "to_bytes", "from_bytes", "hex", "fromhex"), "tools work on text, not bytes"),
    **dict.fromkeys(("fromkeys", "mro", "register"), "write a comprehension or a call of your own"),
    **dict.fromkeys(
        ("astimezone", "fromtimestamp", "timestamp", "utcfromtimestamp", "utcnow"),
        "there is no clock or time zone but the session's; use db.now",
    ),
    **dict.fromkeys(("exp", "fma", "ln", "log10"), "use the functions of math on a float"),
    **dict.fromkeys(
        sorted(name for name in dir(Random) if name not in RANDOM_METHODS | METHODS | {"seed"}),
        f"random numbers come from: {', '.join(sorted(RANDOM_METHODS))}",
    ),
    **dict.fromkeys(("getrandbits", "getstate", "randbytes", "setstate"), "use random.randrange or random.choice"),
    "scaleb": "multiply by a power of ten",
    **dict.fromkeys(
        ("as_integer_ratio", "from_float", "from_iterable", "send", "throw", "with_traceback"),
        "compute it in plain code",
    ),
}

ITERATORS = frozenset(
    {"accumulate", "chain", "dropwhile", "enumerate", "filter", "groupby", "islice", "map", "pairwise", "reversed"}
    | {"takewhile", "zip", "zip_longest"}
)
"""Functions that give an iterator, which is used up where it is made: one that is kept could nest without end."""

ITERATING_METHODS = frozenset(
    {"difference", "difference_update", "extend", "intersection", "intersection_update", "isdisjoint", "issubset"}
    | {"issuperset", "join", "subtract", "symmetric_difference", "symmetric_difference_update", "union", "update"}
)
"""Methods that use an iterator up."""

CLOCK_ATTRIBUTES = frozenset({"now", "today"})
HANDLE_ATTRIBUTES = CLOCK_ATTRIBUTES | {"seed"}
"""Readable on the handles that a function is given, never on a date or on random numbers."""

MODULE_CALLS = frozenset({"Decimal", "date", "datetime", "frozenset", "time", "timedelta"})
DATA_CLASS_BASES = frozenset({"NamedTuple", "TypedDict"})
FIELD_OPTIONS = frozenset(
    {"description", "examples", "ge", "gt", "le", "lt", "max_length", "min_length", "multiple_of"}
)
DECORATORS = frozenset({"duty", "rule", "scenario", "tool"})
STORY_BLOCKS = frozenset({"together", "wrong"})
"""The methods of a story whose calls a `with` statement of a scenario may take."""

NODES = frozenset(
    {"Module", "FunctionDef", "Lambda", "ClassDef", "arguments", "arg", "keyword", "Return", "Assign", "AugAssign"}
    | {"AnnAssign", "For", "If", "IfExp", "Raise", "Try", "ExceptHandler", "ImportFrom", "alias", "Expr", "Pass"}
    | {"Break", "Continue", "BoolOp", "NamedExpr", "BinOp", "UnaryOp", "Dict", "Set", "List", "Tuple", "ListComp"}
    | {"SetComp", "DictComp", "GeneratorExp", "comprehension", "Compare", "Call", "JoinedStr", "FormattedValue"}
    | {"Constant", "Attribute", "Subscript", "Starred", "Name", "Slice", "Load", "Store", "And", "Or", "Not", "Invert"}
    | {"UAdd", "USub", "Add", "Sub", "Mult", "Div", "FloorDiv", "Mod", "Pow", "LShift", "RShift", "BitOr", "BitAnd"}
    | {"With", "withitem", "BitXor", "Eq", "NotEq", "Lt", "LtE", "Gt", "GtE", "Is", "IsNot", "In", "NotIn"}
)

INSTEAD: dict[str, str] = {
    "While": "write a for loop over a range or the rows",
    "AsyncFunctionDef": "tools are plain functions; write def",
    "AsyncFor": "write for",
    "AsyncWith": "tools are plain functions",
    "Await": "tools are plain functions",
    "Yield": "collect a list and return it",
    "YieldFrom": "collect a list and return it",
    "Global": "pass the value as an argument",
    "Nonlocal": "return the value",
    "With": "only a scenario has blocks: `with story.together():` and `with story.wrong(...):`",
    "Delete": "write values.pop(key) or build a new value",
    "Match": "write if and elif",
    "Import": "write `from MODULE import NAME`",
    "Assert": "write an if that raises a Rejection",
    "TryStar": "write except",
    "MatMult": "write the sum out",
    "TypeAlias": "write NAME = TYPE",
}
