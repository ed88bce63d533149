"""The predicates that file readers use, with their meaning.

- A single-valued predicate has one current value per subject: another value changes or contradicts it.
- A multi-valued predicate takes any number of values side by side.
- The subject is `""` for the repository, a folder (`packages/web`), or a thing in it (`make test`,
  `packages/web: script build`, the CODEOWNERS pattern `docs/`, a manifest,
  a decision record or workflow by its path).

>>> BY_NAME["requires_python"].single, BY_NAME["depends_on"].single
(True, False)
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Predicate:
    """One relation that a reader may state.

    Attributes:
        name: snake_case name.
        single: True where a subject has one current value.
        meaning: One line for the reference.
    """

    name: str
    single: bool
    meaning: str


PREDICATES: tuple[Predicate, ...] = (
    Predicate("package_name", True, "the name under which the package is published"),
    Predicate("package_version", True, "the version that the manifest states"),
    Predicate("package_kind", True, "module type, privacy or edition that the manifest states"),
    Predicate("is_private", True, "whether the package is kept from publication"),
    Predicate("requires_python", True, "the Python versions that the package accepts"),
    Predicate("requires_node", True, "the Node.js versions that the package accepts"),
    Predicate("requires_engine", False, "another engine and the versions accepted"),
    Predicate("requires_go", True, "the Go version of the module"),
    Predicate("go_toolchain", True, "the Go toolchain that the module suggests"),
    Predicate("requires_rust", True, "the least Rust version"),
    Predicate("rust_edition", True, "the Rust edition"),
    Predicate("python_version", True, "the Python version pinned for development"),
    Predicate("node_version", True, "the Node.js version pinned for development"),
    Predicate("pins_rust", True, "the Rust toolchain pinned for development"),
    Predicate("pins_tool", False, "another tool and the version pinned for development"),
    Predicate("build_backend", True, "what builds the package"),
    Predicate(
        "uses_package_manager", True, "the program that installs the dependencies of one language"
    ),
    Predicate("lockfile_version", True, "the format version of the lock file"),
    Predicate("depends_on", False, "a dependency at run time, with its constraint"),
    Predicate("dev_depends_on", False, "a dependency for development, with its constraint"),
    Predicate("optional_depends_on", False, "a dependency of a named extra or group"),
    Predicate("entry_point", True, "what an installed command runs"),
    Predicate("workspace_member", False, "a folder or pattern of a workspace's packages"),
    Predicate("uses", False, "a development tool that is configured here"),
    Predicate("line_length", True, "the greatest line length that the tool enforces"),
    Predicate("tool_target", True, "the language version that a tool checks against"),
    Predicate("tool_strict", True, "whether a checker runs in strict mode"),
    Predicate("lint_rules", True, "the rule sets that the linter selects"),
    Predicate("test_paths", False, "a folder in which tests are looked for"),
    Predicate("test_options", True, "the options with which the test runner always runs"),
    Predicate("runs", True, "the commands that a named target, script or recipe runs"),
    Predicate("needs", True, "the targets that run before a named target"),
    Predicate("described_as", True, "how the file describes a named target"),
    Predicate("default_target", True, "what runs when no target is named"),
    Predicate("defines_environment", False, "a named environment of tox, nox or hatch"),
    Predicate("ci_name", True, "the name that a CI workflow bears"),
    Predicate("ci_trigger", False, "an event that starts a CI workflow"),
    Predicate("ci_job", False, "a job of a CI workflow"),
    Predicate("ci_runs_on", True, "the machine or image on which a CI job runs"),
    Predicate("ci_runs", False, "a command that a CI job runs"),
    Predicate("ci_matrix", True, "the values of a CI job's matrix axis"),
    Predicate("ci_service", False, "a service container of a CI job"),
    Predicate("ci_sets_up", True, "the tool version that a CI job sets up"),
    Predicate("ci_stages", True, "the stages of a pipeline in order"),
    Predicate("instruction", False, "a statement of an instruction file"),
    Predicate("documented_command", False, "commands that a document shows under a heading"),
    Predicate("imports_instructions", False, "another file that an instruction file includes"),
    Predicate("decision_status", True, "the status of a decision record"),
    Predicate("decision_date", True, "the date of a decision record"),
    Predicate("decided", False, "a sentence of a decision in force"),
    Predicate("owned_by", False, "who owns the files of a pattern"),
    Predicate("unowned", False, "a pattern of files that nobody owns"),
    Predicate("module_path", True, "the import path of a Go module"),
    Predicate("base_image", False, "the image that a container build starts from"),
    Predicate("runs_hook", False, "a hook that pre-commit runs"),
)

BY_NAME: dict[str, Predicate] = {p.name: p for p in PREDICATES}
