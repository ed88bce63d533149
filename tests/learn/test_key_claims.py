"""What someone would ask about each repository, and the statement that answers."""

from __future__ import annotations

import pytest

SHOP = {
    "pyproject.toml#/project/requires-python": "This repository requires Python >=3.11.",
    "pyproject.toml#/project/dependencies/uvicorn": "This repository depends on `uvicorn[standard]>=0.29`.",
    "pyproject.toml#/project/scripts/shop": "The command `shop` runs `acme_shop.cli:main`.",
    "pyproject.toml#/dependency-groups/dev/pytest": (
        "This repository needs `pytest>=8` for its dependency group `dev`."
    ),
    "pyproject.toml#/tool/ruff/line-length": "Ruff enforces a line length of 96.",
    "pyproject.toml#/tool/mypy/strict": "Mypy strict mode is set to true.",
    "pyproject.toml#/tool/pytest/ini_options/testpaths/contracts~1tests": (
        "Pytest finds tests in `contracts/tests`."
    ),
    "pyproject.toml#/tool/hatch/envs/default/scripts/cov": (
        "`hatch run cov` runs `pytest --cov=acme_shop`, then `coverage html`."
    ),
    "uv.lock#manager": "This repository uses uv to install its Python dependencies, as uv.lock shows.",
    ".python-version#version": (
        "This repository pins Python 3.12.4 for development in .python-version."
    ),
    "Makefile#target/test": "`make test` runs `$(VENV)/bin/pytest -q`.",
    "Makefile#target/test/needs": "`make test` first makes `install`.",
    "Makefile#target/lint": (
        "`make lint` runs `$(VENV)/bin/ruff check $(SRC)`, then `$(VENV)/bin/mypy --strict src`."
    ),
    "Makefile#default": "`make` without a target makes `help`.",
    "AGENTS.md#never-edit-files": (
        "Never edit files under `vendor/`; they are copied from upstream."
    ),
    "AGENTS.md#Setup/install-everything-into": (
        "Install everything into a virtual environment: `make install`, "
        "then `cp .env.example .env`."
    ),
    "AGENTS.md#Testing/start-docker-compose": (
        "Database tests need Docker: start it with `docker compose up -d db`"
    ),
    "AGENTS.md#Style/4-spaces": "Style: 4 spaces",
    "AGENTS.md#Releasing/tag-commit-vx": "Releasing, step 2: Tag the commit `vX.Y.Z`.",
    "CLAUDE.md#@AGENTS.md": "CLAUDE.md includes the instructions of AGENTS.md.",
    "README.md#Installation/code-pip-install": (
        "README.md documents under `Installation`: `pip install acme-shop`."
    ),
    ".github/CODEOWNERS#/docs/": "Files matching `/docs/` are owned by @acme/writers and @zoë.",
    ".github/CODEOWNERS#/vendor/": "Files matching `/vendor/` have no owner.",
    ".github/workflows/ci.yml#/jobs/test/strategy/matrix/python-version": (
        "CI job `test` (ci.yml) runs with python-version 3.11, 3.12, 3.13."
    ),
    ".github/workflows/ci.yml#/jobs/test/steps/Unit-tests/run": (
        "CI job `test` (ci.yml) runs `pytest -q --maxfail=1`, then `coverage report`."
    ),
    ".github/workflows/ci.yml#/jobs/lint/setup/python": (
        "CI job `lint` (ci.yml) sets up python 3.10 with actions/setup-python."
    ),
    ".github/workflows/ci.yml#/on/push": (
        "The CI workflow ci.yml runs on push (branches: main, release/*)."
    ),
    "docs/adr/0004-use-postgresql.md#Decision/will-use-postgresql": (
        "Decision 0004 (Use PostgreSQL): We will use PostgreSQL 16 for orders and stock."
    ),
    "docs/adr/0003-use-mysql.md#status": (
        "Decision 0003 (Use MySQL) has the status: Superseded by 4. Use PostgreSQL, "
        "so it is not current."
    ),
    "Dockerfile#from": "The container image of Dockerfile is built on `python:3.12-slim`.",
    ".pre-commit-config.yaml#/repos/local/no-float-money": (
        "Pre-commit runs the hook `no-float-money` from this repository."
    ),
}

STOREFRONT = {
    "package.json#/packageManager": "This repository uses the package manager pnpm 9.1.4.",
    "package.json#/engines/node": "This repository requires Node.js >=20.11 <23.",
    "package.json#/scripts/test": "`pnpm run test` runs `vitest run --coverage`.",
    "package.json#/scripts/lint": (
        '`pnpm run lint` runs `eslint . && prettier --check "**/*.ts"`.'
    ),
    "packages/web/package.json#/scripts/build": (
        "In packages/web, the package.json script `build` runs `vite build`."
    ),
    "packages/web/package.json#/dependencies/react": (
        "The package `web` (packages/web) depends on `react` ^18.3.1."
    ),
    "pnpm-workspace.yaml#/packages/apps~1*": "The pnpm workspace includes the packages in `apps/*`.",
    "pnpm-lock.yaml#version": "The lock file pnpm-lock.yaml is of pnpm format version 9.0.",
    "AGENTS.md#always-use-pnpm": "Always use pnpm; npm and yarn break the workspace.",
    "AGENTS.md#Commands/run-pnpm-test": "Before you commit: Run `pnpm test`.",
    "AGENTS.md#Conventions/add-changeset-pnpm": (
        "Add a changeset with `pnpm changeset` to every pull request."
    ),
    "packages/web/AGENTS.md#Testing/start-end-end": (
        "In packages/web: Start the end-to-end tests like this: `pnpm --filter web e2e`."
    ),
    ".cursor/rules/components.mdc#export-one-component": (
        "For files matching `*.tsx` or `packages/ui/**`: Export one component a file."
    ),
    ".cursor/rules/always.mdc#answer-english": "Answer in English.",
    ".github/instructions/tests.instructions.md#use-vi-usefaketimers": (
        "For files matching `**/*.test.ts`: Use `vi.useFakeTimers()` instead of waiting."
    ),
    "CODEOWNERS#packages/ui/": "Files matching `packages/ui/` are owned by @acme/design-systems.",
    ".nvmrc#version": "This repository pins Node.js 20.11.1 for development in .nvmrc.",
    "docs/decisions/0002-drop-storybook.md#status": (
        "Decision 0002 (Drop Storybook) has the status: proposed, so it is not current."
    ),
}

PAYMENTS = {
    "go.mod#/module": "This repository is the Go module `github.com/acme/payments`.",
    "go.mod#/go": "This repository requires Go 1.22.3.",
    "go.mod#/require/github.com/google/uuid": (
        "This repository depends on the Go module `github.com/google/uuid` v1.6.0."
    ),
    "justfile#recipe/test": "`just test` (with *args) runs `go test -race ./... {{args}}`.",
    "justfile#recipe/build": (
        "`just build` runs `CGO_ENABLED=0 GOOS=linux go build -o bin/payments ./cmd/payments`."
    ),
    "Makefile#target/proto": "`make proto` runs `protoc --go_out=. proto/payments.proto`.",
    ".gitlab-ci.yml#/stages": "The GitLab pipeline has the stages lint, test, deploy.",
    ".gitlab-ci.yml#/unit/script": (
        "GitLab job `unit` (stage test) runs `go vet ./...`, then `go test -race ./...`."
    ),
    ".gitlab-ci.yml#/unit/services/redis:7": "GitLab job `unit` uses the service `redis:7`.",
    "CODEOWNERS#/proto/": "Files matching `/proto/` are owned by @acme/platform and @søren.",
    "GEMINI.md#Payments/Domain/refund-never-larger": "A refund is never larger than its capture.",
    "adr/0001-idempotency-keys.md#Decision/keys-kept-24": (
        "Decision 0001 (Idempotency keys): Keys are kept for 24 hours."
    ),
    "tools/ledger/Cargo.toml#/package/rust-version": (
        "The package `ledger-check` (tools/ledger) requires Rust 1.74 or newer."
    ),
    "rust-toolchain.toml#/toolchain/channel": (
        "This repository pins Rust 1.78.0 for development in rust-toolchain.toml."
    ),
    "Dockerfile#from": (
        "The container image of Dockerfile is built on `gcr.io/distroless/static:nonroot`."
    ),
}


@pytest.mark.parametrize(("slot", "claim"), SHOP.items())
def test_the_python_repository_states(shop, slot, claim):
    assert shop.claims.get(slot) == claim


@pytest.mark.parametrize(("slot", "claim"), STOREFRONT.items())
def test_the_node_repository_states(storefront, slot, claim):
    assert storefront.claims.get(slot) == claim


@pytest.mark.parametrize(("slot", "claim"), PAYMENTS.items())
def test_the_go_repository_states(payments, slot, claim):
    assert payments.claims.get(slot) == claim


def test_decisions_that_do_not_hold_are_not_stated_as_current(shop, storefront, payments):
    decided = {
        s
        for r in (shop, storefront, payments)
        for s in r.claims
        if "/decisions/" in s or "adr/" in s
    }
    for ended in ("0003-use-mysql", "0002-drop-storybook", "0002-grpc"):
        assert {s.partition("#")[2] for s in decided if ended in s} <= {"status", "date"}


def test_a_long_statement_is_whole(storefront):
    claim = storefront.claims["AGENTS.md#Conventions/statement-that-much"]
    assert len(claim) > 400
    assert claim.endswith("open an issue before you touch it.")


def test_what_is_commented_out_in_a_table_or_only_a_link_is_no_statement(shop, storefront):
    claims = " ".join((*shop.claims.values(), *storefront.claims.values()))
    assert "commented out" not in claims
    assert "src/acme_shop/api" not in claims
    assert "Wiki" not in claims


def test_a_readme_is_not_read_as_instructions(shop):
    assert not any("Fridays" in claim for claim in shop.claims.values())


def test_no_claim_is_made_for_each_locked_package(shop):
    assert {s for s in shop.claims if s.startswith("uv.lock")} == {
        "uv.lock#manager",
        "uv.lock#version",
    }


def test_the_test_target_is_found_by_words_and_may_be_chosen_as_a_test_command(shop):
    test = shop.slot("Makefile#target/test")
    assert {"run", "tests", "test command"} <= set(test.topics)
    assert "choose_test_commands" in test.uses


@pytest.mark.parametrize(
    "slot",
    ["Makefile#target/release", ".github/workflows/release.yml#/jobs/publish/steps/Publish/run"],
)
def test_a_release_is_described_but_never_offered_as_a_command(shop, slot):
    assert shop.slot(slot).uses == ("answer_questions", "prepare_context")


def test_known_issues_and_domain_rules_are_told_apart(shop, payments):
    assert shop.slot("AGENTS.md#Known issues/re-run-them").claim_type == "known_failure_mode"
    assert payments.slot("GEMINI.md#Payments/Domain/capture-can-only").claim_type == "domain_rule"
