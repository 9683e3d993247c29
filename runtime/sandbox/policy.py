"""Check the syntax tree of a domain's code against what is allowed, without running any of it."""

from __future__ import annotations

import ast
import builtins
from graphlib import CycleError, TopologicalSorter

from runtime.sandbox.allowed import (
    ATTRIBUTES,
    AUTHOR_MODULES,
    BOUNDED_NAMES,
    BUILTINS,
    CONSTANT_CALLS,
    DECORATORS,
    EXCEPTIONS,
    INSTEAD,
    MACHINE,
    MODULES,
    NODES,
    is_offered,
)
from runtime.sandbox.budget import MAX_BITS
from runtime.wording import have

_TOP = "only imports, classes, functions and constants stand at the top of a file"
_BUILTIN_NAMES = frozenset(dir(builtins)) - BUILTINS


def find_faults(tree: ast.Module) -> list[tuple[int, str]]:
    """Return every fault as its line and a sentence: what is wrong; what would be right."""
    policy = _Policy(tree)
    policy.check()
    return sorted(set(policy.faults))


class _Policy:
    """One walk over a module; `faults` collects what it finds."""

    def __init__(self, tree: ast.Module) -> None:
        self.faults: list[tuple[int, str]] = []
        self._tree = tree
        self._classes = {each.name for each in tree.body if isinstance(each, ast.ClassDef)}
        self._types = set(self._classes)  # names of types
        self._imported: dict[str, str] = {}
        self._depth = 0  # of functions within functions
        self._read: dict[str, ast.Name] = {}  # names that one statement at the top reads
        self._bound: set[str] = set()  # names that it binds
        self._visitors = {getattr(ast, name): getattr(self, f"_visit_{name}", self._visit_children) for name in NODES}

    def check(self) -> None:
        for statement in self._tree.body:
            if isinstance(statement, ast.ImportFrom):
                self._check_import(statement)
        bound_anywhere: set[str] = set()
        missing: dict[str, ast.Name] = {}
        mentions: dict[str, set[str]] = {}  # of functions, classes and constants
        for position, statement in enumerate(self._tree.body):
            if position == 0 and isinstance(getattr(statement, "value", None), ast.Constant):  # the docstring
                continue
            self._read, self._bound = {}, set()
            self._check_statement(statement)
            bound_anywhere |= self._bound
            missing |= {name: node for name, node in self._read.items() if name in _BUILTIN_NAMES or name[:2] == "__"}
            own = {statement.name} if isinstance(statement, ast.FunctionDef | ast.ClassDef) else set(self._bound)
            mentions |= dict.fromkeys(own, self._read.keys() - (self._bound - own))
        for name in missing.keys() - bound_anywhere - self._imported.keys():
            have = f"have: {', '.join(sorted(BUILTINS - EXCEPTIONS))}"
            self._require(False, missing[name], f"builtin {name!r}", have)
        self._check_recursion(mentions)

    def _require(self, ok: object, node: ast.AST, wrong: str, right: str) -> None:
        """Note a fault unless `ok`; `CODE` in what is wrong is replaced by the source of the node."""
        if not ok:
            wrong = wrong.replace("CODE", repr(ast.unparse(node)[:60])) if "CODE" in wrong else wrong
            self.faults.append((getattr(node, "lineno", 1), f"{wrong}; {right}"))

    # The top of a file

    def _check_statement(self, statement: ast.stmt) -> None:
        match statement:
            case ast.ImportFrom():
                pass
            case ast.FunctionDef():
                for decorator in statement.decorator_list:
                    self._check_decorator(decorator)
                self._visit(statement)
            case ast.ClassDef():
                self._check_class(statement)
            case ast.Assign(targets=[ast.Name()]) | ast.AnnAssign(target=ast.Name()):
                if isinstance(statement, ast.AnnAssign):
                    self._check_annotation(statement.annotation)
                target = statement.targets[0] if isinstance(statement, ast.Assign) else statement.target
                self._visit(target)
                if isinstance(statement.value, ast.Subscript) and isinstance(target, ast.Name):
                    self._check_annotation(statement.value)
                    self._types.add(target.id)
                elif statement.value is not None:
                    self._check_constant(statement.value)
            case _:
                name = type(statement).__name__
                self._require(False, statement, f"{name.lower()!r} at the top of a file", INSTEAD.get(name, _TOP))

    def _check_import(self, node: ast.ImportFrom) -> None:
        module = "." * node.level + (node.module or "")
        known = sorted(MODULES.keys() | AUTHOR_MODULES)
        self._require(module in known, node, f"import from {module!r}", f"import from one of: {', '.join(known)}")
        for alias in node.names:
            plain = alias.asname in (None, alias.name)
            self._require(
                plain, node, f"{alias.name!r} is imported as {alias.asname!r}", "import it under its own name"
            )
            if module in known:
                have = f"have: {', '.join(sorted(MODULES.get(module, ()))) or 'the names of the author'}"
                wrong = f"{module!r} does not offer {alias.name!r} to a domain"
                self._require(is_offered(module, alias.name), node, wrong, have)
            self._imported[alias.name] = module

    def _check_decorator(self, decorator: ast.expr) -> None:
        name, values = decorator, []
        if isinstance(decorator, ast.Call):
            name, values = decorator.func, [*decorator.args, *(keyword.value for keyword in decorator.keywords)]
        ok = isinstance(name, ast.Name) and name.id in DECORATORS and self._imported.get(name.id) in AUTHOR_MODULES
        self._require(ok, decorator, "decorator CODE", "use @tool(...), @scenario, @rule(...) or @duty(...)")
        for value in values:
            self._check_constant(value)

    def _check_class(self, node: ast.ClassDef) -> None:
        bases = {ast.unparse(base) for base in node.bases}
        ok = bases and bases <= self._classes | {"TypedDict"} and not node.decorator_list
        self._require(ok, node, f"class {node.name!r} is not a TypedDict", "write class NAME(TypedDict)")
        plain = all(isinstance(option.value, ast.Constant) for option in node.keywords)
        self._require(plain, node, f"class {node.name!r} has a computed option", "write True or False")
        self._check_name(node, node.name)
        for position, field in enumerate(node.body):
            match field:
                case ast.AnnAssign(target=ast.Name() as target, annotation=annotation, value=None):
                    self._visit(target)
                    self._check_annotation(annotation)
                case ast.Pass() | ast.Expr(value=ast.Constant(value=str())) if position == 0:
                    pass
                case _:
                    right = "a TypedDict has annotated fields only; write a function beside it"
                    self._require(False, field, f"{type(field).__name__.lower()!r} in class {node.name!r}", right)

    def _check_constant(self, node: ast.expr) -> None:
        """A value made once and seen by every session: literals, which become read-only, and simple values."""
        parts: list[ast.expr] = []
        match node:
            case ast.Constant():
                self._visit(node)
            case ast.Name(id=name):
                self._require(name not in BOUNDED_NAMES, node, "CODE as a constant", "write types in annotations only")
                self._visit(node)
            case ast.Tuple(elts=parts) | ast.List(elts=parts) | ast.Set(elts=parts):
                pass
            case ast.Call(ast.Attribute(ast.Constant(str()), "split" | "splitlines"), [], []):
                pass
            case ast.Dict(keys=keys, values=values) if None not in keys:
                parts = [*filter(None, keys), *values]
            case ast.UnaryOp(operand=operand):
                parts = [operand]
            case ast.BinOp(left=left, right=right):
                parts = [left, right]
            case ast.Call(func=ast.Name(id=maker)) if maker in CONSTANT_CALLS:
                parts = [*node.args, *(keyword.value for keyword in node.keywords)]
            case _:
                makers = ", ".join(sorted(CONSTANT_CALLS))
                self._require(False, node, "CODE is not a constant", f"write literals, tuples or calls of {makers}")
        for part in parts:
            self._check_constant(part)

    def _check_annotation(self, node: ast.expr) -> None:
        match node:
            case ast.Constant(value=None) | ast.Constant(value=builtins.Ellipsis):
                pass
            case ast.Name(id=name):  # a name in quotes would be evaluated when the annotations are resolved
                ok = name in BUILTINS or name in self._imported or name in self._types
                self._require(ok, node, "CODE in an annotation is not a type", "name a builtin, an import or a class")
            case ast.Subscript(value=ast.Name(id="Literal"), slice=inner) if "Literal" in self._imported:
                self._check_constant(inner)
            case ast.Subscript(value=ast.Name(id="Annotated"), slice=ast.Tuple(elts=[kind, *notes])) if (
                "Annotated" in self._imported
            ):
                self._check_annotation(kind)
                for note in notes:
                    self._check_constant(note)
            case ast.Subscript(value=ast.Name() as left, slice=right) | ast.BinOp(left, ast.BitOr(), right):
                self._check_annotation(left)
                self._check_annotation(right)
            case ast.Tuple(elts=elements) | ast.List(elts=elements):
                for element in elements:
                    self._check_annotation(element)
            case _:
                self._require(False, node, "annotation CODE", "write types by name, such as list[int]")

    def _check_recursion(self, mentions: dict[str, set[str]]) -> None:
        """Refuse functions that mention themselves, also by way of others or of constants that hold them."""
        lines = {each.name: each for each in self._tree.body if isinstance(each, ast.FunctionDef)}
        try:
            TopologicalSorter(mentions).prepare()
        except CycleError as error:
            circle = [name for name in error.args[1] if name in lines]
            if circle:
                self._require(False, lines[circle[0]], f"{circle[0]!r} calls itself", "write a for loop")

    # Inside a function

    def _visit(self, node: ast.AST) -> None:
        visitor = self._visitors.get(type(node))
        if visitor is not None:
            visitor(node)
        else:
            name = type(node).__name__
            instead = INSTEAD.get(name, "write plain statements")
            self._require(False, node, f"{name.lower()!r} in a domain's code", instead)

    def _visit_children(self, node: ast.AST) -> None:
        for name in node._fields:
            value = getattr(node, name, None)
            if isinstance(value, ast.AST):
                self._visit(value)
            elif isinstance(value, list):
                for each in value:
                    if isinstance(each, ast.AST):
                        self._visit(each)

    def _visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        self._check_name(node, node.name)
        ok = not (node.decorator_list and self._depth)
        self._require(ok, node, f"{node.name!r} is decorated inside a function", "decorate at the top of the file only")
        self._require(not getattr(node, "type_params", []), node, "type parameters", "write plain types")
        if node.returns:
            self._check_annotation(node.returns)
        self._visit(node.args)
        self._depth += 1
        for statement in node.body:
            self._visit(statement)
        self._depth -= 1

    def _visit_arguments(self, node: ast.arguments) -> None:
        for argument in filter(None, [*node.posonlyargs, *node.args, *node.kwonlyargs, node.vararg, node.kwarg]):
            self._check_name(argument, argument.arg)
            if argument.annotation:
                self._check_annotation(argument.annotation)
        for default in filter(None, [*node.defaults, *node.kw_defaults]):
            self._check_constant(default)
            shared = isinstance(default, ast.List | ast.Dict | ast.Set)
            self._require(not shared, default, "the default CODE, which all calls share", "write a tuple or None")

    def _visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        self._check_annotation(node.annotation)
        for part in filter(None, (node.target, node.value)):
            self._visit(part)

    def _visit_Try(self, node: ast.Try) -> None:
        self._require(not node.finalbody, node, "finally", "the session undoes a rejected call by itself")
        self._visit_children(node)

    def _visit_ExceptHandler(self, node: ast.ExceptHandler) -> None:
        allowed = EXCEPTIONS | {"InvalidOperation"}
        for kind in node.type.elts if isinstance(node.type, ast.Tuple) else [node.type]:
            ok = isinstance(kind, ast.Name) and kind.id in allowed
            caught = ast.unparse(kind) if kind else "everything"
            self._require(ok, node, f"except catches {caught}", f"catch one of: {', '.join(sorted(allowed))}")
        self._require(not node.name, node, "except names the error", "say in words of your own what is wrong")
        for statement in node.body:
            self._visit(statement)

    def _visit_Name(self, node: ast.Name) -> None:
        name = node.id
        if not isinstance(node.ctx, ast.Load):
            self._check_name(node, name)
            return
        self._read[name] = node
        module = self._imported.get(name)
        is_type = module in ("typing", "collections.abc") or (
            module in AUTHOR_MODULES and name[0].isupper() and name != "Rejection"
        )
        if is_type or (name in self._types and name not in self._classes):
            self._require(False, node, f"the type {name!r} as a value", "use this type in annotations only")
        elif module and name in DECORATORS:
            self._require(False, node, f"{name!r} as a value", f"write @{name} in front of a function or class")

    def _check_name(self, node: ast.AST, name: str) -> None:
        self._bound.add(name)
        self._require(name[:2] != "__", node, f"the name {name!r}", "names do not start with two underscores")
        ok = name not in BUILTINS and name not in BOUNDED_NAMES and name not in self._imported
        self._require(ok, node, f"{name!r} hides the builtin or import of that name", "use another name")

    def _visit_Attribute(self, node: ast.Attribute) -> None:
        name = node.attr
        if name not in ATTRIBUTES:  # nearest names are slow to find, so not for every attribute that is fine
            self._require(False, node, f"the attribute {name!r}", have(name, sorted(ATTRIBUTES)))
        self._require(isinstance(node.ctx, ast.Load), node, f"the attribute {name!r} is assigned", "make a new value")
        if isinstance(node.value, ast.Name):
            owner = node.value.id
            module = self._imported.get(owner)
            ok = owner not in BUILTINS and module in {None, "datetime", *AUTHOR_MODULES}
            self._require(ok, node, f"{owner}.{name}", "call the method on a value")
        self._visit(node.value)

    def _visit_Tuple(self, node: ast.Tuple | ast.List) -> None:
        inner = [part for each in node.elts if isinstance(each, ast.Tuple | ast.List) for part in each.elts]
        deep = isinstance(node.ctx, ast.Store) and any(isinstance(each, ast.Tuple | ast.List) for each in inner)
        self._require(
            not deep, node, "CODE unpacks three levels at once", "unpack the inner ones in a line of their own"
        )
        self._visit_children(node)

    _visit_List = _visit_Tuple

    def _visit_Subscript(self, node: ast.Subscript) -> None:
        ok = isinstance(node.ctx, ast.Load) or not isinstance(node.slice, ast.Slice)
        self._require(ok, node, "a slice is assigned", "build a new list")
        self._visit_children(node)

    def _visit_Call(self, node: ast.Call) -> None:
        called = node.func.attr if isinstance(node.func, ast.Attribute) else ""
        right = "use db.now, and the random numbers as they are seeded"
        self._require(called not in MACHINE, node, f"a call of {called!r}", right)
        self._visit_children(node)

    def _visit_Constant(self, node: ast.Constant) -> None:
        value = node.value
        small = not isinstance(value, int) or value.bit_length() <= MAX_BITS
        self._require(small, node, f"a number of more than {MAX_BITS} bits", "use a smaller number")
        self._require(not isinstance(value, bytes | complex), node, "the literal CODE", "use texts and real numbers")
