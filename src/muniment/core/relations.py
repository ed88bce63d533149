"""The relation map: which predicates exist, what else they are called, and how many values they hold.

- A single-valued predicate with two values for one subject, in overlapping time and scope, is a conflict.
- An alias is read as its predicate; an inverse or symmetric relation is declared, never guessed.
- A predicate that is not declared holds many values: silence never makes a conflict.

>>> relation("python_version").single
True
>>> relation("runs_on_python").name
'requires_python'
>>> relation("invented").single
False
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Relation:
    """One predicate and how it behaves.

    Attributes:
        name: snake_case.
        single: Whether a subject has at most one value at a time.
        aliases: Other names that are read as this one.
        inverse: The predicate that says the same from the other side, if declared.
        symmetric: Whether subject and object may change places.
        meaning: One line.
    """

    name: str
    single: bool = False
    aliases: tuple[str, ...] = ()
    inverse: str = ""
    symmetric: bool = False
    meaning: str = ""


RELATIONS = (
    Relation(
        "requires_python", True, ("runs_on_python",), meaning="versions of Python that it runs on"
    ),
    Relation("python_version", True, meaning="the version of Python that developers use"),
    Relation("node_version", True, meaning="the version of Node that developers use"),
    Relation(
        "uses_package_manager", True, ("package_manager",), meaning="what installs its packages"
    ),
    Relation("build_backend", True, meaning="what builds it"),
    Relation("licensed_under", True, ("license",), meaning="its licence"),
    Relation("default_branch", True, meaning="the branch that others start from"),
    Relation("maintains", inverse="maintained_by", meaning="who looks after what"),
    Relation("maintained_by", inverse="maintains", meaning="what is looked after by whom"),
    Relation("owned_by", inverse="owns", meaning="who answers for a path"),
    Relation("owns", inverse="owned_by", meaning="the path that somebody answers for"),
    Relation("depends_on", inverse="required_by", meaning="what it needs"),
    Relation("required_by", inverse="depends_on", meaning="what needs it"),
    Relation("uses", aliases=("uses_tool",), meaning="what it is worked on with"),
    Relation("part_of", inverse="has_part", meaning="the whole that it belongs to"),
    Relation("has_part", inverse="part_of", meaning="what belongs to it"),
    Relation("package_name", True, meaning="the name under which the package is published"),
    Relation("package_version", True, meaning="the version that the manifest states"),
    Relation(
        "package_kind", True, meaning="module type, privacy or edition that the manifest states"
    ),
    Relation("is_private", True, meaning="whether the package is kept from publication"),
    Relation("requires_node", True, meaning="the Node.js versions that the package accepts"),
    Relation("requires_engine", meaning="another engine and the versions accepted"),
    Relation("requires_go", True, meaning="the Go version of the module"),
    Relation("go_toolchain", True, meaning="the Go toolchain that the module suggests"),
    Relation("requires_rust", True, meaning="the least Rust version"),
    Relation("rust_edition", True, meaning="the Rust edition"),
    Relation("pins_rust", True, meaning="the Rust toolchain pinned for development"),
    Relation("pins_tool", meaning="another tool and the version pinned for development"),
    Relation("lockfile_version", True, meaning="the format version of the lock file"),
    Relation("dev_depends_on", meaning="a dependency for development, with its constraint"),
    Relation("optional_depends_on", meaning="a dependency of a named extra or group"),
    Relation("entry_point", True, meaning="what an installed command runs"),
    Relation("workspace_member", meaning="a folder or pattern of a workspace's packages"),
    Relation("line_length", True, meaning="the greatest line length that the tool enforces"),
    Relation("tool_target", True, meaning="the language version that a tool checks against"),
    Relation("tool_strict", True, meaning="whether a checker runs in strict mode"),
    Relation("lint_rules", True, meaning="the rule sets that the linter selects"),
    Relation("test_paths", meaning="a folder in which tests are looked for"),
    Relation("test_options", True, meaning="the options with which the test runner always runs"),
    Relation("runs", True, meaning="the commands that a named target, script or recipe runs"),
    Relation("needs", True, meaning="the targets that run before a named target"),
    Relation("described_as", True, meaning="how the file describes a named target"),
    Relation("default_target", True, meaning="what runs when no target is named"),
    Relation("defines_environment", meaning="a named environment of tox, nox or hatch"),
    Relation("ci_name", True, meaning="the name that a CI workflow bears"),
    Relation("ci_trigger", meaning="an event that starts a CI workflow"),
    Relation("ci_job", meaning="a job of a CI workflow"),
    Relation("ci_runs_on", True, meaning="the machine or image on which a CI job runs"),
    Relation("ci_runs", meaning="a command that a CI job runs"),
    Relation("ci_matrix", True, meaning="the values of a CI job's matrix axis"),
    Relation("ci_service", meaning="a service container of a CI job"),
    Relation("ci_sets_up", True, meaning="the tool version that a CI job sets up"),
    Relation("ci_stages", True, meaning="the stages of a pipeline in order"),
    Relation("instruction", meaning="a statement of an instruction file"),
    Relation("documented_command", meaning="commands that a document shows under a heading"),
    Relation("imports_instructions", meaning="another file that an instruction file includes"),
    Relation("decision_status", True, meaning="the status of a decision record"),
    Relation("decision_date", True, meaning="the date of a decision record"),
    Relation("decided", meaning="a sentence of a decision in force"),
    Relation("unowned", meaning="a pattern of files that nobody owns"),
    Relation("module_path", True, meaning="the import path of a Go module"),
    Relation("base_image", meaning="the image that a container build starts from"),
    Relation("runs_hook", meaning="a hook that pre-commit runs"),
    Relation(
        "rewrites_to", True, meaning="what a phrase of a query may be rewritten to (a bridge)"
    ),
    Relation("related_to", symmetric=True, meaning="what it has to do with"),
)


def relation(name: str, declared: tuple[Relation, ...] = RELATIONS) -> Relation:
    """The declared relation of this name or alias; one with many values where none is declared."""
    names = _NAMES if declared is RELATIONS else _names(declared)
    return names.get(name) or Relation(name)


def _names(declared: tuple[Relation, ...]) -> dict[str, Relation]:
    """Relations by their names and aliases; of two the first."""
    names = [(name, one) for one in declared for name in (one.name, *one.aliases)]
    return dict(reversed(names))


_NAMES = _names(RELATIONS)
