"""GitHub workflows: name, triggers, jobs, commands, tool versions, matrix and services.

- A step is addressed by its name, else by its commands' first words, so that inserting a step
  leaves the others where they are.
- What a job runs says how the project is checked; it is never offered as a command to deploy with.
"""

from __future__ import annotations

import re

from muniment.learn.commands import shell_steps, spoken, topics_of, uses_of
from muniment.learn.page import Page, collapse
from muniment.learn.uses import FACT_USES, INFORM_USES
from muniment.learn.yaml_text import Node, parse_yaml

_PATH = re.compile(r"^\.(?:github|gitea|forgejo)/workflows/[^/]+\.ya?ml$")
_SETUP = re.compile(r"(?P<action>[\w.-]+/setup-(?P<tool>[\w-]+))(?:@\S+)?")
_ODD = re.compile(r"[^\w.-]+")


def matches(path: str) -> bool:
    """Workflow files of GitHub and its relatives."""
    return bool(_PATH.match(path))


def read(page: Page) -> None:
    """Read one workflow."""
    root = parse_yaml(page.text)
    short = page.path.rpartition("/")[2]
    name = root.get("name")
    if name.kind == "scalar":
        page.add(
            "/name",
            f"The CI workflow {page.path} is named `{name.text}`.",
            predicate="ci_name",
            value=name.text,
            span=name.span,
            subject=page.path,
            structured=len(name.text) <= 60,
            topics=("CI", "workflow"),
        )
    _triggers(page, root.get("on"), short)
    for job, node in root.get("jobs").entries.items():
        _job(page, job, node, short)


def _triggers(page: Page, on: Node, short: str) -> None:
    events = {n.text: n for n in on.scalars()} | on.entries
    for event, node in events.items():
        details = _details(node)
        more = f" ({'; '.join(details)})" if details else ""
        page.add(
            f"/on/{event}",
            f"The CI workflow {short} runs on {event}{more}.",
            predicate="ci_trigger",
            value=" ".join((event, *details)),
            span=page.lines_of(node.span) if node.kind != "scalar" else node.span,
            subject=page.path,
            topics=("CI", "workflow", "trigger"),
        )


def _details(event: Node) -> list[str]:
    """What an event is limited to, in the order of the file."""
    details = []
    for key, node in event.entries.items():
        listed = ", ".join(n.text for n in node.scalars() if n.text)
        if listed and key in ("branches", "branches-ignore", "tags", "types", "paths"):
            details.append(f"{key}: {listed}")
    crons = ", ".join(n.get("cron").text for n in event.nodes if n.get("cron").text)
    return [*details, f"cron: {crons}"] if crons else details


def _job(page: Page, job: str, node: Node, short: str) -> None:
    what = f"CI job `{job}` ({short})"
    subject = f"{page.path}: {job}"
    topics = ("CI", *topics_of(job))
    on = node.get("runs-on")
    if on.kind == "scalar":
        page.add(
            f"/jobs/{job}/runs-on",
            f"{what} runs on {on.text}.",
            predicate="ci_runs_on",
            value=on.text,
            span=on.span,
            subject=subject,
            topics=topics,
        )
    called = node.get("uses")
    if called.kind == "scalar":
        page.add(
            f"/jobs/{job}/uses",
            f"{what} calls the workflow `{called.text}`.",
            predicate="ci_job",
            value=called.text,
            span=called.span,
            subject=subject,
            topics=topics,
        )
    _matrix(page, job, node.get("strategy").get("matrix"), what)
    for service, container in node.get("services").entries.items():
        image = container.get("image") if container.kind == "map" else container
        page.add(
            f"/jobs/{job}/services/{service}",
            f"{what} uses the service `{service}` from the image `{image.text}`.",
            predicate="ci_service",
            value=image.text,
            span=image.span,
            subject=subject,
            topics=(*topics, "service", service),
        )
    for step in node.get("steps").nodes:
        _setup(page, job, step, what)
        _run(page, job, step, what)


def _matrix(page: Page, job: str, matrix: Node, what: str) -> None:
    for axis, node in matrix.entries.items():
        values = [n.text for n in node.scalars() if n.text]
        if values and axis not in ("include", "exclude") and node.kind == "list":
            page.add(
                f"/jobs/{job}/strategy/matrix/{axis}",
                f"{what} runs with {axis} {', '.join(values)}.",
                predicate="ci_matrix",
                value=", ".join(values),
                span=node.span,
                subject=f"{page.path}: {job} {axis}",
                topics=("CI", "versions", "matrix", axis, axis.replace("-", " ")),
            )


def _setup(page: Page, job: str, step: Node, what: str) -> None:
    action = _SETUP.match(step.get("uses").text)
    if not action:
        return
    tool = action.group("tool")
    for key in (f"{tool}-version", f"{tool}-version-file", "version", "toolchain"):
        version = step.get("with").get(key)
        if version.text and "${{" not in version.text:
            page.add(
                f"/jobs/{job}/setup/{tool}",
                f"{what} sets up {tool} {version.text} with {action.group('action')}.",
                predicate="ci_sets_up",
                value=version.text,
                span=version.span,
                subject=f"{page.path}: {job} {tool}",
                topics=("CI", "version", f"{tool} version"),
            )


def _run(page: Page, job: str, step: Node, what: str) -> None:
    run, name = step.get("run"), step.get("name").text
    steps = shell_steps(run.text)
    if not steps:
        return
    label = _ODD.sub("-", name or " ".join(steps[0].split()[:3])).strip("-")
    folder = step.get("working-directory").text
    where = f" in {folder}" if folder else ""
    risky = uses_of(f"{job} {name}", run.text) == INFORM_USES
    page.add(
        f"/jobs/{job}/steps/{label}/run",
        f"{what} runs {spoken(steps)}{where}.",
        predicate="ci_runs",
        value=collapse(" ".join(steps)),
        span=run.span,
        subject=f"{page.path}: {job}",
        uses=INFORM_USES if risky else FACT_USES,
        topics=("CI", *topics_of(name, steps[0])),
        steps=steps,
    )
