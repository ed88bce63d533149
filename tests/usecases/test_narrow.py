"""Fewer may see a claim, and with it all that was made from it: in every answer, at every time, in every store."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from muniment import Memory
from muniment.core.access import within
from muniment.core.diff import DECLASSIFICATION
from muniment.core.errors import Conflicted, InvalidInput, NotFound, Refusal
from muniment.core.policy import Policy
from muniment.store.sqlite import SqliteStore
from muniment.usecases import declare as declaring
from muniment.usecases.declare import declare
from muniment.usecases.doctor import diagnose
from muniment.usecases.erase import erase
from muniment.usecases.narrow import narrow
from muniment.usecases.review import Choice
from muniment.wiring import count_tokens
from tests.usecases.test_past import collected, hop
from tests.usecases.world import (
    BOARD,
    HERE,
    NOON,
    PEOPLE,
    TEAM,
    World,
    _drawn,
    add,
    deprecate,
    derived,
    fact,
    flag,
    private,
    revalidate,
    signer_of,
    supersede,
    uses_tool,
)

ANA, BOB, DAN = "user:ana", "user:bob", "user:dan"
NARROW = BOARD


@pytest.fixture(params=["memory", "sqlite", "postgres"])
def everywhere(request, tmp_path):
    """A world on each store."""
    if request.param == "memory":
        yield World()
        return
    opened = (
        request.getfixturevalue("postgres").open(entropy=_drawn("world"))
        if request.param == "postgres"
        else SqliteStore.open(tmp_path / "memory.db", entropy=_drawn("world"), create=True)
    )
    yield World(opened)
    opened.close()


def memory(world, name, **more):
    session = replace(world.session(name, **more), counter=count_tokens)
    return Memory(session, {}, world.clock, world.draw)


def narrows(world, claim_id, visibility=NARROW, by=ANA):
    proposed = narrow(world.session("agent:codex"), claim_id, visibility, "it names a customer")
    return world.review(by, proposed, change_01="accepted")


def recalled(world, name, query="what does the shop build with?", **values):
    packet = memory(world, name).recall(query, use="answer_questions", **values).packet
    return {item.claim.id for item in packet.items}


def tools(memory, as_of):
    asked = "?shop uses_package_manager ?tool"
    rows = memory.query(asked, use="answer_questions", as_of=as_of).rows
    return [row.values[-1] for row in rows]


def seen_by(world, claim_id):
    with world.store.snapshot(HERE) as snapshot:
        views = {name: world.session(name).viewing(snapshot) for name in PEOPLE}
        return {name for name, viewing in views.items() if viewing.row(claim_id)}


def is_gone(act, *given):
    with pytest.raises(NotFound) as refused:
        act(*given)
    return str(refused.value)


def doctored(world):
    found = diagnose(world.session(ANA), lambda *_: None)
    assert [a for a in found.accounts if not a.is_good] == []
    assert found.verification.problems == ()


@pytest.mark.req("B-TRAVEL")
def test_who_lost_sight_finds_the_claim_nowhere_and_who_did_not_finds_it_as_it_was(everywhere):
    world = everywhere
    secret, plain = world.accept(uses_tool("npm")), world.accept(fact())
    disputed = world.accept(uses_tool("pnpm"))
    before = {id: world.show(id).claim for id in (secret, plain)}
    mine = memory(world, DAN)
    then = 1  # before anything else was recorded
    assert recalled(world, DAN, "npm", as_of=then) == {secret}
    assert tools(mine, then) == ["npm"]
    certificate = mine.certified_recall("npm", use="answer_questions").certificate
    retrieval = mine.recall("npm", use="answer_questions").retrieval_id
    assert mine.why(retrieval)["selected"] != []
    assert secret in recalled(world, DAN, "npm")
    assert memory(world, DAN).conflicts() != ()
    diffs = {one.change.item.id: one.decided.diff_id for one in memory(world, DAN).decisions()}

    narrows(world, secret)

    for name in (DAN, BOB, "agent:codex"):
        handed = memory(world, name)
        for verb in (handed.show, handed.history, handed.why):
            assert is_gone(verb, secret) == is_gone(verb, "mem_none").replace("mem_none", secret)
        assert is_gone(handed.diff, diffs[secret])
        assert secret not in recalled(world, name, "npm")
        assert secret not in recalled(world, name, "npm", history=True, as_of=then)
        assert secret not in recalled(world, name, secret, as_of=then)
        assert tools(handed, then) == []
        assert secret not in str(handed.export("jsonl", history=True).data)
        assert handed.conflicts() == ()
        told = repr((handed.decisions(), handed.inbox(), handed.survey(), handed.claims([secret])))
        assert secret not in told
    assert is_gone(mine.why, retrieval)
    assert plain in recalled(world, DAN)
    assert memory(world, DAN).show(disputed).status == "active"
    verdict = mine.revalidate(certificate)
    assert (verdict.verdict, dict(verdict.records)[secret]) == ("changed", "not_found")
    shown = world.show(secret).claim
    was = before[secret]
    kept = replace(shown, version=1, visibility=was.visibility, provenance=was.provenance)
    assert kept == was
    assert [v.claim.version for v in memory(world, ANA).history(secret)] == [1, 2]
    assert recalled(world, ANA, "npm") >= {secret}
    doctored(world)
    world.store.rebuild(HERE)
    assert (seen_by(world, secret), recalled(world, DAN, "npm")) == ({ANA}, set())
    assert recalled(world, DAN, "npm", as_of=then) == set()
    doctored(world)


@pytest.mark.req("B-TRAVEL")
def test_what_was_made_from_it_moves_along_near_and_far_seen_or_not(everywhere):
    world = everywhere
    source, other = world.accept(fact()), world.accept(fact("The shop tests on Mondays."))
    near = world.accept(derived("The wrapper must be kept.", source), by=BOB)
    far = world.accept(derived("The wrapper is under review.", near, other), by=BOB)
    beside = world.accept(derived("Mondays are busy.", other), by=BOB)
    assert seen_by(world, far) == {ANA, BOB, DAN, "agent:codex"}
    narrows(world, source)
    assert [seen_by(world, one) for one in (source, near, far)] == [{ANA}] * 3
    assert seen_by(world, other) == seen_by(world, beside) == {ANA, BOB, DAN, "agent:codex"}
    assert world.show(far).claim.provenance.transformations[-1].note == f"{source} was narrowed"
    assert world.show(near).status == "active"
    assert recalled(world, BOB, "wrapper") == set()
    assert recalled(world, ANA, "wrapper") >= {near, far}
    doctored(world)
    world.store.rebuild(HERE)
    assert [seen_by(world, one) for one in (source, near, far)] == [{ANA}] * 3
    assert recalled(world, BOB, "wrapper") == set()


@pytest.mark.req("B-TRAVEL", "E-BLINDWRITE")
def test_what_the_reviewer_does_not_see_moves_along_too_and_is_not_told_of(world):
    source = world.accept(fact(visibility=private(ANA, BOB, DAN, "agent:codex")))
    item = derived("Ana and Dan keep the wrapper.", source, visibility=private(ANA, DAN))
    hidden = world.accept(item, by=ANA)
    outcome = narrows(world, source, private(BOB, DAN, "agent:codex"), by=BOB)
    assert seen_by(world, hidden) == {DAN}
    assert hidden not in repr(outcome)
    narrows(world, source, private(BOB, "agent:codex"), by=BOB)
    assert seen_by(world, hidden) == set()
    doctored(world)


@pytest.mark.req("B-TRAVEL", "B-DIFFREVIEW")
def test_what_a_reviewer_declassified_on_the_record_stays_as_that_reviewer_said(world):
    source = world.accept(fact())
    wide = world.accept(
        derived("The shop builds on the JVM.", source, visibility={"level": "public"}),
        by=BOB,
        declares=DECLASSIFICATION,
    )
    follows = world.accept(
        derived("JVM shops need Java.", wide, visibility={"level": "public"}), by=BOB
    )
    both = world.accept(derived("Gradle needs Java.", wide, source), by=BOB)
    narrows(world, source)
    assert seen_by(world, wide) == seen_by(world, follows) == set(PEOPLE)
    assert seen_by(world, both) == {ANA}
    doctored(world)


@pytest.mark.req("B-TRAVEL")
def test_a_proposal_made_from_it_goes_out_of_sight_and_is_not_accepted_wider(world):
    source = world.accept(fact())
    proposed = world.propose(DAN, add(derived("The wrapper must be kept.", source)))
    about = world.propose("agent:codex", deprecate(source))
    narrows(world, source)
    for one in (proposed, about):
        assert all(is_gone(world.pending, one.diff.id, name) for name in (DAN, BOB, "agent:codex"))
    assert world.inbox(BOB) == ()
    with pytest.raises(Conflicted) as refused:
        world.review(ANA, proposed, change_01="accepted")
    assert {f.code for f in refused.value.findings} == {"wider_than_source"}
    assert world.accepted() == {source}


@pytest.mark.req("B-TRAVEL")
def test_what_is_decided_in_hiding_afterwards_tells_who_lost_sight_nothing(world):
    source = world.accept(fact())
    wrapper = "The wrapper must be kept."
    pending = world.propose("agent:codex", add(derived(wrapper, source)))
    retrieval = memory(world, DAN).recall("gradle", use="answer_questions").retrieval_id
    narrows(world, source)

    def told():
        session = replace(memory(world, DAN).session, clock=lambda: NOON)
        mine = Memory(session, {}, session.clock, world.draw)
        packet = mine.recall("wrapper", use="answer_questions").packet
        answers = [mine.inbox(), mine.decisions(), mine.survey(), packet.as_json()]
        for one in (source, pending.diff.id, retrieval):
            answers += [is_gone(verb, one) for verb in (mine.show, mine.diff, mine.why)]
        return repr(answers)

    def proposed():
        made = world.propose(DAN, add(fact(wrapper)))
        return [finding.code for finding in made.findings]

    once = proposed()

    before = told()
    world.review(ANA, pending, change_01=Choice("rejected", "no"))
    assert told() == before
    assert proposed() == once
    before = told()
    narrower = {**TEAM, "all_of": [["group:board"]]}
    world.propose(ANA, supersede(source, fact("It is Gradle 9.", visibility=narrower)))
    assert told() == before
    erase(world.session(ANA), source, signer_of(ANA))
    assert told() == before
    assert proposed() == once


@pytest.mark.req("B-TRAVEL")
def test_a_diff_that_makes_and_a_later_one_that_narrows_go_together(world):
    source = world.accept(fact())
    narrowing = {
        "id": "change_02", "operation": "revalidate", "declares": "narrowing", "target_id": source,
        "visibility": {**TEAM, "allowed_principals": [ANA, BOB]}, "reason": "fewer need it",
    }  # fmt: skip
    proposed = world.propose(DAN, add(derived("The wrapper stays.", source)), narrowing)
    made = world.review(BOB, proposed, change_01="accepted", change_02="accepted").resulting
    assert [seen_by(world, one) for one in made.values()] == [{ANA, BOB}] * 2
    doctored(world)


@pytest.mark.req("B-TRAVEL")
def test_a_narrowed_claim_is_narrowed_again_checked_again_and_deprecated(world):
    source = world.accept(fact())
    made = world.accept(derived("The wrapper stays.", source), by=BOB)
    narrows(world, source, private(ANA, BOB, "agent:codex"))
    narrows(world, source, private(BOB, "agent:codex"), by=BOB)
    assert seen_by(world, source) == seen_by(world, made) == {BOB, "agent:codex"}
    for change in (revalidate(source), deprecate(made)):
        world.review(BOB, world.propose("agent:codex", change), change_01="accepted")
    assert seen_by(world, source) == seen_by(world, made) == {BOB, "agent:codex"}
    doctored(world)


@pytest.mark.req("B-TRAVEL")
def test_another_process_with_warm_caches_loses_sight_at_once(tmp_path):
    path = tmp_path / "memory.db"
    world = World(SqliteStore.open(path, entropy=_drawn("world"), create=True))
    source = world.accept(fact())
    made = world.accept(derived("The wrapper must be kept.", source), by=BOB)
    other = SqliteStore.open(path, entropy=_drawn("other"), create=False)
    reader = memory(world, DAN)
    reader = Memory(replace(reader.session, store=other), {}, world.clock, world.draw)
    asked = {"use": "answer_questions"}
    assert {i.claim.id for i in reader.recall("wrapper", **asked).packet.items} >= {made}
    narrows(world, source)
    assert reader.recall("wrapper", **asked).packet.items == ()
    assert reader.recall("wrapper", as_of=2, **asked).packet.items == ()
    other.close()
    world.store.close()


@pytest.mark.req("B-TRAVEL")
def test_the_audience_of_what_was_made_shrinks_with_the_groups_of_its_source(world):
    source = world.accept(fact())
    made = world.accept(derived("The wrapper must be kept.", source), by=BOB)
    fewer = declaring.group("group:shop", (ANA, BOB))
    declare(world.session(ANA), (fewer,), signer_of(ANA))
    assert seen_by(world, source) == seen_by(world, made) == {ANA, BOB}


def refused_codes(world, change):
    before = world.revision()
    with pytest.raises(InvalidInput) as refused:
        world.propose("agent:codex", change)
    assert world.revision() == before
    return {finding.code for finding in refused.value.findings}


@pytest.mark.req("B-TRAVEL", "B-DIFFREJECT")
@pytest.mark.parametrize(
    ("parts", "code"),
    [
        ({"visibility": TEAM}, "not_narrower"),
        ({"visibility": {"level": "public"}}, "not_narrower"),
        ({"visibility": private(*sorted(PEOPLE), "group:shop")}, "not_narrower"),
        ({"visibility": {"level": "user-private"}}, "no_principals"),
        ({"visibility": {"level": "odd", "allowed_principals": [ANA]}}, "unknown_visibility_level"),
        ({"visibility": None}, "narrowing_not_whole"),
        ({"declares": "declassification"}, "narrowing_not_whole"),
        ({"declares": ""}, "narrowing_not_whole"),
        ({"operation": "deprecate"}, "not_a_narrowing"),
        ({"target_id": "mem_none"}, "target_missing"),
    ],
)
def test_a_narrowing_that_narrows_nothing_or_everything_is_refused(world, parts, code):
    change = {
        "id": "change_01", "operation": "revalidate", "declares": "narrowing", "reason": "fewer need it",
        "target_id": world.accept(fact()), "visibility": NARROW, **parts,
    }  # fmt: skip
    assert code in refused_codes(world, {k: v for k, v in change.items() if v is not None})


@pytest.mark.req("B-TRAVEL")
def test_a_narrowing_stands_alone_with_its_claim(world):
    source = world.accept(fact())
    other = world.accept(fact("The shop tests on Mondays."))
    change = {
        "id": "change_02", "operation": "revalidate", "declares": "narrowing", "reason": "fewer need it",
        "target_id": source, "visibility": NARROW,
    }  # fmt: skip
    for beside in (deprecate(source), flag(source, other)):
        with pytest.raises(InvalidInput) as refused:
            world.propose("agent:codex", beside, change)
        assert "narrowed_with_more" in {f.code for f in refused.value.findings}


@pytest.mark.req("B-TRAVEL", "E-APPROVER")
def test_nobody_narrows_a_claim_out_of_its_own_sight(world):
    source = world.accept(fact())
    proposed = narrow(world.session("agent:codex"), source, NARROW, "it names a customer")
    before = world.revision()
    with pytest.raises(InvalidInput) as refused:
        world.review(BOB, proposed, change_01="accepted")
    assert {f.code for f in refused.value.findings} == {"narrowed_out_of_sight"}
    assert (world.revision(), seen_by(world, source)) == (before, {ANA, BOB, DAN, "agent:codex"})


@pytest.mark.req("B-TRAVEL", "E-APPROVER")
def test_who_may_decide_on_its_own_proposals_may_narrow_by_itself_and_not_widen(world):
    source = world.accept(fact())
    wanted = Policy("own", world.session(ANA).scopes[0], may_review_own=(ANA,))
    signed = declaring.policy(world.session(ANA), wanted, signer_of(ANA))
    declare(world.session(ANA), (signed,), signer_of(ANA))
    mine = narrow(world.session(ANA), source, NARROW, "it names a customer")
    world.review(ANA, mine, change_01="accepted")
    assert seen_by(world, source) == {ANA}
    item = derived("The shop builds on the JVM.", source, visibility={"level": "public"})
    wide = world.propose(ANA, add(item, declares=DECLASSIFICATION))
    with pytest.raises(InvalidInput):
        world.review(ANA, wide, change_01="accepted")


# --- after any sequence ---------------------------------------------------------------------------

WIDE = (("group:shop",), (ANA, BOB, DAN), (ANA, BOB))
FEWER = ((ANA, BOB), (ANA,), (BOB, DAN), ("group:board", BOB), ("group:shop",))
SOME = st.lists(st.integers(0, 5), min_size=1, max_size=2)
DERIVED = st.tuples(st.sampled_from(["derive", "derive", "late", "declassify"]), SOME)
NARROWED = st.tuples(st.just("narrow"), st.sampled_from(FEWER), st.integers(0, 5))
CHAIN = (("derive", [0]), ("derive", [1]), ("late", [1]))
STEPS = st.tuples(
    st.sampled_from(WIDE),
    st.lists(
        st.one_of(
            st.tuples(st.just("add"), st.sampled_from(WIDE)),
            DERIVED,
            DERIVED,
            NARROWED,
            NARROWED,
            st.tuples(st.just("group"), st.sampled_from(FEWER)),
            st.tuples(st.just("decide"), st.integers(0, 3)),
        ),
        min_size=2,
        max_size=10,
    ),
).map(lambda drawn: [("add", drawn[0]), *CHAIN, *drawn[1]])


class Play:
    """Derivations and narrowings in any order; whoever can decides."""

    def __init__(self, world):
        self.world, self.made, self.sources, self.declassified = world, [], {}, set()
        self.waiting = []

    def decided(self, proposed):
        for name in (BOB, ANA):
            try:
                return self.world.review(name, proposed, change_01="accepted").resulting
            except Refusal:
                continue
        return {}

    def picked(self, numbers):
        return sorted({self.made[n % len(self.made)] for n in numbers}) if self.made else []

    def offered(self, numbers=(), who=(), declares=""):
        """A proposal by whoever can make it; what is derived asks for everybody, and gets what its sources have."""
        ids, text = self.picked(numbers), f"Note number {len(self.made)} {len(self.waiting)}."
        item = derived(text, *ids, visibility={"level": "public"}) if ids else None
        item = item or fact(text, visibility=private(*who))
        for name in (ANA, BOB, DAN, "agent:codex"):
            try:
                return self.world.propose(name, add(item, declares=declares)), ids, bool(declares)
            except Refusal:
                continue
        return None

    def kept(self, offered):
        if offered is not None:
            proposed, ids, declared = offered
            for id in self.decided(proposed).values():
                self.made.append(id)
                self.sources[id] = ids
                self.declassified |= {id} if declared else set()

    def step(self, name, *given):
        if name == "add":
            self.kept(self.offered(who=given[0]))
        elif name in ("derive", "declassify") and self.made:
            self.kept(self.offered(*given, declares=DECLASSIFICATION * (name == "declassify")))
        elif name == "late" and self.made:
            self.waiting.append(self.offered(*given))
        elif name == "decide" and self.waiting:
            self.kept(self.waiting.pop(given[0] % len(self.waiting)))
        elif name == "group":
            members = declaring.group("group:shop", tuple(n for n in given[0] if n != "group:shop"))
            declare(self.world.session(ANA), (members,), signer_of(ANA))
        elif name == "narrow" and self.made:
            self.narrowed(*given)

    def narrowed(self, who, number):
        (target,) = self.picked([number])
        for proposer in (ANA, BOB, DAN, "agent:codex"):
            try:
                proposed = narrow(self.world.session(proposer), target, private(*who), "fewer")
            except Refusal:
                continue
            self.decided(proposed)
            return

    def check(self):
        with self.world.store.snapshot(HERE) as snapshot:
            audiences = {cls.id: cls.audience for cls in snapshot.classes()}
            rows = {id: snapshot.row(id) for id in self.made}
        seen = {id: seen_by(self.world, id) for id in self.made}
        for id, sources in self.sources.items():
            for source in sources if id not in self.declassified else ():
                assert within(audiences[rows[id].cls], audiences[rows[source].cls])
                assert seen[id] <= seen[source]
        return seen

    def check_recalls(self):
        """What the index hands over is what may be seen."""
        seen = self.check()
        for name in PEOPLE:
            found = recalled(self.world, name, "which note has which number?", k=50)
            for id in self.made:
                if name not in seen[id]:
                    assert id not in found
        return seen


@pytest.mark.req("B-TRAVEL")
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(STEPS)
def test_after_any_sequence_what_was_made_is_seen_by_no_more_than_its_sources(steps):
    play = Play(World())
    for step in steps:
        play.step(*step)
        play.check()
    before = play.check_recalls()
    play.world.store.rebuild(HERE)
    assert play.check_recalls() == before
    doctored(play.world)


@pytest.mark.req("B-TRAVEL")
def test_a_past_that_comes_back_elsewhere_keeps_what_was_narrowed_out_of_sight(world):
    source = world.accept(fact())
    made = world.accept(derived("The wrapper must be kept.", source), by=BOB)
    pending = world.propose("agent:codex", add(derived("The wrapper is odd.", source)))
    world.review(BOB, pending, change_01=Choice("rejected", "it is not"))
    diffs = {one.decided.diff_id for one in memory(world, DAN).decisions()}
    assert len(diffs) == 3
    narrows(world, source)
    after = hop(world)
    doctored(after)
    assert seen_by(after, source) == seen_by(after, made) == {ANA}
    assert [v.claim.version for v in memory(after, ANA).history(made)] == [1, 2]
    assert any(memory(after, ANA).why(one)["states"] for one in diffs)
    for name in (DAN, BOB):
        told = memory(after, name)
        for one in (*diffs, source, made):
            is_gone(told.why, one)
        assert "rapper" not in repr((told.decisions(), told.inbox()))
        assert recalled(after, name, "wrapper", history=True) == set()
        assert recalled(after, name, "wrapper", history=True, as_of=2) == set()
    outside = collected(world, readers=(("group:shop",),))
    assert "rapper" not in repr(outside)
