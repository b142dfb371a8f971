"""Measure the size and shape of a Python code base: ours and, for comparison, installed packages.

    python benchmarks/house.py [FOLDER ...] [--docs FOLDER] [--visits]

Without a FOLDER it measures src/unslant, its linter and its lab apart, and those of httpx, black and spacy that are
installed. `--visits` also runs `check`, `fix` and `score` on a short text with the rules and counts the modules whose
functions are called. All counts come from the source, so they are the same on every machine.
"""

from __future__ import annotations

import argparse
import ast
import importlib.util
import io
import re
import statistics
import subprocess
import sys
import tokenize
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "src" / "unslant"
PEERS = ("httpx", "black", "spacy")
COMPLEX = 10
"""McCabe complexity above which a function counts as complex (the default of flake8 and ruff)."""

Function = ast.FunctionDef | ast.AsyncFunctionDef
BRANCHES = (
    ast.If,
    ast.IfExp,
    ast.For,
    ast.AsyncFor,
    ast.While,
    ast.ExceptHandler,
    ast.Assert,
    ast.comprehension,
)


@dataclass(frozen=True, slots=True)
class House:
    """What one code base measures."""

    name: str
    files: int
    lines: int
    functions: int
    median: float
    """Lines of the function in the middle."""
    longest: int
    complex: float
    """Share of the functions above `COMPLEX`."""
    single: float
    """Share of the functions that are private and named in exactly one other place of their file."""
    comments: float
    """Comments per hundred lines."""
    depth: int
    """Modules on the longest chain of imports inside the package, at module level."""


def complexity(function: Function) -> int:
    """Return McCabe's number: one more than the decisions, nested functions left out."""
    count, stack = 1, list(ast.iter_child_nodes(function))
    while stack:
        node = stack.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            continue
        if isinstance(node, BRANCHES):
            count += 1
        elif isinstance(node, ast.BoolOp):
            count += len(node.values) - 1
        elif isinstance(node, ast.Match):
            count += len(node.cases)
        stack.extend(ast.iter_child_nodes(node))
    return count


def functions(tree: ast.Module) -> Iterator[Function]:
    """Yield every function and method."""
    return (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))


def names_used(tree: ast.Module) -> Iterator[str]:
    """Yield every name that is read, as a name or an attribute."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            yield node.id
        elif isinstance(node, ast.Attribute):
            yield node.attr


def called_once(tree: ast.Module) -> int:
    """Count the private functions that their file names once; other files may use the same name for another."""
    used = Counter(names_used(tree))
    return sum(used[f.name] == 1 for f in functions(tree) if re.match("_(?!_)", f.name))


def comments(text: str) -> int:
    """Count the comments, without those that only speak to tools."""
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    return sum(
        t.type == tokenize.COMMENT and not re.match(r"#\s*(noqa|type:|pragma|!)", t.string) for t in tokens
    )


def imports(module: str, tree: ast.Module, known: set[str], package: bool) -> set[str]:
    """Return the modules of the package that a module imports when it is loaded."""
    found: set[str] = set()
    base = module.split(".") if package else module.split(".")[:-1]
    for node in top_level(tree.body):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            parent = ".".join(base[: len(base) - node.level + 1]) if node.level else ""
            source = ".".join(filter(None, (parent, node.module or "")))
            found.update({source} | {f"{source}.{alias.name}" for alias in node.names})
    return {name for name in found if name in known and name != module}


def top_level(body: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    """Yield the statements that run on import; what stands under TYPE_CHECKING does not."""
    for node in body:
        if isinstance(node, ast.If) and "TYPE_CHECKING" not in ast.dump(node.test):
            yield from top_level(node.body)
            yield from top_level(node.orelse)
        elif isinstance(node, ast.Try):
            yield from top_level(node.body)
        else:
            yield node


def longest_chain(graph: dict[str, set[str]]) -> int:
    """Return the number of modules on the longest chain; a cycle counts each of its modules once."""
    depths: dict[str, int] = {}

    def depth(name: str, path: frozenset[str]) -> int:
        if name not in depths:
            below = [depth(child, path | {name}) for child in graph[name] if child not in path]
            depths[name] = 1 + max(below, default=0)
        return depths[name]

    return max((depth(name, frozenset()) for name in sorted(graph)), default=0)


def dotted_name(path: Path) -> str:
    """Return the name by which a module is imported."""
    parts = [] if path.stem == "__init__" else [path.stem]
    while (path.parent / "__init__.py").is_file():
        path = path.parent
        parts.insert(0, path.name)
    return ".".join(parts)


def measure(name: str, folder: Path, leave_out: Path | None = None) -> House:
    """Measure the Python files below a folder, without their tests."""
    paths = [
        path
        for path in sorted(folder.rglob("*.py"))
        if "tests" not in path.relative_to(folder).parts
        and not (leave_out and path.is_relative_to(leave_out))
    ]
    texts = {path: path.read_text("utf-8") for path in paths}
    trees = {path: ast.parse(text) for path, text in texts.items()}
    found = [function for tree in trees.values() for function in functions(tree)]
    sizes = [(function.end_lineno or function.lineno) - function.lineno + 1 for function in found]
    lines = sum(text.count("\n") for text in texts.values())
    modules = {path: dotted_name(path) for path in paths}
    known = set(modules.values())
    graph = {
        modules[path]: imports(modules[path], tree, known, path.stem == "__init__")
        for path, tree in trees.items()
    }
    return House(
        name=name,
        files=len(paths),
        lines=lines,
        functions=len(found),
        median=statistics.median(sizes),
        longest=max(sizes),
        complex=sum(complexity(function) > COMPLEX for function in found) / len(found),
        single=sum(called_once(tree) for tree in trees.values()) / len(found),
        comments=100 * sum(comments(text) for text in texts.values()) / lines,
        depth=longest_chain(graph),
    )


LISTS = ("cli.md", "model-card.md", "mutations.md", "reasons.md", "rules.md", "sentences.md")
"""Pages of docs that commands write, or that list what ships."""


def words(folder: Path, leave_out: tuple[str, ...] = ()) -> int:
    """Count the words of the Markdown pages below a folder."""
    pages = (path for path in folder.rglob("*.md") if path.name not in leave_out)
    return sum(len(path.read_text("utf-8").split()) for path in pages)


VISITS = """
import sys, tempfile, pathlib
from click.testing import CliRunner
from unslant.cli.main import main
seen = set()
def visit(frame, event, _):
    if event == "call":
        seen.add(frame.f_globals.get("__name__", ""))
folder = pathlib.Path(tempfile.mkdtemp())
(folder / "text.txt").write_text("Clearly, the legendary senator slammed the plan. It passed on Monday.")
(folder / "table.csv").write_text("text\\nThe legendary senator slammed the plan.\\n")
command = sys.argv[1].replace("FOLDER", str(folder)).split()
runner = CliRunner()
sys.setprofile(visit)
runner.invoke(main, command)
sys.setprofile(None)
print(len([name for name in seen if name.split(".")[0] == "unslant"]))
"""
COMMANDS = {
    "check": "check --tier rules --no-cache FOLDER/text.txt",
    "fix": "fix --tier rules FOLDER/text.txt",
    "score": "score --tier rules FOLDER/table.csv -o FOLDER/out.csv",
}


def visited(command: str) -> str:
    """Run a command in a new process and return the number of our modules of which a function was called."""
    done = subprocess.run(
        [sys.executable, "-c", VISITS, command], capture_output=True, text=True, check=False
    )
    return done.stdout.strip() or done.stderr.strip().splitlines()[-1]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folders", nargs="*", type=Path)
    parser.add_argument("--docs", type=Path, default=ROOT / "docs")
    parser.add_argument("--visits", action="store_true")
    arguments = parser.parse_args()
    houses = [measure(folder.name, folder) for folder in arguments.folders]
    if not houses:
        lab = PACKAGE / "lab"
        houses = [measure("unslant", PACKAGE), measure("linter", PACKAGE, leave_out=lab), measure("lab", lab)]
        for peer in PEERS:
            spec = importlib.util.find_spec(peer)
            if spec and spec.submodule_search_locations:
                houses.append(measure(peer, Path(spec.submodule_search_locations[0])))
    print("name      files   lines functions median longest complex single comments/100 depth")
    for house in houses:
        print(
            f"{house.name:<9} {house.files:5} {house.lines:7} {house.functions:9} {house.median:6.0f} {house.longest:7}"
            f" {house.complex:7.1%} {house.single:6.1%} {house.comments:12.1f} {house.depth:5}"
        )
    papers = words(arguments.docs / "papers") + words(arguments.docs / "audits")
    by_hand = words(arguments.docs, LISTS) - papers
    print(
        f"words of docs: {words(arguments.docs):,} ({papers:,} in papers and audits, {by_hand:,} written by hand)"
    )
    if arguments.visits:
        for name, command in COMMANDS.items():
            print(f"modules that {name} calls: {visited(command)}")


if __name__ == "__main__":
    main()
