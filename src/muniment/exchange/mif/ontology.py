"""Ontology packs: types, traits, relationships and discovery, composed and enforced (MIF section 10.8).

- Packs are loaded base, then user, then project; a later one extends or overrides an earlier one's definitions.
- A trait inherits from traits. One field reached over several paths to one ancestor is one field; a child's own field
  wins over an inherited one, and an entity type's own over its traits'. Two independent definitions of one field are an
  error that names both.
- `subtype_of` names declared types, has no cycle, and a subtype requires what each parent requires.

>>> pack = {"traits": {"a": {"fields": {"s": {"type": "string"}}}, "b": {"fields": {"s": {"type": "number"}}}},
...     "entity_types": [{"name": "t", "base": "semantic", "traits": ["a", "b"]}]}
>>> [fault.message for fault in compose([("p.yaml", pack)]).faults]
['the field `s` of `t` is defined by the trait `a` and, independently, by the trait `b`']
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from muniment.core.errors import Severity, quoted
from muniment.exchange.mif.schema import ontology_problems

BASE: Mapping[str, Any] = {
    "ontology": {"id": "mif-base", "version": "1.0.0"},
    "namespaces": {
        f"_{kind}": {"type_hint": kind} for kind in ("semantic", "episodic", "procedural")
    },
}


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong with a pack."""

    file: str
    pointer: str
    code: str
    message: str
    fix: str
    severity: Severity = "error"


@dataclass(frozen=True, slots=True)
class EntityType:
    """A composed entity type: its own fields and those of its traits.

    Attributes:
        name: Kebab case.
        base: The concept type that it stands on.
        fields: Field to its declaration.
        required: Fields that an instance has.
        parents: Types that it specialises.
        needs: MIF fields that its traits require of the concept.
    """

    name: str
    base: str
    fields: Mapping[str, Mapping[str, Any]]
    required: tuple[str, ...] = ()
    parents: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()


@dataclass(frozen=True)
class Ontology:
    """Composed packs.

    Attributes:
        types: Entity types by name.
        namespaces: Declared namespace paths to the type they hint at (empty for none).
        relationships: Relationship types by name.
        patterns: Discovery patterns.
        ids: Pack id to its version.
        faults: What is wrong with the packs.
    """

    types: Mapping[str, EntityType] = field(default_factory=dict)
    namespaces: Mapping[str, str] = field(default_factory=dict)
    relationships: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    patterns: tuple[Mapping[str, Any], ...] = ()
    ids: Mapping[str, str] = field(default_factory=dict)
    faults: tuple[Fault, ...] = ()

    def is_a(self, name: str, wanted: str) -> bool:
        """Whether a type is another, or specialises it."""
        seen: set[str] = set()
        waiting = [name]
        while waiting:
            one = waiting.pop()
            if one == wanted:
                return True
            if one not in seen and one in self.types:
                seen.add(one)
                waiting.extend(self.types[one].parents)
        return False


def compose(packs: Sequence[tuple[str, Any]]) -> Ontology:
    """Compose packs in load order, the built-in base before them; never raises.

    Args:
        packs: File and value of each.
    """
    faults: list[Fault] = []
    sound: list[tuple[str, Mapping[str, Any]]] = [("", BASE)]
    for file, pack in packs:
        problems = ontology_problems(pack)
        faults += [Fault(file, p.pointer, p.keyword, p.message, p.fix) for p in problems]
        if not problems:
            sound.append((file, pack))
    traits: dict[str, tuple[str, Mapping[str, Any]]] = {}
    declared: dict[str, tuple[str, str, Mapping[str, Any]]] = {}
    relationships: dict[str, Mapping[str, Any]] = {}
    namespaces: dict[str, str] = {}
    patterns: list[Mapping[str, Any]] = []
    for file, pack in sound:
        traits |= {name: (file, trait) for name, trait in pack.get("traits", {}).items()}
        for number, one in enumerate(pack.get("entity_types", [])):
            declared[one["name"]] = (file, f"/entity_types/{number}", one)
        relationships |= pack.get("relationships", {})
        namespaces |= dict(_paths(pack.get("namespaces", {}), "", ""))
        discovery = pack.get("discovery", {})
        if discovery.get("enabled", False):
            patterns += _patterns(discovery)
    ids = {
        pack["ontology"]["id"]: pack["ontology"]["version"]
        for _, pack in sound
        if "ontology" in pack
    }
    extended = {
        name for _, pack in sound for name in pack.get("ontology", {}).get("extends", [])
    } - set(ids)
    inherited = _Traits(traits)
    types = {
        name: _entity_type(*one, inherited, bool(extended), faults)
        for name, one in declared.items()
    }
    faults += _clash_faults(inherited)
    faults += _subtype_faults(declared, types, bool(extended))
    return Ontology(types, namespaces, relationships, tuple(patterns), ids, tuple(faults))


def _paths(given: Mapping[str, Any], above: str, hint: str) -> Iterator[tuple[str, str]]:
    for name, one in given.items():
        path = f"{above}/{name}" if above else name
        own = one.get("type_hint", hint)
        yield path, own
        yield from _paths(one.get("children", {}), path, own)


def _patterns(discovery: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The three spellings of patterns as one."""
    content = [
        {**one, "content_pattern": one["pattern"]} for one in discovery.get("content_patterns", [])
    ]
    files = [{**one, "file_pattern": one["pattern"]} for one in discovery.get("file_patterns", [])]
    return [*content, *files, *discovery.get("patterns", [])]


# --- traits -------------------------------------------------------------------------------------


def _entity_type(
    file: str,
    pointer: str,
    declared: Mapping[str, Any],
    traits: _Traits,
    extends_unknown: bool,
    faults: list[Fault],
) -> EntityType:
    schema = declared.get("schema", {})
    own = schema.get("properties", {})
    name = declared["name"]
    found: dict[str, str] = {}  # field to the trait that defines it
    needs: list[str] = []
    for trait in declared.get("traits", []):
        if trait not in traits.declared:
            if not extends_unknown:
                message = f"the trait {quoted(trait)} of {quoted(name)} is not declared"
                fix = "declare it, or extend the pack that does"
                faults.append(Fault(file, pointer, "unknown_trait", message, fix))
            continue
        for key, origin in traits.fields(trait).items():
            if found.get(key, origin) != origin and key not in own:
                message = (
                    f"the field {quoted(key)} of {quoted(name)} is defined by the trait "
                    f"{quoted(found[key])} and, independently, by the trait {quoted(origin)}"
                )
                fix = f"define {quoted(key)} in {quoted(name)} itself"
                faults.append(Fault(file, pointer, "trait_conflict", message, fix))
            found.setdefault(key, origin)
        needs += traits.needs(trait)
    fields = {key: traits.declared[origin][1]["fields"][key] for key, origin in found.items()}
    return EntityType(
        name,
        declared["base"],
        {**fields, **own},
        tuple(schema.get("required", ())),
        tuple(declared.get("subtype_of", ())),
        tuple(dict.fromkeys(needs)),
    )


def _clash_faults(traits: _Traits) -> Iterator[Fault]:
    for trait in traits.declared:
        traits.fields(trait)
    for trait, key, left, right in traits.clashes:
        message = (
            f"the trait {quoted(trait)} inherits the field {quoted(key)} from {quoted(left)} and, "
            f"independently, from {quoted(right)}"
        )
        fix = f"define {quoted(key)} in {quoted(trait)} itself"
        file = traits.declared[trait][0]
        yield Fault(file, f"/traits/{trait}", "trait_conflict", message, fix)


class _Traits:
    """Traits with what they inherit; each is put together once, and a cycle ends where it began."""

    def __init__(self, declared: Mapping[str, tuple[str, Mapping[str, Any]]]) -> None:
        self.declared = declared
        self._fields: dict[str, dict[str, str]] = {}
        self._needs: dict[str, list[str]] = {}
        self.clashes: list[tuple[str, str, str, str]] = []

    def fields(self, trait: str) -> dict[str, str]:
        """Field to the trait that defines it, as one trait sees it: its own over inherited ones."""
        if trait in self._fields or trait not in self.declared:
            return self._fields.get(trait, {})
        self._fields[trait] = {}
        own = dict.fromkeys(self.declared[trait][1].get("fields", {}), trait)
        found: dict[str, str] = {}
        for parent in self.declared[trait][1].get("extends", []):
            for key, origin in self.fields(parent).items():
                if found.setdefault(key, origin) != origin and key not in own:
                    self.clashes.append((trait, key, found[key], origin))
        self._fields[trait] = {**found, **own}
        return self._fields[trait]

    def needs(self, trait: str) -> list[str]:
        """The MIF fields that a trait and what it inherits from require."""
        if trait in self._needs or trait not in self.declared:
            return self._needs.get(trait, [])
        self._needs[trait] = []
        found = list(self.declared[trait][1].get("requires", []))
        for parent in self.declared[trait][1].get("extends", []):
            found += self.needs(parent)
        self._needs[trait] = list(dict.fromkeys(found))
        return self._needs[trait]


# --- subtypes -----------------------------------------------------------------------------------


def _subtype_faults(
    declared: Mapping[str, tuple[str, str, Mapping[str, Any]]],
    types: Mapping[str, EntityType],
    extends_unknown: bool,
) -> Iterator[Fault]:
    for name, (file, pointer, _) in declared.items():
        one = types[name]
        place = f"{pointer}/subtype_of"
        if name in _ancestors(name, types):
            message = (
                f"{quoted(name)} is its own subtype, over {' and '.join(map(quoted, one.parents))}"
            )
            yield Fault(file, place, "subtype_cycle", message, "take one of them away")
            continue
        for parent in one.parents:
            if parent not in types:
                if not extends_unknown:
                    message = f"the parent {quoted(parent)} of {quoted(name)} is not declared"
                    yield Fault(
                        file,
                        place,
                        "unknown_parent",
                        message,
                        "declare it, or extend the pack that does",
                    )
                continue
            missing = [key for key in types[parent].required if key not in one.required]
            if missing:
                listed = ", ".join(map(quoted, missing))
                message = f"{quoted(name)} does not require {listed}, which {quoted(parent)} does"
                yield Fault(file, place, "subtype_requires_less", message, "require it too")


def _ancestors(name: str, types: Mapping[str, EntityType]) -> set[str]:
    found: set[str] = set()
    waiting = list(types[name].parents)
    while waiting:
        one = waiting.pop()
        if one not in found:
            found.add(one)
            waiting.extend(types[one].parents if one in types else ())
    return found
