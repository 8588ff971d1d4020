"""Credentials of the command line: those that `ploidy login` stored, and the environment over them."""

from __future__ import annotations

import json
import os
import re
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from .problem import Problem, invalid

_fields = {"api_key": "apiKey", "account": "account", "address": "address", "project": "project"}


@dataclass(frozen=True)
class Tokens:
    """Tokens of a sign-in. `expires_at` is in epoch milliseconds."""

    access_token: str
    refresh_token: str
    expires_at: int


@dataclass(frozen=True)
class Credentials:
    """Address, account, chosen project, and either an API key or tokens."""

    address: str | None = None
    account: str | None = None
    project: str | None = None
    api_key: str | None = None
    tokens: Tokens | None = None


def private_folder() -> Path:
    """Returns the folder of the user's private files, the one that the command line has."""
    roaming = os.environ.get("XDG_CONFIG_HOME") or os.environ.get("APPDATA")
    return Path(roaming or Path.home() / ".config") / "ploidy"


def credentials_path(profile: str | None = None) -> Path:
    """Returns the path of the credentials of a profile, by default that of `PLOIDY_PROFILE`."""
    name = profile or os.environ.get("PLOIDY_PROFILE") or "default"
    if not re.fullmatch(r"[\w.-]{1,64}", name):
        raise invalid(f'"{name}" is not the name of a profile.')
    return private_folder() / ("credentials.json" if name == "default" else f"credentials-{name}.json")


def read_stored(profile: str | None = None) -> Credentials:
    """Reads the stored values of a profile; empty ones when it has none."""
    path = credentials_path(profile)
    try:
        values: Any = json.loads(path.read_text("utf8"))
        tokens = values.get("tokens")
        return Credentials(
            **{name: values.get(key) for name, key in _fields.items()},
            tokens=tokens and Tokens(tokens["accessToken"], tokens["refreshToken"], int(tokens["expiresAt"])),
        )
    except FileNotFoundError:
        return Credentials()
    except (ValueError, KeyError, AttributeError) as error:
        raise signed_out(f"{path} is damaged.") from error


def store(credentials: Credentials, profile: str | None = None) -> None:
    """Writes the credentials of a profile, readable by the user alone."""
    path = credentials_path(profile)
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    values: dict[str, object] = {
        key: value for name, key in _fields.items() if (value := asdict(credentials)[name]) is not None
    }
    if credentials.tokens:
        access, refresh, expires_at = asdict(credentials.tokens).values()
        values["tokens"] = {"accessToken": access, "refreshToken": refresh, "expiresAt": expires_at}
    temporary = path.with_name(f"{path.name}.{os.getpid()}")
    with open(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf8") as file:
        file.write(json.dumps(values, indent=2) + "\n")
    temporary.replace(path)


def chosen(address: str | None, api_key: str | None, account: str | None, profile: str | None) -> Credentials:
    """Combines arguments, the environment and what is stored, in this order.

    A stored key is for the service that it was stored with, and goes to no other address. The stored account
    and project belong to the stored key.
    """
    stored = read_stored(profile)
    address = address or os.environ.get("PLOIDY_ADDRESS") or None
    api_key = api_key or os.environ.get("PLOIDY_API_KEY") or None
    account = account or os.environ.get("PLOIDY_ACCOUNT") or None
    if address is not None and origin_of(address) != stored.address:
        stored = Credentials()
    elif api_key is not None and api_key != stored.api_key:
        stored = Credentials(address=stored.address)
    found = replace(stored, address=origin_of(address) if address else stored.address)
    found = replace(found, api_key=api_key or found.api_key, account=account or found.account)
    if found.address is None or (found.api_key is None and found.tokens is None):
        raise signed_out(f"You are not signed in{f' at {found.address}' if found.address else ''}.")
    return found


def origin_of(address: str) -> str:
    """Returns `http://host:port` without a path."""
    origin = re.sub(r"/(api/)?v1$", "", address.strip().rstrip("/"))
    if not re.match(r"https?://[^/]", origin, re.IGNORECASE):
        raise invalid(f'"{address}" is not the address of a service, such as http://127.0.0.1:8080.')
    return origin


def signed_out(message: str) -> Problem:
    """Creates the error of credentials that are absent or have ended."""
    remedy = 'Sign in: ploidy.login(address), or "ploidy login".'
    return Problem(message, code="SIGNED_OUT", status=401, remedy=remedy)
