"""Client of a service: sign-in, projects, and calls without a function of their own."""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from .connection import Connection
from .credentials import Credentials, chosen, origin_of, read_stored, signed_out, store
from .display import Listing
from .problem import invalid, missing
from .project import Project, project_from
from .sign_in import fresh_token, sign_in_with_code

_id = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)


class Client:
    """Service as one user sees it, in one account."""

    def __init__(self, connection: Connection, default_project: str | None = None) -> None:
        self._connection = connection
        self._default_project = default_project

    @property
    def address(self) -> str:
        """Address of the service, without a path."""
        return self._connection.address

    @property
    def account(self) -> str:
        """Account of all requests."""
        return self._connection.account

    def projects(self) -> Listing[Project]:
        """Lists the projects that you may see."""
        return Listing(
            project_from(self._connection, item) for item in self._connection.pages("/v1/projects", {})
        )

    def project(self, named: str | None = None) -> Project:
        """Returns the project with an id or a name; by default that of `ploidy projects use`."""
        wanted = named or self._default_project
        if wanted is None:
            raise invalid('Name a project, or choose one by "ploidy projects use NAME".')
        if _id.fullmatch(wanted):
            return project_from(self._connection, self.call("GET", f"/v1/projects/{wanted}"))
        for project in self.projects():
            if _key(project.name) == _key(wanted):
                return project
        raise missing("project", wanted)

    def create_project(self, name: str, description: str = "") -> Project:
        """Creates a project."""
        body = {"name": name, "description": description}
        return project_from(self._connection, self.call("POST", "/v1/projects", body))

    def call(
        self,
        method: str,
        path: str,
        body: object = None,
        query: Mapping[str, str | int | None] | None = None,
    ) -> Any:
        """Calls any operation of the API document and returns its JSON. Raises `Problem`."""
        return self._connection.call(method, path, body, query)

    def close(self) -> None:
        """Closes the connections."""
        self._connection.http.close()

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *reason: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Client({self.address!r}, account={self.account!r})"

    def _repr_html_(self) -> str:
        return (
            f"Ploidy at <code>{html.escape(self.address)}</code>, account <b>{html.escape(self.account)}</b>"
        )


def connect(
    address: str | None = None,
    *,
    api_key: str | None = None,
    account: str | None = None,
    profile: str | None = None,
) -> Client:
    """Opens a client with an API key, or with what `ploidy login` or `ploidy.login` stored.

    Arguments precede `PLOIDY_ADDRESS`, `PLOIDY_API_KEY`, `PLOIDY_ACCOUNT` and `PLOIDY_PROFILE`.
    These precede stored values. Raises `SIGNED_OUT` when there are no credentials.
    """
    return _client_of(chosen(address, api_key, account, profile), profile)


def login(
    address: str,
    *,
    api_key: str | None = None,
    account: str | None = None,
    profile: str | None = None,
    show: Callable[[str], object] = print,
) -> Client:
    """Signs in and stores it for later `connect` calls, and for the command line.

    Without a key, shows an address and a code: allow it in a browser on any computer.
    """
    origin = origin_of(address)
    tokens = None if api_key else sign_in_with_code(origin, show)
    token = api_key or (tokens.access_token if tokens else "")
    found = Credentials(origin, account, None, api_key, tokens)
    found = replace(found, account=_account_of(Connection(origin, lambda: token, account or ""), account))
    store(found, profile)
    return _client_of(read_stored(profile), profile)


def _client_of(found: Credentials, profile: str | None) -> Client:
    address, api_key = origin_of(found.address or ""), found.api_key

    def token() -> str:
        return api_key if api_key is not None else fresh_token(address, profile)

    account = found.account or _account_of(Connection(address, token, ""), None)
    return Client(Connection(address, token, account), found.project)


def _account_of(connection: Connection, named: str | None) -> str:
    """Returns the account that credentials are for: the named one, or the first."""
    accounts = [str(one["id"]) for one in connection.call("GET", "/v1/accounts")["accounts"]]
    if named is None and accounts:
        return accounts[0]
    if named is not None and named in accounts:
        return named
    raise signed_out(
        f"These credentials are not valid in the account {named}." if named else "You belong to no account."
    )


def _key(name: str) -> str:
    """Folds the name of a project as the service compares it: composed letters, without regard to case."""
    return unicodedata.normalize("NFC", name).lower()
