"""Where texts are sent to be embedded, and under which conditions.

- Written `MODEL@URL?dim=…&key_env=…&version=…&window=…&timeout=…&cleartext=allow`; without `@URL` it is OpenAI's own.
- A key is named by its environment variable and never written down: neither here, nor in a URL, nor in a message.
- OpenAI's own variable is used for OpenAI's own host alone; another host gets the key that is named for it, or none.
- Texts leave this machine encrypted, unless `cleartext=allow` says otherwise; a key never leaves it in clear.
- An endpoint does not tell which weights it runs. `version` names them, the host by default: give a new one
  when the provider changes the model, and everything is embedded again.

>>> endpoint = parse_endpoint("nomic-embed-text:v1.5@http://127.0.0.1:11434/v1?dim=768")
>>> endpoint.url, endpoint.key_env
('http://127.0.0.1:11434/v1/embeddings', '')
>>> print(endpoint.space)
openai/nomic-embed-text:v1.5 127.0.0.1.window-8000.1 (768)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from urllib.parse import SplitResult, parse_qsl, urlsplit

from muniment.core.embedding import Space
from muniment.core.errors import Finding, InvalidInput, quoted
from muniment.core.loopback import is_loopback

OWN_HOST = "api.openai.com"
OWN_URL = f"https://{OWN_HOST}/v1"
OWN_KEY = "OPENAI_API_KEY"

DIMENSIONS: Mapping[str, int] = MappingProxyType(
    {"text-embedding-3-small": 1536, "text-embedding-3-large": 3072, "text-embedding-ada-002": 1536}
)
"""What OpenAI's own models answer with; of other models the dimension is stated."""

WINDOW = 8_000
"""Bytes of text sent as one piece: at most so many tokens for a byte-level tokenizer, and below 8,191."""

TIMEOUT = 30
"""Seconds."""

METHOD = "1"
"""How pieces become a vector; raised when a bit of it changes."""

OPTIONS: Mapping[str, str] = MappingProxyType(
    {
        "dim": "how many numbers a vector has; known of OpenAI's own models, where another number asks for as many",
        "key_env": f"the environment variable that holds the key; `{OWN_KEY}` for OpenAI's own host, else none is sent",
        "version": "what stands for the weights, the host where it is not given; a new one embeds everything again",
        "window": f"bytes of text in one piece, {WINDOW:,} by default; longer texts are the mean of their pieces",
        "timeout": f"seconds for the connection and for each silence, {TIMEOUT} by default",
        "cleartext": "`allow` sends texts to another machine without encryption; a key never",
    }
)
"""What may stand after `?`, with its meaning."""

_LARGEST = 1 << 16


@dataclass(frozen=True, slots=True)
class Endpoint:
    """An endpoint and what is asked of it.

    Attributes:
        model: As the endpoint calls it.
        url: The full address of its embeddings.
        dimension: How many numbers a vector has.
        shortened: Whether the endpoint is asked for this dimension, since its own is another.
        key_env: The environment variable that holds the key; empty where none is sent.
        version: What stands for the weights.
        window: Bytes of text in one piece.
        timeout: Seconds for the connection and for each silence.
    """

    model: str
    url: str
    dimension: int
    shortened: bool
    key_env: str
    version: str
    window: int
    timeout: int

    @property
    def space(self) -> Space:
        """Where the vectors lie; the window is part of it, since it decides how long texts are cut."""
        version = f"{self.version}.window-{self.window}.{METHOD}"
        return Space(f"openai/{self.model}", version, self.dimension)


def parse_endpoint(text: str) -> Endpoint:
    """Read an endpoint's specification.

    Raises:
        InvalidInput: Model, address or an option is missing or wrong, or a text or key would travel in clear.
    """
    model, address, options = _parts(text)
    url = _address(address, options)
    host = url.hostname or ""
    key_env = options.get("key_env", OWN_KEY if host == OWN_HOST else "")
    if key_env and not key_env.isidentifier():
        raise _wrong(
            f"{quoted(key_env)} is no name of a variable", "write `key_env=NAME`, never a key"
        )
    _require_secrecy(url, key_env, options.get("cleartext", ""))
    native = DIMENSIONS.get(model, 0) if host == OWN_HOST else 0
    dimension = _number(options, "dim", native)
    return Endpoint(
        model,
        f"{url.scheme}://{url.netloc}{url.path.rstrip('/')}/embeddings",
        dimension,
        bool(native) and dimension != native,
        key_env,
        options.get("version") or host,
        _number(options, "window", WINDOW),
        _number(options, "timeout", TIMEOUT),
    )


def _parts(text: str) -> tuple[str, str, dict[str, str]]:
    """Model, address and options. A model's name may hold `@`, `:` and `/`; the address begins at the last `@`."""
    whole, _, query = text.strip().partition("?")
    model, at, address = whole.rpartition("@") if "://" in whole else (whole, "", OWN_URL)
    if not model.strip() or (not at and "://" in whole):
        raise _wrong(f"{quoted(text)} names no model", "write `openai:MODEL@URL?dim=N`")
    pairs = parse_qsl(query, keep_blank_values=True)
    options = dict(pairs)
    unknown = [name for name in options if name not in OPTIONS]
    if unknown or len(options) < len(pairs):
        given = quoted(unknown[0]) if unknown else "an option given twice"
        known = ", ".join(f"`{name}`" for name in OPTIONS)
        raise _wrong(f"{given} is not an option of an endpoint", f"the options are {known}")
    return model.strip(), address.strip(), options


def _address(address: str, options: Mapping[str, str]) -> SplitResult:
    try:
        url = urlsplit(address)
        _ = url.port
    except ValueError as error:
        raise _wrong(f"{quoted(address)} is no address", "write `https://HOST/v1`") from error
    if url.scheme not in ("http", "https") or not url.hostname or url.fragment:
        raise _wrong(f"{quoted(address)} is no address", "write `https://HOST/v1`")
    if url.username is not None or url.password is not None:
        raise _wrong(
            "the address holds a name or password", "name the key's variable: `key_env=NAME`"
        )
    if any(character.isspace() or ord(character) < 32 for character in address):
        raise _wrong(f"{quoted(address)} is no address", "write `https://HOST/v1`")
    if options.get("cleartext", "allow") != "allow":
        raise _wrong(
            f"{quoted(options['cleartext'])} says nothing",
            "write `cleartext=allow`, or leave it out",
        )
    return url


def _require_secrecy(url: SplitResult, key_env: str, cleartext: str) -> None:
    if url.scheme == "https" or is_loopback(url.hostname or ""):
        return
    if key_env:
        message = f"the key in `{key_env}` would go to {quoted(url.hostname)} in clear"
        raise _refused("key_in_clear", message, "use an `https://` address")
    if cleartext != "allow":
        message = f"texts would go to {quoted(url.hostname)} in clear"
        fix = "use an `https://` address, or say `cleartext=allow` if the way there is yours"
        raise _refused("text_in_clear", message, fix)


def _number(options: Mapping[str, str], name: str, default: int) -> int:
    given = options.get(name, "")
    if not given and default:
        return default
    # `isdecimal` is true of other scripts' digits, which `int` reads too.
    if not given.isascii() or not given.isdecimal() or not 0 < int(given[:9]) <= _LARGEST:
        what = quoted(given) if given else "nothing"
        message = f"{what} is given as `{name}`, where a number from 1 to {_LARGEST} is expected"
        raise _wrong(
            message,
            f"add `{name}=N`: how many numbers the model's vectors have" if name == "dim" else "",
        )
    return int(given[:9])


def _wrong(message: str, fix: str) -> InvalidInput:
    return _refused("endpoint_wrong", message, fix)


def _refused(code: str, message: str, fix: str) -> InvalidInput:
    return InvalidInput.of((Finding(code, message, fix=fix),))
