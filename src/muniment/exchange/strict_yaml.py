r"""Read YAML as plain data, by the core rules of YAML 1.2, or say why not.

- Only `null`, `~`, `true`, `false` and numbers are not text. `no`, `on`, `1:30`, `012`, `1_000` and dates
  stay text, as they are written.
- Anchors, aliases, merge keys and tags are refused: a document says what it means once, in place. A format that
  others write may allow aliases, bounded by what they stand for, wide integers and keys as written (`Leniency`).
- Keys are text, and each stands once; one document a file; nesting of at most 64 levels.
- `3.10` is the number 3.1, as in every YAML: a version is quoted.

The parser's events are read, so nothing is constructed that was not asked for and nothing recurses.

>>> load_yaml("country: no\nport: 8080\nsince: 2026-07-10").value
{'country': 'no', 'port': 8080, 'since': '2026-07-10'}
>>> [f.code for f in load_yaml("a: &x 1\nb: *x").findings]
['yaml_anchor', 'yaml_alias']
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from muniment.core.errors import Finding, quoted
from muniment.exchange.loaded import (
    DEEPEST,
    LIMIT_BYTES,
    MOST_FINDINGS,
    STRICT,
    Leniency,
    Loaded,
    decoded,
    number_finding,
    place,
    place_at,
    real_number,
    refused,
    text_fault,
    whole_number,
)

if TYPE_CHECKING:
    import yaml

_NULL = frozenset({"", "~", "null", "Null", "NULL"})
_TRUTH = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
_INTEGER = re.compile(r"[-+]?(?:0|[1-9][0-9]*)")
_BASED = re.compile(r"0o[0-7]{1,30}|0x[0-9a-fA-F]{1,30}")
_REAL = re.compile(r"[-+]?(?:\.[0-9]+|(?:0|[1-9][0-9]*)(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_NOT_FINITE = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")


def load_yaml(
    data: bytes | str,
    *,
    limit_bytes: int = LIMIT_BYTES,
    name: str = "",
    leniency: Leniency = STRICT,
) -> Loaded:
    """Read one YAML document.

    Args:
        data: The document.
        limit_bytes: Most bytes accepted.
        name: The file's name, for places.
        leniency: What is allowed beyond the strict rules.

    Returns:
        The value, or findings: those of `decoded`, `too_deep`, `yaml_syntax`, `duplicate_key`,
        `key_not_text`, `yaml_anchor`, `yaml_alias`, `yaml_merge`, `yaml_tag`, `several_documents`,
        `not_finite`, `integer_too_large`. Never raises for any input.
    """
    import yaml

    text, found = decoded(data, name, limit_bytes)
    if found:
        return refused(*found)
    builder = _Builder(name, leniency)
    try:
        for event in yaml.parse(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
            builder.take(event)
            if builder.full or len(builder.findings) >= MOST_FINDINGS:
                break
    except yaml.YAMLError as error:
        builder.findings.append(_syntax(error, text, name))
    if not builder.findings and not builder.documents:
        builder.add("empty_document", "the document is empty", "give a value", None)
    return refused(*builder.findings) if builder.findings else Loaded(builder.root)


def _syntax(error: yaml.YAMLError, text: str, name: str) -> Finding:
    problem = getattr(error, "problem", None) or getattr(error, "reason", None) or "unreadable"
    mark = getattr(error, "problem_mark", None)
    if mark is not None:
        where = place(name, mark.line + 1, mark.column + 1)
    else:
        where = place_at(name, text, _offset(text, getattr(error, "position", 0)))
    if "depth" in problem:  # the scanner's own bound, met while it looks ahead
        return Finding("too_deep", f"nested more than {DEEPEST} levels deep", where, "flatten it")
    return Finding("yaml_syntax", f"not YAML: {problem}", where, "correct the syntax")


def _offset(text: str, position: int) -> int:
    """The offset of the character that a reader stopped at; the C reader counts bytes."""
    return min(len(text), len(text.encode("utf-8")[:position].decode("utf-8", "ignore")))


@dataclass(slots=True)
class _Level:
    """One open mapping or sequence."""

    container: dict[str, Any] | list[Any]
    key: str | None = None
    expects_key: bool = True
    anchor: str | None = None
    seen: set[str] = field(default_factory=set)


@dataclass(slots=True)
class _Builder:
    """Makes a value from a parser's events, one at a time."""

    name: str
    leniency: Leniency = STRICT
    root: Any = None
    documents: int = 0
    full: bool = False
    anchors: dict[str, Any] = field(default_factory=dict)
    stood_for: int = 0
    levels: list[_Level] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)

    def where(self, event: yaml.Event | None) -> str:
        mark = event.start_mark if event else None
        return place(self.name, mark.line + 1, mark.column + 1) if mark else self.name

    def add(self, code: str, message: str, fix: str, event: yaml.Event | None) -> None:
        self.findings.append(Finding(code, message, self.where(event), fix))

    def take(self, event: yaml.Event) -> None:
        import yaml

        if isinstance(event, yaml.DocumentStartEvent):
            self._begin(event)
        elif isinstance(event, yaml.AliasEvent):
            self._place(self._stands_for(event), event)
        elif isinstance(event, yaml.ScalarEvent):
            self._check_node(event)
            self._scalar(event)
        elif isinstance(event, yaml.CollectionStartEvent):
            self._check_node(event)
            self._open(event, {} if isinstance(event, yaml.MappingStartEvent) else [])
        elif isinstance(event, yaml.CollectionEndEvent):
            level = self.levels.pop()
            if level.anchor is not None:
                self.anchors[level.anchor] = level.container

    def _stands_for(self, event: yaml.AliasEvent) -> Any:
        """What an alias stands for, where aliases are allowed and stay few."""
        most = self.leniency.alias_nodes
        name = event.anchor
        if most and name in self.anchors:
            self.stood_for += _size(self.anchors[name], most)
            if self.stood_for <= most:
                return self.anchors[name]
            message = f"the aliases stand for more than {most} values"
            self.full = True
        elif most:
            message = f"the alias {quoted(f'*{name}')} stands for nothing that was said before"
        else:
            message = f"the alias {quoted(f'*{name}')} is not accepted"
        self.add("yaml_alias", message, "write the value out", event)
        return None

    def _begin(self, event: yaml.Event) -> None:
        self.documents += 1
        if self.documents > 1:
            message = "more than one document in a file"
            self.add("several_documents", message, "keep one, or split the file", event)
            self.full = True

    def _check_node(self, event: yaml.NodeEvent) -> None:
        if event.anchor is not None and not self.leniency.alias_nodes:
            message = f"the anchor {quoted(f'&{event.anchor}')} is not accepted"
            self.add("yaml_anchor", message, "write the value out where it is used", event)
        tag = getattr(event, "tag", None)
        if tag is not None:
            message = f"the tag {quoted(tag)} is not accepted"
            self.add("yaml_tag", message, "leave the tag out", event)

    def _open(self, event: yaml.NodeEvent, container: dict[str, Any] | list[Any]) -> None:
        self._place(container, event)
        self.levels.append(_Level(container, anchor=event.anchor))
        if len(self.levels) > DEEPEST:
            message = f"nested more than {DEEPEST} levels deep"
            self.add("too_deep", message, "flatten it", event)
            self.full = True

    def _scalar(self, event: yaml.ScalarEvent) -> None:
        written = event.value
        if fault := text_fault(written):
            self.add(*fault, "remove it", event)
        value: Any = written
        if event.implicit[0]:  # plain, neither quoted nor tagged
            key = self.levels and self._at_key()
            value, fault_code = resolved(written, self.leniency.wide_integers)
            if key and self.leniency.keys_as_text:
                value, fault_code = written, ""
            if fault_code:
                self.findings.append(number_finding(fault_code, written, self.where(event)))
            if written == "<<" and key:
                message = "merge keys are not accepted"
                self.add("yaml_merge", message, "write the values out", event)
        if event.anchor is not None:
            self.anchors[event.anchor] = value
        self._place(value, event)

    def _at_key(self) -> bool:
        level = self.levels[-1]
        return isinstance(level.container, dict) and level.expects_key

    def _place(self, value: Any, event: yaml.Event) -> None:
        """Put a value where the document has it: as root, item, key or value of a key."""
        if not self.levels:
            self.root = value
            return
        level = self.levels[-1]
        if isinstance(level.container, list):
            level.container.append(value)
        elif level.expects_key:
            self._key(level, value, event)
            level.expects_key = False
        else:
            if level.key is not None:
                level.container[level.key] = value
            level.expects_key = True

    def _key(self, level: _Level, value: Any, event: yaml.Event) -> None:
        level.key = value if isinstance(value, str) else None
        if level.key is None:
            message = f"the key {quoted(value)} is not text"
            self.add("key_not_text", message, "quote it", event)
        elif level.key in level.seen:
            message = f"the key {quoted(level.key)} stands more than once"
            self.add("duplicate_key", message, "keep one of them", event)
        else:
            level.seen.add(level.key)


def _size(value: Any, most: int) -> int:
    """How many values a value holds, itself included; counted no further than just over `most`."""
    waiting, count = [value], 0
    while waiting and count <= most:
        one = waiting.pop()
        count += 1
        waiting.extend(
            one.values() if isinstance(one, dict) else one if isinstance(one, list) else ()
        )
    return count


def resolved(written: str, wide: bool = False) -> tuple[Any, str]:
    """A plain scalar's value, and the code of what is wrong with it.

    >>> [resolved(w)[0] for w in ("null", "no", "true", "12", "012", "0x1F", "1.50", "1:30")]
    [None, 'no', True, 12, '012', 31, 1.5, '1:30']
    """
    if written in _NULL:
        return None, ""
    if written in _TRUTH:
        return _TRUTH[written], ""
    if written[0] not in "+-.0123456789":  # no number begins so
        return written, ""
    if _INTEGER.fullmatch(written):
        whole = whole_number(written, wide)
        return whole, "" if whole is not None else "integer_too_large"
    if _BASED.fullmatch(written):
        based = whole_number(str(int(written, 0)))
        return based, "" if based is not None else "integer_too_large"
    if _REAL.fullmatch(written):
        real = real_number(written)
        return real, "" if real is not None else "not_finite"
    return written, "not_finite" if _NOT_FINITE.fullmatch(written) else ""
