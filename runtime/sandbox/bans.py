"""What is wrong with a domain's code, judged from its syntax tree alone: nothing is executed."""

from __future__ import annotations

import ast
import builtins
from string import Formatter

from runtime.sandbox.allowed import (
    AUTHOR_MODULES,
    BOUNDED_NAMES,
    BUILTINS,
    CAUGHT_EXCEPTIONS,
    CLOCK_ATTRIBUTES,
    DECORATORS,
    INSTEAD,
    METHODS,
    MODULES,
    NODES,
    REFUSED_ATTRIBUTES,
    STORY_BLOCKS,
)
from runtime.sandbox.constants import Constants
from runtime.sandbox.iterators import kept_iterators
from runtime.sandbox.names import is_offered, offered
from runtime.sandbox.numbers import MAX_BITS, refuse_machine_codes
from runtime.sandbox.recursion import passes_itself, recursions
from runtime.sandbox.sizes import oversized
from runtime.sandbox.syntax import children, walk


def faults_of_tree(tree: ast.Module) -> list[tuple[int, str]]:
    """Every fault as (line, what is wrong; what would be right)."""
    bans = _Bans(tree)
    bans.check()
    return sorted(set(bans.faults))


class _Bans(Constants):
    """One walk over a module; `faults` collects what it finds."""

    def check(self) -> None:
        for statement in self.tree.body:
            if isinstance(statement, ast.ImportFrom):
                self._check_import(statement)
        for position, statement in enumerate(self.tree.body):
            self._check_statement(statement, first=position == 0)
        for node in walk(self.tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and not _is_unicode(node.value):
                self.refuse(node, "a text with half of a surrogate pair", "write the character itself")
        for line, cycle in recursions(self.tree):
            self.refuse(line, f"{cycle} calls itself", "write a for loop")
        for node, fault in kept_iterators(self.tree, self.imported):
            self.refuse(node, *fault.split("; ", 1))
        for node, fault in oversized(self.tree):
            self.refuse(node, *fault.split("; ", 1))

    # The top of a file

    def _check_statement(self, statement: ast.stmt, first: bool) -> None:
        match statement:
            case ast.ImportFrom():
                pass
            case ast.FunctionDef():
                self._check_decorators(statement)
                self.visit(statement)
            case ast.ClassDef():
                self._check_class(statement)
            case ast.Assign(targets=[ast.Name()], value=ast.Subscript() as kind):
                self.check_annotation(kind)
                self.visit(statement.targets[0])
            case ast.Assign(targets=[ast.Name()], value=value):
                self.check_constant(value, computed=True)
                self.visit(statement.targets[0])
            case ast.AnnAssign(target=ast.Name(), value=value):
                self.check_annotation(statement.annotation)
                self.visit(statement.target)
                if isinstance(value, ast.Subscript):
                    self.check_annotation(value)
                elif value is not None:
                    self.check_constant(value, computed=True)
            case ast.Expr(value=ast.Constant(value=str())) if first:
                pass
            case _:
                name = type(statement).__name__
                right = "only imports, classes, functions and constants stand at the top of a file"
                self.refuse(statement, f"{_worded(name)} at the top of a file", INSTEAD.get(name, right))

    def _check_import(self, node: ast.ImportFrom) -> None:
        module = node.module or ""
        if node.level or module not in MODULES.keys() | AUTHOR_MODULES:
            have = ", ".join(sorted(MODULES.keys() | AUTHOR_MODULES))
            self.refuse(node, f"import from {'.' * node.level + module!r}", f"import from one of: {have}")
            return
        for alias in node.names:
            if alias.asname and alias.asname != alias.name:
                self.refuse(node, f"{alias.name!r} is imported as {alias.asname!r}", "import it under its own name")
            if not is_offered(module, alias.name):
                have = ", ".join(sorted(offered(module))) or "the author's names"
                self.refuse(node, f"{module!r} does not offer {alias.name!r} to a domain", f"have: {have}")
            self.imported[alias.name] = module

    def _check_decorators(self, node: ast.FunctionDef) -> None:
        for decorator in node.decorator_list:
            call = decorator if isinstance(decorator, ast.Call) else None
            name = call.func if call else decorator
            if not isinstance(name, ast.Name) or name.id not in DECORATORS or name.id in self.bound:
                self.refuse(
                    decorator, f"decorator {ast.unparse(name)!r}", "use @tool(...), @scenario, @rule(...) or @duty(...)"
                )
            for value in [*call.args, *(keyword.value for keyword in call.keywords)] if call else []:
                self.check_constant(value)

    def _check_class(self, node: ast.ClassDef) -> None:
        bases = [base.id if isinstance(base, ast.Name) else ast.unparse(base) for base in node.bases]
        decorators = [ast.unparse(d.func if isinstance(d, ast.Call) else d) for d in node.decorator_list]
        if not (set(bases) <= self.parents and set(decorators) <= {"dataclass"} and (bases or decorators)):
            self.refuse(
                node, f"class {node.name!r} is not a data class", "write a TypedDict, a NamedTuple or a @dataclass"
            )
        if "dataclass" in decorators and self.imported.get("dataclass") != "dataclasses":
            self.refuse(node, "this dataclass is not the standard one", "write `from dataclasses import dataclass`")
        options = [k for d in node.decorator_list if isinstance(d, ast.Call) for k in d.keywords]
        for option in [*node.keywords, *options]:
            known = {"total", "frozen", "kw_only", "order", "eq"}
            if option.arg not in known or not isinstance(option.value, ast.Constant):
                self.refuse(node, f"option {option.arg!r} of class {node.name!r}", f"have: {', '.join(sorted(known))}")
        self.check_name(node, node.name)
        for position, field in enumerate(node.body):
            match field:
                case ast.AnnAssign(target=ast.Name(), annotation=annotation, value=value):
                    self.visit(field.target)
                    self.check_annotation(annotation)
                    if value is not None:
                        self.check_default(value)
                case ast.Pass() | ast.Expr(value=ast.Constant(value=str())) if position == 0:
                    pass
                case _:
                    right = "a data class holds annotated fields only; write a function beside it"
                    self.refuse(field, f"{_worded(type(field).__name__)} in class {node.name!r}", right)

    # Inside a function

    def visit(self, node: ast.AST) -> None:
        name = type(node).__name__
        if name not in NODES:
            self.refuse(node, f"{_worded(name)} in a domain's code", INSTEAD.get(name, "write plain statements"))
            return
        super().visit(node)

    def generic_visit(self, node: ast.AST) -> None:
        for child in children(node):
            self.visit(child)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        self.refuse(node, "an import inside a function", "import at the top of the file")

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self.refuse(node, f"class {node.name!r} inside a function", "define it at the top of the file")

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        self.check_name(node, node.name)
        if node.decorator_list and node not in self.tree.body:
            self.refuse(node, f"{node.name!r} is decorated inside a function", "decorate at the top of the file only")
        if getattr(node, "type_params", []):
            self.refuse(node, f"type parameters of {node.name!r}", "write plain types")
        if node.returns:
            self.check_annotation(node.returns)
        self.visit(node.args)
        self.depth += 1
        for statement in node.body:
            self.visit(statement)
        self.depth -= 1

    def visit_arguments(self, node: ast.arguments) -> None:
        every = [*node.posonlyargs, *node.args, *node.kwonlyargs, node.vararg, node.kwarg]
        for argument in filter(None, every):
            self.check_name(argument, argument.arg)
            if argument.annotation:
                self.check_annotation(argument.annotation)
        for default in [*node.defaults, *node.kw_defaults]:
            if default is not None:
                self.check_shared(default)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        self.check_annotation(node.annotation)
        self.visit(node.target)
        if node.value:
            self.visit(node.value)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        if isinstance(node.target, ast.Subscript) and isinstance(node.target.slice, ast.Slice):
            self.refuse(node, "a slice is changed in place", "build a new list")
        self.generic_visit(node)

    def visit_With(self, node: ast.With) -> None:
        for item in node.items:
            match item:
                case ast.withitem(ast.Call(ast.Attribute(ast.Name(), name)), None) if name in STORY_BLOCKS:
                    pass
                case _:
                    self.refuse(node, "'with' in a domain's code", INSTEAD["With"])
                    return
        self.generic_visit(node)

    def visit_Try(self, node: ast.Try) -> None:
        if node.finalbody:
            self.refuse(node.finalbody[0], "finally", "the session undoes a rejected call by itself")
        self.generic_visit(node)

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> None:
        kinds = node.type.elts if isinstance(node.type, ast.Tuple) else [node.type]
        allowed = CAUGHT_EXCEPTIONS | {"InvalidOperation"}
        for kind in kinds:
            if not isinstance(kind, ast.Name) or kind.id not in allowed:
                caught = ast.unparse(kind) if kind else "everything"
                self.refuse(node, f"except catches {caught}", f"catch one of: {', '.join(sorted(allowed))}")
        if node.name:
            self.check_name(node, node.name)
        for statement in node.body:
            self.visit(statement)

    def visit_Name(self, node: ast.Name) -> None:
        name = node.id
        if not isinstance(node.ctx, ast.Load):
            self.check_name(node, name)
        elif name.startswith("__"):
            self.refuse(node, f"the name {name!r}", "names do not start with two underscores")
        elif self.imported.get(name) in AUTHOR_MODULES and name[0].isupper() and name != "Rejection":
            self.refuse(node, f"{name!r} as a value", "use this type in annotations only")
        elif (name in DECORATORS and name not in self.bound) or (name == "dataclass" and name in self.imported):
            self.refuse(node, f"{name!r} as a value", f"write @{name} in front of a function or class")
        elif name in self.aliases or self.imported.get(name) == "typing":
            self.refuse(node, f"the type {name!r} as a value", "use this type in annotations only")
        elif hasattr(builtins, name) and name not in BUILTINS | self.bound | self.imported.keys():
            self.refuse(node, f"builtin {name!r}", f"have: {', '.join(sorted(BUILTINS - CAUGHT_EXCEPTIONS))}")

    def check_name(self, node: ast.AST, name: str) -> None:
        if name.startswith("__"):
            self.refuse(node, f"the name {name!r}", "names do not start with two underscores")
        if name in BUILTINS | BOUNDED_NAMES or name in self.imported:
            self.refuse(node, f"{name!r} hides the builtin or import of that name", "use another name")

    def visit_Attribute(self, node: ast.Attribute, called: bool = False) -> None:
        name = node.attr
        if name.startswith("_"):
            self.refuse(
                node, f"the attribute {name!r}", "attributes of a domain's code do not start with an underscore"
            )
        elif name in REFUSED_ATTRIBUTES:
            self.refuse(node, f"the attribute {name!r}", REFUSED_ATTRIBUTES[name])
        elif not isinstance(node.ctx, ast.Load):
            self.refuse(node, f"the attribute {name!r} is assigned", "make a new value")
        elif name in METHODS and not called:
            self.refuse(node, f"the method {name!r} as a value", f"call it: x.{name}(...)")
        if isinstance(node.value, ast.Name):
            owner = node.value.id
            if owner in BUILTINS | BOUNDED_NAMES and owner not in self.bound:
                self.refuse(node, f"{owner}.{name}", "call the method on a value")
            elif name in CLOCK_ATTRIBUTES and self.imported.get(owner) == "datetime":
                self.refuse(node, f"{owner}.{name} reads the machine's clock", "use db.now")
            elif self.imported.get(owner, "datetime") not in {"datetime", *AUTHOR_MODULES}:
                self.refuse(node, f"{owner}.{name}", f"use {owner} by itself")
        self.visit(node.value)

    def visit_Subscript(self, node: ast.Subscript) -> None:
        if isinstance(node.value, ast.Name) and node.value.id in BUILTINS | BOUNDED_NAMES:
            self.refuse(node, f"{ast.unparse(node)[:60]!r} as a value", "write such types in annotations only")
        if isinstance(node.slice, ast.Slice) and not isinstance(node.ctx, ast.Load):
            self.refuse(node, "a slice is assigned", "build a new list")
        if isinstance(node.slice, ast.Tuple) and any(isinstance(each, ast.Slice) for each in node.slice.elts):
            self.refuse(node, "a slice within a tuple", "slice one dimension at a time")
        self.generic_visit(node)

    def visit_Starred(self, node: ast.Starred) -> None:
        if not isinstance(node.ctx, ast.Load):
            self.refuse(node, "a starred target", "slice the list: rest = values[1:]")
        self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        if isinstance(node.func, ast.Attribute):
            self.visit_Attribute(node.func, called=True)
            if node.func.attr in ("strftime", "strptime"):
                self._check_layout(node, [*node.args, *(keyword.value for keyword in node.keywords)])
            if node.func.attr == "seed":
                self.refuse(node, "a call of 'seed'", "the random numbers are seeded already; use them as they come")
            if node.func.attr == "format" and not _has_plain_fields(node.func.value):
                self.refuse(node, "a format that reaches into its values", "write an f-string")
        else:
            self.visit(node.func)
        if isinstance(node.func, ast.Name) and node.func.id == "isinstance" and not _names_types(node):
            self.refuse(node, "isinstance with a computed type", "name the types: isinstance(x, (int, str))")
        for keyword in node.keywords:
            if keyword.arg and keyword.arg.startswith("_"):
                self.refuse(node, f"the argument {keyword.arg!r}", "arguments do not start with an underscore")
            self.visit(keyword.value)
        for argument in node.args:
            self.visit(argument)
        if passes_itself(node):
            self.refuse(node, f"{ast.unparse(node.func)!r} is passed to itself", "write a for loop")

    def visit_FormattedValue(self, node: ast.FormattedValue) -> None:
        if isinstance(node.format_spec, ast.JoinedStr) and not isinstance(node.value, ast.Constant):
            self._check_layout(node, node.format_spec.values)
        self.generic_visit(node)

    def _check_layout(self, node: ast.expr, layouts: list[ast.expr]) -> None:
        for layout in layouts:
            if isinstance(layout, ast.Constant) and isinstance(layout.value, str):
                try:
                    refuse_machine_codes(layout.value)
                except TypeError as error:
                    wrong, _, right = str(error).partition("; ")
                    self.refuse(node, wrong, right)

    def visit_Compare(self, node: ast.Compare) -> None:
        if len(node.ops) > 1 and any(isinstance(op, ast.In | ast.NotIn) for op in node.ops):
            self.refuse(node, "`in` within a chain of comparisons", "join the comparisons with `and`")
        self.generic_visit(node)

    def visit_BinOp(self, node: ast.BinOp) -> None:
        is_text = isinstance(node.left, ast.JoinedStr) or isinstance(getattr(node.left, "value", None), str)
        if isinstance(node.op, ast.Mod) and is_text:
            self.refuse(node, "text formatted by %", "write an f-string")
        self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> None:
        value = node.value
        if isinstance(value, bytes | complex):
            self.refuse(node, f"the literal {value!r:.40}", "tools work on text and real numbers")
        if isinstance(value, int) and value.bit_length() > MAX_BITS:
            self.refuse(node, f"a number of more than {MAX_BITS} bits", "use a smaller number")

    def visit_Dict(self, node: ast.Dict) -> None:
        self.check_keys(node, node.keys)
        self.generic_visit(node)

    def visit_Set(self, node: ast.Set) -> None:
        self.check_keys(node, node.elts)
        self.generic_visit(node)


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _has_plain_fields(text: ast.expr) -> bool:
    """Whether a constant text is a format of names and numbers only; any other text is judged when it is formatted."""
    if not isinstance(text, ast.Constant) or not isinstance(text.value, str):
        return True
    try:
        fields = [(name or "", spec or "") for _, name, spec, _ in Formatter().parse(text.value)]
    except ValueError:
        return False
    return not any("." in name or "[" in name or "{" in spec for name, spec in fields)


def _names_types(call: ast.Call) -> bool:
    if len(call.args) != 2 or call.keywords:
        return False
    kinds = call.args[1].elts if isinstance(call.args[1], ast.Tuple) else [call.args[1]]
    return all(isinstance(kind, ast.Name) for kind in kinds)


def _worded(node_name: str) -> str:
    return f"{node_name.lower()!r}"
