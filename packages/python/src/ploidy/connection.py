"""Requests to the service: credentials, errors, retries, pages and streams."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator, Mapping
from typing import Any
from urllib.parse import quote

import httpx

from .problem import Problem, foreign, problem_from, unreachable
from .retry import Backoff, retry

Json = dict[str, Any]
Progress = Callable[[int, "int | None"], None]
"""Receives the bytes that were moved so far, and the total when it is known."""

_page_size = 1000
_timeout = httpx.Timeout(60, connect=10, write=600, read=600)
# One call fails early; transfers and waiting last through a longer outage.
_call_outage_s = 5.0


class Connection:
    """Address, credentials and account of a service, and requests with them. Safe to share by threads."""

    def __init__(self, address: str, token: Callable[[], str], account: str) -> None:
        self.address = address
        self.account = account
        self._token = token
        self.http = httpx.Client(timeout=_timeout, headers={"user-agent": "ploidy-python"})

    def headers(self) -> dict[str, str]:
        """Returns the headers of every request."""
        chosen = {"service-account": self.account} if self.account else {}
        return {"authorization": f"Bearer {self._token()}", **chosen}

    def call(
        self,
        method: str,
        path: str,
        body: object = None,
        query: Mapping[str, str | int | None] | None = None,
        *,
        outage_max_s: float | None = None,
    ) -> Any:
        """Sends a request and returns the JSON of its answer, or None. Raises `Problem` for anything but 2xx.

        POST has an idempotency key, so that a repeated one has no second effect. DELETE is sent once.
        """
        headers = (
            {**self.headers(), "idempotency-key": str(uuid.uuid4())} if method == "POST" else self.headers()
        )
        params = {name: value for name, value in (query or {}).items() if value is not None}

        def attempt() -> Any:
            try:
                response = self.http.request(
                    method, self.address + path, json=body, params=params or None, headers=headers
                )
            except httpx.TransportError as error:
                raise unreachable(self.address, error) from error
            return self._body_of(response)

        patience_s = _call_outage_s if outage_max_s is None else outage_max_s
        return attempt() if method == "DELETE" else retry(attempt, patience_s)

    def head(self, path: str) -> httpx.Response:
        """Returns the headers of a file."""

        def attempt() -> httpx.Response:
            try:
                response = self.http.head(self.address + path, headers=self.headers(), follow_redirects=True)
            except httpx.TransportError as error:
                raise unreachable(self.address, error) from error
            if response.is_success:
                return response
            if response.status_code == 404:
                raise Problem(
                    "There is no file of this id, or none that you may see.", code="NOT_FOUND", status=404
                )
            raise problem_from(response)

        return retry(attempt, _call_outage_s)

    def pages(self, path: str, query: Mapping[str, str | int | None]) -> Iterator[Json]:
        """Yields the items of a list up to its last page."""
        token: str | None = None
        while True:
            page = self.call("GET", path, query={"pageSize": _page_size, **query, "nextPageToken": token})
            yield from page["items"]
            following = page["links"].get("next")
            if following is None:
                return
            token = httpx.URL(following).params["nextPageToken"]

    def stream(self, path: str, start: int = 0, etag: str | None = None) -> Iterator[bytes]:
        """Yields the bytes of a file from `start` on, and continues after a broken connection.

        `etag` is the version of the bytes before `start`. Raises `FILE_CHANGED` when the file has another.
        """
        backoff = Backoff()
        at = start
        while True:
            try:
                with self._opened(path, at, etag) as response:
                    if at > 0 and (response.status_code != 206 or response.headers.get("etag") != etag):
                        raise changed(path)
                    etag = response.headers.get("etag")
                    for chunk in response.iter_raw():
                        at += len(chunk)
                        backoff.renew()
                        yield chunk
                return
            except httpx.TransportError as error:
                problem = unreachable(self.address, error)
            except Problem as refused:
                problem = refused
            if at > 0 and etag is None:
                # Without a tag the rest may be of another version.
                raise problem
            backoff.wait(problem)

    def _opened(self, path: str, at: int, etag: str | None) -> Any:
        rest = {"range": f"bytes={at}-", "if-range": etag} if at > 0 and etag else {}
        headers = {**self.headers(), "accept-encoding": "identity", **rest}
        return _Checked(self.http.stream("GET", self.address + path, headers=headers, follow_redirects=True))

    def _body_of(self, response: httpx.Response) -> Any:
        if not response.is_success:
            raise problem_from(response)
        if response.status_code == 204 or not response.content:
            return None
        if not response.headers.get("content-type", "").startswith("application/json"):
            raise foreign(response.status_code)
        return response.json()


class _Checked:
    """Opens a stream and raises the `Problem` of an answer that is not 2xx."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def __enter__(self) -> httpx.Response:
        response: httpx.Response = self._stream.__enter__()
        if response.is_success:
            return response
        response.read()
        self._stream.__exit__(None, None, None)
        raise problem_from(response)

    def __exit__(self, *reason: Any) -> None:
        self._stream.__exit__(*reason)


def changed(path: str) -> Problem:
    """Creates the error of a file that has other bytes than at the beginning of a transfer."""
    return Problem(f"{path} was changed during its transfer. Try again.", code="FILE_CHANGED")


def segment(text: str) -> str:
    """Escapes a name for one segment of a path."""
    return quote(text, safe="")
