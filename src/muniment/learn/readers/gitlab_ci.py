"""GitLab pipelines: stages, jobs, images, services and commands.

- Every mapping at the top that is not a keyword and does not start with a dot is a job.
- What `include` and `extends` bring in from elsewhere is not followed.
"""

from __future__ import annotations

from muniment.learn.commands import shell_steps, spoken, topics_of, uses_of
from muniment.learn.page import Page
from muniment.learn.uses import FACT_USES, INFORM_USES
from muniment.learn.yaml_text import Node, parse_yaml

_KEYWORDS = frozenset(
    {
        "after_script",
        "before_script",
        "cache",
        "default",
        "image",
        "include",
        "services",
        "spec",
        "stages",
        "variables",
        "workflow",
    }
)


def matches(path: str) -> bool:
    """The pipeline at the root, and files under .gitlab/ci."""
    return path == ".gitlab-ci.yml" or (path.startswith(".gitlab/ci/") and path.endswith(".yml"))


def read(page: Page) -> None:
    """Read one pipeline."""
    root = parse_yaml(page.text)
    stages = root.get("stages")
    names = [n.text for n in stages.scalars()]
    if names:
        page.add(
            "/stages",
            f"The GitLab pipeline has the stages {', '.join(names)}.",
            predicate="ci_stages",
            value=", ".join(names),
            span=stages.span,
            subject=page.path,
            topics=("CI", "pipeline", "stages"),
        )
    _image(page, "", root.get("image"), "the GitLab pipeline")
    for job, node in root.entries.items():
        if node.kind == "map" and job not in _KEYWORDS and not job.startswith("."):
            _job(page, job, node)


def _image(page: Page, job: str, node: Node, what: str) -> None:
    image = node.get("name") if node.kind == "map" else node
    if image.kind == "scalar":
        page.add(
            f"/{job}/image" if job else "/image",
            f"{what} runs in the image `{image.text}`.",
            predicate="ci_runs_on",
            value=image.text,
            span=image.span,
            subject=f"{page.path}: {job}" if job else page.path,
            topics=("CI", "image"),
        )


def _job(page: Page, job: str, node: Node) -> None:
    what = f"GitLab job `{job}`"
    subject = f"{page.path}: {job}"
    _image(page, job, node.get("image"), what)
    for service in node.get("services").nodes:
        image = service.get("name") if service.kind == "map" else service
        page.add(
            f"/{job}/services/{image.text}",
            f"{what} uses the service `{image.text}`.",
            predicate="ci_service",
            value=image.text,
            span=image.span,
            subject=subject,
            topics=("CI", "service"),
        )
    script = node.get("script")
    steps = tuple(step for n in script.scalars() for step in shell_steps(n.text))
    if steps:
        command = " ".join(steps)
        stage = node.get("stage").text
        risky = uses_of(f"{job} {stage}", command) == INFORM_USES
        page.add(
            f"/{job}/script",
            f"{what}{f' (stage {stage})' if stage else ''} runs {spoken(steps)}.",
            predicate="ci_runs",
            value=command,
            span=script.span,
            subject=subject,
            uses=INFORM_USES if risky else FACT_USES,
            topics=("CI", *topics_of(job, steps[0])),
            steps=steps,
        )
