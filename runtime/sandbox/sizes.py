"""How large the types and data classes of a file become when it is executed, judged from its syntax tree.

A name that stands for a type is written once and spelled out wherever it is used: `A2 = tuple[A1, A1]` has twice the
parts of `A1`, and Python goes over all of them to hash the type, outside of any budget.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from runtime.sandbox.syntax import walk

MOST_PARTS = 1_000  # of one type, the parts of each type that it names included
MOST_PARTS_IN_FILE = 20_000
MOST_FIELDS_IN_FILE = 1_000  # of data classes, inherited ones included; each class counts as one more
MOST_GENERATIONS = 8  # of data classes, each of which inherits from the one before


def oversized(tree: ast.Module) -> Iterator[tuple[ast.AST, str]]:
    """The types and data classes that become too large, each with what is wrong; what would be right."""
    yield from _oversized_types(tree)
    yield from _oversized_classes(tree)


def _oversized_types(tree: ast.Module) -> Iterator[tuple[ast.AST, str]]:
    parts_of: dict[str, int] = {}
    total = 0
    for statement in tree.body:  # a name of a type has one meaning, and is used after it was given one
        if isinstance(statement, ast.Assign | ast.AnnAssign) and isinstance(statement.value, ast.Subscript):
            targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
            parts = _parts(statement.value, parts_of)
            total += parts
            parts_of.update((target.id, parts) for target in targets if isinstance(target, ast.Name))
            if parts > MOST_PARTS:
                yield statement, _too_many_parts(statement.value)
                return
    for node in walk(tree):
        annotation = node.returns if isinstance(node, ast.FunctionDef) else getattr(node, "annotation", None)
        if annotation is not None:
            parts = _parts(annotation, parts_of)
            total += parts
            if parts > MOST_PARTS:
                yield annotation, _too_many_parts(annotation)
    if total > MOST_PARTS_IN_FILE:
        yield tree, f"types of more than {MOST_PARTS_IN_FILE:,} parts in one file; write smaller ones"


def _parts(annotation: ast.expr, parts_of: Mapping[str, int]) -> int:
    """How many names and constants a type has once the types that it names are spelled out."""
    return sum(
        parts_of.get(node.id, 1) if isinstance(node, ast.Name) else 1
        for node in walk(annotation)
        if isinstance(node, ast.Name | ast.Constant)
    )


def _too_many_parts(annotation: ast.expr) -> str:
    return f"{ast.unparse(annotation)[:60]!r} is a type of more than {MOST_PARTS:,} parts; write a smaller one"


def _oversized_classes(tree: ast.Module) -> Iterator[tuple[ast.AST, str]]:
    sizes: dict[str, int] = {}
    generations: dict[str, int] = {}
    total = 0
    for statement in tree.body:
        if not isinstance(statement, ast.ClassDef):
            continue
        bases = [base.id for base in statement.bases if isinstance(base, ast.Name)]
        generation = 1 + max((generations.get(base, 0) for base in bases), default=0)
        if generation > MOST_GENERATIONS:
            wrong = f"class {statement.name!r} inherits over more than {MOST_GENERATIONS} classes"
            yield statement, f"{wrong}; write the fields out"
            return
        size = 1 + len(statement.body) + sum(sizes.get(base, 0) for base in bases)
        sizes[statement.name], generations[statement.name] = size, generation
        total += size
    if total > MOST_FIELDS_IN_FILE:
        wrong = f"data classes of more than {MOST_FIELDS_IN_FILE:,} fields in one file, inherited ones included"
        yield tree, f"{wrong}; write fewer"
