"""Certificates as files."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from muniment.cli.call import refusal
from muniment.core.errors import quoted


def write_certificate(file: str, certificate: Mapping[str, Any]) -> None:
    """Write a certificate to a file.

    Raises:
        InvalidInput: The file cannot be written.
    """
    text = json.dumps(dict(certificate), ensure_ascii=False, indent=2) + "\n"
    try:
        Path(file).write_text(text, "utf-8")
    except (OSError, ValueError) as error:
        why = (getattr(error, "strerror", "") or "it is no file's name").lower()
        message = f"{quoted(file)} cannot be written: {why}"
        raise refusal(
            "unwritable_file", message, "--certify", "name a file that you may write"
        ) from error
