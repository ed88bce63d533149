r"""Find secrets by their public formats, so that they are refused before they are stored (E-SECRET).

- A rule knows one issuer's published format: what it begins with, its alphabet, its length.
- Passwords and keys without a format of their own are found where they are assigned
  (`password = "…"`), sent (`Bearer …`) or part of an address (`scheme://user:…@host`).
- What only stands for a secret is none: `$PASSWORD`, `${{ secrets.X }}`, `<your password>`, `xxxx`,
  `…EXAMPLE`. Neither are commit ids, UUIDs or digests that stand by themselves.
- Characters that draw nothing do not hide a secret: the text is read with and without them.
- No finding, and nothing else said here, repeats any part of a secret.
- Time is linear in the text: a rule looks only where its literal prefix stands, and not far.

A format that is not listed is not found, and neither is a secret taken apart by words; the scan catches
accidents, not intent.

>>> made_up = "hf" + "_" + "aBcDeFgHiJkLmNoPqRsTuVwXyZaBcDeFgH"
>>> scan(f"use {made_up} here")
(Match(kind='hugging_face_token', start=4, end=41),)
>>> redact(f"use {made_up} here")
'use ⟨secret: hugging_face_token⟩ here'
>>> scan("password: ${DB_PASSWORD}, commit 4b825dc642cb6eb9a060e54bf8d69288fbee4904")
()
"""

from __future__ import annotations

import binascii
import math
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from types import MappingProxyType

from muniment.core.errors import Finding
from muniment.core.secret_formats import FORMATS, IN_CONTEXT, PATTERNS, PREFIXED, SHORTEST
from muniment.core.text import invisible_characters


@dataclass(frozen=True, slots=True)
class Match:
    """Where a secret stands.

    Attributes:
        kind: Which format it has, `github_token`.
        start: Its first character.
        end: One past its last character.
    """

    kind: str
    start: int
    end: int


# --- by format ---------------------------------------------------------------------------------


def _prefixed(text: str) -> Iterator[Match]:
    runs = "\n".join(dict.fromkeys(run for run in text.split() if len(run) >= SHORTEST))
    if runs:
        yield from _with_prefixes(text, runs)


def _with_prefixes(text: str, runs: str) -> Iterator[Match]:
    """Tokens by their beginning; the few that do not occur in `runs` at all are not looked for.

    Args:
        text: Where they are looked for.
        runs: The only parts of it that can hold one: no token has white space or is shorter than `SHORTEST`.
    """
    for kind, prefix, rest in PREFIXED:
        at = text.find(prefix) if prefix in runs else -1
        while at >= 0:
            after = at + len(prefix)
            found = rest.match(text, after) if _begins(text, at) else None
            if found and not _stands_in(found.group()):
                yield Match(kind, at, found.end())
                after = found.end()
            at = text.find(prefix, after)


def _begins(text: str, at: int) -> bool:
    r"""Whether a token can begin here: not inside a word, but after `\n` as source code spells it."""
    if at == 0 or not (text[at - 1].isalnum() or text[at - 1] == "_"):
        return True
    return bool(re.match(r"\\[nrt]", text[max(0, at - 2) : at])) or text[max(0, at - 3)] == "%"


def _has(literals: tuple[str, ...], text: str) -> bool:
    for literal in literals:  # noqa: SIM110 - a plain loop: this is asked a dozen times of every text
        if literal in text:
            return True
    return False


def _in_context(text: str) -> Iterator[Match]:
    folded = text.casefold()
    for kind, literals, any_case, pattern in IN_CONTEXT:
        if _has(literals, folded if any_case else text):
            for found in pattern.finditer(text):
                if not _stands_in(found.group(1)):
                    yield Match(kind, *found.span(1))


_PEM = re.compile(r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_PEM_BODY = re.compile(r"[A-Za-z0-9+/=\s\\]*")
_PEM_LINE = re.compile(r"[A-Za-z0-9+/=]{32}")
_PEM_LENGTH = 16_384


def _private_keys(text: str) -> Iterator[Match]:
    """PEM blocks with a body; where the end is missing, as far as the body goes."""
    at = 0
    while found := _PEM.search(text, at):
        at = found.end()
        line = _PEM_LINE.search(text, at, at + 300)
        if line:
            end = text.find("-----END", at, at + _PEM_LENGTH)
            dashes = text.find("-----", end + 8, end + 80) if end >= 0 else -1
            body = _PEM_BODY.match(text, line.end(), line.end() + _PEM_LENGTH)
            at = dashes + 5 if dashes >= 0 else (body.end() if body else line.end())
            yield Match("private_key", found.start(), at)


# --- secrets without a format -------------------------------------------------------------------

_LOGIN_NAMES = "password|passwd|passwort|passphrase|pwd"
_KEY_NAMES = (
    "(?:api|access|secret|private|auth|account|master|encryption|signing|app)[_-]?key|apikey"
    "|secret|token|credential"
)
_VALUE = (
    r"""(?:\\?"([^"\n\\]{8,200})\\?"|\\?'([^'\n\\]{8,200})\\?'|([^\s"'`,;(){}\[\]<>$|\\]{8,200}))"""
)
_ASSIGNED = re.compile(
    rf"(?i:({_LOGIN_NAMES})|{_KEY_NAMES})"
    rf"(?:\\?[\"'`]?\s{{0,3}}(?::=|=>|==|=|:|>)\s{{0,3}}|[\"'`]? (?:is|was)[: ]\s?[`]?| ){_VALUE}"
)
_URL = re.compile(
    r"[A-Za-z][A-Za-z0-9+.-]{1,20}://([^\s/:@\"'<>]{0,100}):([^\s/@\"'<>]{3,200})@[\w\[]"
)
_HEADER = re.compile(r"(?i:\b(bearer|basic) {1,3})([A-Za-z0-9._~+/-]{12,2000}={0,2})")
_USUAL = frozenset(
    "admin changeme guest mysql pass passwd password postgres pw pwd root secret test user username".split(
        " "
    )
)
_WORDY = re.compile(
    r"(?i)(?:argon2(?:id?)?|sha\d+|pbkdf2|base64|md5|aes\d*|x?25519|ed25519|oauth2|utf8|[^\W\d_]+|\d{1,4})"
)


_REFERENCE = re.compile(
    r"(?i)[~./@!]|[a-z][a-z0-9+.-]{1,20}://"
    r"|(?-i:[a-z_][a-z0-9_]*(?:\.[A-Za-z_]\w*)+$)"
    r"|(?:os|process|env|config|settings|secrets?|self|vars?|vault|op|arn|ref)[.:+/]"
)


_NAMED = ("key", "secret", "token", "cred", "pass", "pwd")
"""Part of every name in `_ASSIGNED`, as case folding leaves it; a text without any is not searched."""


def _assigned(text: str) -> Iterator[Match]:
    folded = text.casefold()
    if not any(name in folded for name in _NAMED):
        return
    for found in _ASSIGNED.finditer(text):
        group = next(number for number in (2, 3, 4) if found.group(number) is not None)
        value = found.group(group)
        spaced = text[found.start(group) - 1] == " " and group == 4
        enough = _could_be_password if found.group(1) else _could_be_key
        if not _stands_in(value) and not (spaced and _is_wordy(value)) and enough(value):
            kind = "assigned_password" if found.group(1) else "assigned_key"
            yield Match(kind, *found.span(group))


def _could_be_password(value: str) -> bool:
    """At least eight characters of letters and something else, without spaces.

    >>> _could_be_password("Tr0ub4dor&3"), _could_be_password("correcthorse"), _could_be_password("a b c d 1 2")
    (True, False, False)
    """
    return (
        " " not in value
        and any(ch.isalpha() for ch in value)
        and not value.isalpha()
        and not _is_reference(value)
        and not (_is_wordy(value) and not any(ch.isdigit() for ch in value))
    )


def _could_be_key(value: str) -> bool:
    """At least sixteen characters of letters and digits that look drawn at random.

    >>> _could_be_key("q7Zk2mXw9Lp4Tn8V"), _could_be_key("my-app-secret-2026")
    (True, False)
    """
    return (
        len(value) >= 16
        and " " not in value
        and any(ch.isdigit() for ch in value)
        and any(ch.isalpha() for ch in value)
        and not _is_reference(value)
        and not _is_wordy(value)
        and _bits_per_character(value) >= 3.0
    )


def _is_wordy(value: str) -> bool:
    """Whether a value is made of words and short numbers: `sha-256-hashed`, `my_app_1`."""
    return all(_WORDY.fullmatch(part) for part in re.split(r"[-_./:@+]+", value) if part)


def _is_reference(value: str) -> bool:
    """Whether a value names where the secret is: `os.environ.X`, `vault:db#pw`, a path, an address."""
    return bool(_REFERENCE.match(value))


def _bits_per_character(value: str) -> float:
    """Shannon entropy of the characters, in bits."""
    counts = Counter(value)
    return -sum(n / len(value) * math.log2(n / len(value)) for n in counts.values())


def _stands_in(value: str) -> bool:
    """Whether a value only stands for a secret, as documentation and templates write it."""
    if re.search(
        r"(?i)example|placeholder|change.?me|your[-_ ]|redacted|dummy|(?-i:x{4}|X{4})|\.{3}|…|\*{3}|[⟨⟩]",
        value,
    ):
        return True
    if re.search(r"\$\{|\$\(|\{\{|^[$%<{]|%\(|<[\w -]+>", value):
        return True
    return len(value) >= 8 and len(set(value)) <= 4


def _in_addresses(text: str) -> Iterator[Match]:
    scheme = text.find("://")
    if scheme >= 0 and text.find("@", scheme) >= 0:
        for found in _URL.finditer(text):
            user, password = found.groups()
            known = password.lower() in _USUAL or password == user
            documented = text.startswith("example.", found.end(2) + 1)  # hosts reserved by RFC 2606
            if not known and not documented and not _stands_in(password):
                yield Match("url_password", *found.span(2))


_HEADER_NAMES = ("bearer", "bas")
"""Part of every name in `_HEADER`, as case folding leaves it; `i` is left out, for a dotless one matches it too."""


def _in_headers(text: str) -> Iterator[Match]:
    folded = text.casefold()
    if not any(name in folded for name in _HEADER_NAMES):
        return
    for found in _HEADER.finditer(text):
        value = found.group(2)
        basic = found.group(1).lower() == "basic"
        if not _stands_in(value) and (
            _is_user_and_password(value) if basic else _could_be_key(value)
        ):
            yield Match("basic_authorization" if basic else "bearer_token", *found.span(2))


def _is_user_and_password(value: str) -> bool:
    """Whether base64 decodes to `user:password` in printable characters."""
    try:
        plain = binascii.a2b_base64(value, strict_mode=True).decode("utf-8")
    except ValueError:
        return False
    return plain.isprintable() and ":" in plain[1:-1]


# --- the scan -----------------------------------------------------------------------------------

_READERS: tuple[Callable[[str], Iterator[Match]], ...] = (
    _private_keys,
    _prefixed,
    _in_context,
    _in_addresses,
    _in_headers,
    _assigned,
)

KINDS: tuple[str, ...] = tuple(
    dict.fromkeys(
        ["private_key"]
        + [kind for kind, _, _ in FORMATS + PATTERNS]
        + [
            "url_password",
            "bearer_token",
            "basic_authorization",
            "assigned_password",
            "assigned_key",
        ]
    )
)
"""Every kind that a scan can name."""

_ORDER = MappingProxyType({kind: place for place, kind in enumerate(KINDS)})


def scan(text: str) -> tuple[Match, ...]:
    """Every secret in a text, in order, without overlap.

    Where two rules see the same characters, the one that knows the issuer names them.
    """
    found = [match for reader in _READERS for match in reader(text)]
    hidden = [each.offset for each in invisible_characters(text)]
    if hidden:
        found += _seen_without(text, frozenset(hidden))
    kept: list[Match] = []
    for match in sorted(found, key=lambda m: (m.start, _ORDER[m.kind], -m.end)):
        if not kept or match.start >= kept[-1].end:
            kept.append(match)
        elif match.end > kept[-1].end:
            kept[-1] = Match(kept[-1].kind, kept[-1].start, match.end)
    return tuple(kept)


_ANYWHERE = (_private_keys, _prefixed, _in_context, _in_addresses)
_BY_NAME = (_in_headers, _assigned)
_NAMES = (*_NAMED, *_HEADER_NAMES)
"""Without any of these in a text, as case folding leaves it, a reader of `_BY_NAME` finds nothing."""


def may_hold_secret(texts: Collection[str]) -> bool:
    """Whether a secret may stand in any of some texts; where it cannot, `scan` finds none in any of them.

    Readers that look for what is rare go through all of them as one, the others only where a name stands.

    >>> made_up = "hf" + "_" + "aBcDeFgHiJkLmNoPqRsTuVwXyZaBcDeFgH"
    >>> may_hold_secret(("Tests need Docker", "a key is kept elsewhere")), may_hold_secret(("Docker", made_up))
    (False, True)
    """
    whole = "\n".join(texts)
    if invisible_characters(whole):
        return True
    if any(True for reader in _ANYWHERE for _ in reader(whole)):
        return True
    named = [text for text in texts if _has(_NAMES, text.casefold())]
    return any(True for text in named for reader in _BY_NAME for _ in reader(text))


def _seen_without(text: str, hidden: frozenset[int]) -> Iterator[Match]:
    """What is found when characters that draw nothing are left out, at its place in the text itself."""
    places = [at for at in range(len(text)) if at not in hidden]
    plain = "".join(text[at] for at in places)
    for reader in _READERS:
        for match in reader(plain):
            yield Match(match.kind, places[match.start], places[match.end - 1] + 1)


def secret_findings(text: str, path: str) -> tuple[Finding, ...]:
    """One error for each secret; it names the kind and the place, never the value.

    Args:
        text: Anything that is about to be stored.
        path: Where it stands.

    Returns:
        Findings with code `secret`; empty for clean text.

    >>> key = "AKIA" + "QWERTYUIOPASDFGH"
    >>> print(*secret_findings("id " + key, "/claim"))
    /claim: looks like a secret of kind aws_access_key_id at characters 3 to 23 (secret); remove it and, if it \
was real, replace it; name the vault entry or variable that holds it instead
    """
    fix = "remove it and, if it was real, replace it; name the vault entry or variable that holds it instead"
    return tuple(
        Finding(
            "secret",
            f"looks like a secret of kind {match.kind} at characters {match.start} to {match.end}",
            path,
            fix,
            req="E-SECRET",
        )
        for match in scan(text)
    )


def redact(text: str) -> str:
    """The text with each secret replaced by `⟨secret: kind⟩`."""
    parts: list[str] = []
    at = 0
    for match in scan(text):
        parts += [text[at : match.start], f"⟨secret: {match.kind}⟩"]
        at = match.end
    return "".join([*parts, text[at:]])
