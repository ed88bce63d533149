"""Two people, two stores, two clones of one repository: what one accepts reaches the other, through both reviews."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from muniment.core.errors import Conflicted
from tests.usecases.synced import Person


@pytest.fixture
def pair(tmp_path):
    """Ada's and Bob's clones of one bare repository."""
    ada = Person("user:ada", tmp_path / "ada.db", tmp_path / "ada" / "memory").open()
    bob = Person("user:bob", tmp_path / "bob.db", tmp_path / "bob" / "memory").open()
    ada.folder.parent.mkdir()
    ada.git("init", "-q", "-b", "main")
    ada.git("init", "-q", "--bare", "-b", "main", str(tmp_path / "origin.git"))
    ada.git("remote", "add", "origin", str(tmp_path / "origin.git"))
    bob.folder.parent.mkdir()
    bob.git("clone", "-q", str(tmp_path / "origin.git"), ".")
    yield ada, bob
    ada.close()
    bob.close()


def commit(person, message):
    """Commit the folder; whether anything was new."""
    person.git("add", "-A")
    if not person.git("status", "--porcelain"):
        return False
    person.git("commit", "-q", "-m", message)
    return True


def push(person, branch="main"):
    person.git("push", "-q", "origin", branch)


def pull(person):
    person.git("pull", "-q", "--no-rebase", "--no-edit", "origin", "main")


def settled(person):
    """Sync, accept what it proposes, sync again; what the second sync came to."""
    person.sync()
    person.accept_all()
    return person.sync()


def test_a_team_reviews_memory_in_pull_requests(pair):
    ada, bob = pair
    # Ada's accepted memory becomes files, and goes to the team.
    ada.remember("Use pnpm for packages.", tags=["build"])
    ada.remember("Deploys happen on Tuesdays.")
    ada.sync()
    commit(ada, "Write down what we know")
    push(ada)
    # Bob's empty store takes it in as proposals; nothing holds before he reviews it, and no file of the team changes.
    pull(bob)
    assert [p.operation for p in bob.sync().proposed] == ["add", "add"]
    assert bob.claims() == set()
    bob.accept_all()
    assert bob.sync().agreed == 2
    assert not commit(bob, "nothing")
    # A pull request edits a concept, and is merged.
    bob.git("checkout", "-q", "-b", "npm")
    bob.edit("Use pnpm for packages.\n", "Use npm for packages.\n")
    commit(bob, "We moved to npm")
    bob.git("checkout", "-q", "main")
    bob.git("merge", "-q", "--no-ff", "--no-edit", "npm")
    push(bob)
    # Ada pulls, syncs, reviews, syncs: her store follows, and the file is whole again.
    pull(ada)
    assert [p.operation for p in ada.sync().proposed] == ["supersede"]
    assert "Use pnpm for packages." in ada.claims()
    ada.accept_all()
    assert len(ada.sync().written) == 1
    assert commit(ada, "Accept npm")
    push(ada)
    # The other side syncs, and from then on nothing moves on either side.
    pull(bob)
    assert [p.operation for p in bob.sync().proposed] == ["supersede"]
    bob.accept_all()
    bob.sync()
    wanted = {"Use npm for packages.", "Deploys happen on Tuesdays."}
    assert (ada.claims(), bob.claims()) == (wanted, wanted)
    for person in pair:
        assert person.sync().is_settled
        assert not commit(person, "nothing")


def test_what_one_store_changes_and_ends_reaches_the_other(pair):
    ada, bob = pair
    old, other = ada.remember("Use pnpm for packages."), ada.remember("Deploys happen on Tuesdays.")
    ada.sync()
    commit(ada, "first")
    push(ada)
    pull(bob)
    settled(bob)
    new = ada.supersede(old, "Use npm for packages.")
    ada.deprecate(other)
    ada.sync()
    ada.supersede(new, "Use bun for packages.")
    ada.sync()
    commit(ada, "second")
    push(ada)
    pull(bob)
    assert {p.operation for p in bob.sync().proposed} == {"supersede", "deprecate"}
    bob.accept_all()
    assert bob.sync().is_settled
    assert bob.claims() == {"Use bun for packages."}
    assert not commit(bob, "nothing")
    ada.remember("Lint with ruff.")
    assert (
        ada.sync().removed == ()
    )  # what Bob ended is not brought back, and nothing of Ada's is lost
    assert ada.claims() == {"Use bun for packages.", "Lint with ruff."}


def test_two_who_change_one_concept_get_a_conflict_and_lose_nothing(pair):
    ada, bob = pair
    ada.remember("Use pnpm for packages.")
    ada.sync()
    commit(ada, "first")
    push(ada)
    pull(bob)
    settled(bob)
    (mine,) = bob.ids()
    bob.supersede(mine, "Use yarn for packages.")  # accepted, and not synced yet
    ada.supersede(ada.ids()[0], "Use npm for packages.")
    ada.sync()
    commit(ada, "npm")
    push(ada)
    pull(bob)
    before = bob.files()
    (clash,) = bob.sync().clashes
    assert (clash.theirs.claim, clash.ours.claim) == (
        "Use npm for packages.",
        "Use yarn for packages.",
    )
    assert bob.files() == before
    assert bob.claims() == {"Use yarn for packages."}
    bob.sync(theirs=[clash.file])
    bob.accept_all()
    assert bob.sync().is_settled
    assert (bob.claims(), ada.claims()) == ({"Use npm for packages."},) * 2


def test_a_store_that_is_behind_never_writes_over_a_newer_file(pair):
    ada, bob = pair
    ada.remember("Use tool 0.")
    ada.sync()
    commit(ada, "0")
    push(ada)
    pull(bob)
    settled(bob)
    for n in (1, 2, 3):
        ada.supersede(ada.ids()[0], f"Use tool {n}.")
        ada.sync()
    commit(ada, "3")
    push(ada)
    pull(bob)
    before = bob.files()
    found = bob.sync()
    assert ([p.claim for p in found.proposed], found.written) == (["Use tool 3."], ())
    assert bob.files() == before


def test_a_change_back_in_one_store_is_a_change_for_the_other(pair):
    ada, bob = pair
    ada.remember("Use tool 0.")
    ada.sync()
    for text in ("Use tool 1.", "Use tool 0."):
        ada.supersede(ada.ids()[0], text)
        assert len(ada.sync().written) == 1
        commit(ada, text)
    push(ada)
    pull(bob)
    settled(bob)
    assert bob.claims() == {"Use tool 0."}


# --- any order of things ---------------------------------------------------------------------------------

TEXTS = st.integers(0, 5).map(lambda n: f"Use tool {n} for packages.")


class Together(RuleBasedStateMachine):
    """One folder that both stores sync, edits by hand, and decisions, in any order."""

    folder: object = None

    def __init__(self):
        super().__init__()
        import tempfile
        from pathlib import Path

        self.place = tempfile.TemporaryDirectory()
        root = Path(self.place.name)
        names = ("user:ada", "user:bob")
        self.people = [
            Person(n, root / f"{n[5:]}.db", root / "clone" / "memory").open() for n in names
        ]
        self.by_hand: dict[str, bytes] = {}
        self.folder = self.people[0].folder

    def teardown(self):
        for person in self.people:
            person.close()
        self.place.cleanup()

    def concepts(self):
        return sorted(self.folder.rglob("*.md")) if self.folder.exists() else []

    @rule(who=st.integers(0, 1), text=TEXTS)
    def somebody_accepts_a_claim(self, who, text):
        if text not in self.people[who].claims():
            self.people[who].remember(text)

    @rule(who=st.integers(0, 1), text=TEXTS)
    def somebody_accepts_a_successor(self, who, text):
        for one in self.people[who].ids()[:1]:
            self.people[who].supersede(one, text)

    @rule(who=st.integers(0, 1))
    def somebody_ends_a_claim(self, who):
        for one in self.people[who].ids()[-1:]:
            self.people[who].deprecate(one)

    @precondition(lambda self: self.concepts())
    @rule(n=st.integers(0, 9), text=TEXTS)
    def somebody_edits_a_file(self, n, text):
        path = self.concepts()[n % len(self.concepts())]
        head, mark, _ = path.read_text().rpartition("---\n")
        path.write_text(f"{head}{mark}\n{text}\n")
        self.by_hand[path.name] = path.read_bytes()

    @precondition(lambda self: self.concepts())
    @rule(n=st.integers(0, 9))
    def somebody_removes_a_file(self, n):
        path = self.concepts()[n % len(self.concepts())]
        path.unlink()
        self.by_hand.pop(path.name, None)

    @rule(who=st.integers(0, 1))
    def somebody_reviews(self, who):
        """What was proposed about a claim that ended meanwhile is refused when it is accepted, and stays waiting."""
        with suppress(Conflicted):
            self.people[who].accept_all()

    @rule(who=st.integers(0, 1))
    def somebody_syncs_and_a_second_time_nothing_changes(self, who):
        person = self.people[who]
        known = person.claims_ever()
        person.sync()
        for path in self.concepts():
            by_hand = self.by_hand.pop(path.name, None)
            if (
                by_hand is not None and path.read_bytes() != by_hand
            ):  # it was written over: its words are not lost
                text = by_hand.decode().rpartition("---\n")[2].strip()
                assert text in known, (path.name, text)
            elif by_hand is not None:
                self.by_hand[path.name] = by_hand
        before = (person.files(), person.head())
        again = person.sync()
        assert again.is_settled
        assert (person.files(), person.head()) == before

    @invariant()
    def no_file_is_half_written(self):
        assert not [p for p in self.concepts() if p.name.startswith(".muniment-")]


TestTogether = Together.TestCase
TestTogether.settings = settings(
    max_examples=12,
    stateful_step_count=14,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
