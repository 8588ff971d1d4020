"""Errors of the service and of the way to it, as one exception."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import httpx

_passing = frozenset({429, 502, 503, 504})
_proxies = {
    413: ("A proxy refuses a body of this size", "Remove its limit of the size of a body."),
    502: ("A proxy answers, and the service behind it does not", "Check that the service runs."),
    504: ("A proxy answers, and the service took longer than the proxy waits", "Raise its read timeout."),
}


@dataclass(frozen=True)
class Detail:
    """Error in a field of a request, at a place such as `body/name`."""

    path: str
    message: str


class Problem(Exception):
    """Failure with a stable `code`, a sentence for people, and a `remedy` where there is one.

    `status` is 0 without an answer. Codes of the service are listed at `/docs/errors`. Those of this package:
    `UNREACHABLE`, `FOREIGN_ANSWER`, `FILE_CHANGED`, `SIZE_MISMATCH`, `SIGNED_OUT`, `NOT_FOUND`,
    `INVALID_INPUT`, `UNREADABLE`.
    """

    def __init__(
        self,
        message: str,
        *,
        code: str,
        status: int = 0,
        remedy: str | None = None,
        request_id: str | None = None,
        details: tuple[Detail, ...] = (),
        retry_after: float = 0,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.code = code
        self.status = status
        self.remedy = remedy
        self.request_id = request_id
        self.details = details
        self.retry_after = retry_after

    def __str__(self) -> str:
        """Joins message, wrong fields, remedy, code and the id that operators find in the log."""
        fields = "".join(
            f" {one.path} {one.message}." for one in self.details if one.message not in self.message
        )
        request = f", request {self.request_id}" if self.request_id else ""
        remedy = f" {self.remedy}" if self.remedy else ""
        return f"{self.message}{fields}{remedy} [{self.code}{request}]"

    @property
    def is_passing(self) -> bool:
        """Reports whether a later attempt may succeed. A full disk needs an operator."""
        away = self.code == "UNREACHABLE" or self.status in _passing
        return away and self.code != "STORAGE_FULL"


def problem_from(response: httpx.Response) -> Problem:
    """Reads the error out of an answer whose body is loaded, whatever it holds."""
    status = response.status_code
    try:
        body = response.json()
    except ValueError:
        return foreign(status)
    if not isinstance(body, dict):
        return foreign(status)
    retry_after = _seconds(response.headers.get("retry-after", ""))
    inner = body.get("htsget")
    if isinstance(inner, dict):
        return Problem(
            str(inner.get("message")), code=str(inner.get("error")), status=status, retry_after=retry_after
        )
    if not isinstance(body.get("error"), str) or not isinstance(body.get("code"), str):
        return foreign(status)
    return Problem(
        body["error"],
        code=body["code"],
        status=status,
        remedy='Sign in again: ploidy.login(), or "ploidy login".' if status == 401 else None,
        request_id=body.get("requestId"),
        details=tuple(Detail(one["path"], one["message"]) for one in body.get("details", [])),
        retry_after=retry_after,
    )


def foreign(status: int) -> Problem:
    """Creates the error of an answer that is not of this API: of another program, or of a proxy."""
    unknown = ("The server at this address is not Ploidy", "Check the address.")
    meaning, remedy = _proxies.get(status, unknown)
    return Problem(f"{meaning} (status {status}).", code="FOREIGN_ANSWER", status=status, remedy=remedy)


def unreachable(address: str, cause: Exception) -> Problem:
    """Creates the error of a connection that failed, with the reason of the transport."""
    reason = str(cause) or type(cause).__name__
    if "CERTIFICATE" in reason:
        remedy = "Set SSL_CERT_FILE to a file with the certificate of your certification authority (PEM)."
        return Problem(f"The certificate of {address} is not trusted.", code="UNTRUSTED", remedy=remedy)
    return Problem(
        f"Nothing answers at {address} ({reason}).",
        code="UNREACHABLE",
        remedy="Check that the service runs, and the address.",
    )


def invalid(message: str) -> Problem:
    """Creates the error of an argument that no request can use."""
    return Problem(message, code="INVALID_INPUT")


def unreadable(path: Path, cause: Exception) -> Problem:
    """Creates the error of a local file or folder that cannot be read, or has no name in Unicode."""
    reason = cause.strerror if isinstance(cause, OSError) else "its name is not Unicode"
    return Problem(
        f"{str(path)!r} cannot be read: {reason}.",
        code="UNREADABLE",
        remedy="Make it readable, or remove it.",
    )


def missing(kind: str, name: str) -> Problem:
    """Creates the error of a name that no visible thing has."""
    return Problem(f'There is no {kind} "{name}", or none that you may see.', code="NOT_FOUND", status=404)


def _seconds(text: str) -> float:
    return float(text) if text.isdigit() else 0
