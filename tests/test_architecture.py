"""The shape of the package, read from its source."""

import ast
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "puselect"
PAPER = ROOT / "paper" / "src" / "puselect_paper"

# A module may import from its own layer and from the layers above it in this list, never from one below.
LAYERS = (
    (
        *("_version", "arrays", "atomic", "draws", "exceptions", "labels", "parameters", "phrases", "row_groups"),
        *("datasets", "scaling", "sparse_table"),
    ),
    ("clustering",),
    ("columns",),
    ("objective",),
    ("search",),
    ("selectors",),
    ("fscpu",),
    ("checks",),
    ("baselines",),
    ("methods",),
    ("tables",),
    ("evaluation", "plots"),
    ("report",),
    ("cli", "__main__", "__init__"),
    ("puselect_paper",),
)
LAYER_OF = {part: number for number, layer in enumerate(LAYERS) for part in layer}

# The one step back, and why: a user asks a selector for its report, and the import is made only then.
EXCEPTIONS = {
    ("puselect.selectors.base", "puselect.report.summarise"),
    ("puselect.selectors.base", "puselect.report.write_report"),
}

HEAVY = ("torch", "triton", "dask", "distributed", "pandas", "lightgbm", "matplotlib", "jinja2", "polars")
MAX_FOLDER_MODULES = 15
EMPTY_NAMES = {"utils", "misc", "helpers", "common"}
MAX_FILE_LINES = 450
MAX_FUNCTION_LINES = 50

FILES = [*sorted(SOURCE.rglob("*.py")), *sorted(PAPER.rglob("*.py"))]
Function = ast.FunctionDef | ast.AsyncFunctionDef


def relative(file: Path) -> Path:
    return file.relative_to((SOURCE if file.is_relative_to(SOURCE) else PAPER).parent)


def module_name(file: Path) -> str:
    parts = relative(file).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_name(file): file for file in FILES}


@cache
def tree(file: Path) -> ast.Module:
    return ast.parse(file.read_text(encoding="utf-8"), filename=str(file))


def imported_names(file: Path, nodes: Iterator[ast.AST]) -> Iterator[str]:
    """Full dotted names; `from a import b` gives `a.b`, relative imports are made absolute."""
    package = relative(file).parts[:-1]
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            anchor = package[: len(package) - node.level + 1] if node.level else ()
            origin = ".".join((*anchor, node.module) if node.module else anchor)
            yield from (f"{origin}.{alias.name}" for alias in node.names)


def runtime(node: ast.AST) -> Iterator[ast.AST]:
    """Everything but what is only for type checkers."""
    for child in ast.iter_child_nodes(node):
        if not (isinstance(child, ast.If) and ast.unparse(child.test).endswith("TYPE_CHECKING")):
            yield child
            yield from runtime(child)


@cache
def imports(file: Path) -> set[str]:
    return set(imported_names(file, runtime(tree(file))))


def is_part_of(name: str, package: str) -> bool:
    return name == package or name.startswith(package + ".")


def layer_part(name: str) -> str:
    """The first name below the package; `__init__` for the package itself and for what it re-exports.

    puselect_paper is the last layer as a whole.
    """
    if is_part_of(name, "puselect_paper"):
        return "puselect_paper"
    first = name.split(".")[1] if "." in name else "__init__"
    is_module = any(is_part_of(module, f"puselect.{first}") for module in MODULES)
    return first if is_module else "__init__"


def code_lines(function: Function) -> int:
    """Lines of the body, without the docstring; a signature with many parameters is not code."""
    body = function.body[1:] if ast.get_docstring(function) is not None else function.body
    return function.end_lineno - body[0].lineno + 1 if body else 0


def test_every_module_has_a_place_in_the_layers():
    homeless = {layer_part(module) for module in MODULES} - LAYER_OF.keys()
    assert not homeless, f"place {sorted(homeless)} in LAYERS of {Path(__file__).name}"


def test_no_module_imports_from_a_later_layer_but_for_exceptions_that_are_needed():
    wrong = [
        f"{module} imports {name}"
        for module, file in MODULES.items()
        for name in sorted(imports(file))
        if is_part_of(name.replace("puselect_paper", "puselect"), "puselect")
        and (module, name) not in EXCEPTIONS
        and LAYER_OF.get(layer_part(name), 0) > LAYER_OF.get(layer_part(module), len(LAYERS))
    ]
    assert not wrong, "\n".join(wrong)
    assert all(name in imports(MODULES[module]) for module, name in EXCEPTIONS)


def test_no_file_is_too_long_to_read_and_no_folder_has_too_many():
    lengths = {module: len(file.read_text(encoding="utf-8").splitlines()) for module, file in MODULES.items()}
    long = {module: length for module, length in lengths.items() if length > MAX_FILE_LINES}
    assert not long, f"over {MAX_FILE_LINES} lines: {long}"
    sizes = Counter(str(relative(file).parent) for file in FILES)
    large = {folder: size for folder, size in sizes.items() if size > MAX_FOLDER_MODULES}
    assert not large, f"over {MAX_FOLDER_MODULES} modules: {large}"
    names = {part.strip("_") for module in MODULES for part in module.split(".")}
    assert not names & EMPTY_NAMES


def test_no_function_is_too_long_to_read():
    long = {
        f"{module}.{function.name}": code_lines(function)
        for module, file in MODULES.items()
        for function in ast.walk(tree(file))
        if isinstance(function, Function) and code_lines(function) > MAX_FUNCTION_LINES
    }
    assert not long, f"over {MAX_FUNCTION_LINES} lines without the docstring: {long}"


def home(module: str) -> str:
    """The module itself; for the parts of the GPU engine, which all are torch code, the package they make."""
    return "puselect.clustering.gpu" if is_part_of(module, "puselect.clustering.gpu") else module


def test_each_heavy_library_is_imported_in_one_place_at_most():
    users = {
        library: {
            home(module) for module, file in MODULES.items() if any(is_part_of(n, library) for n in imports(file))
        }
        for library in HEAVY
    }
    shared = {library: modules for library, modules in users.items() if len(modules) > 1}
    assert not shared, f"one module each, please: {shared}"


def test_importing_the_package_loads_no_heavy_library():
    code = f"import sys, puselect; print([name for name in {HEAVY} if name in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "[]\n"


def test_only_the_public_part_of_scikit_learn_is_imported():
    private = [
        f"{module} imports {name}"
        for module, file in MODULES.items()
        for name in sorted(imports(file))
        if is_part_of(name, "sklearn") and any(part.startswith("_") for part in name.split("."))
    ]
    # sklearn.__version__ and its like are public.
    private = [line for line in private if not line.endswith("__")]
    assert not private, "\n".join(private)
