"""Ingestions: jobs that turn a file into rows of tables."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from .connection import Connection, Json
from .problem import Problem
from .retry import poll, retry


@dataclass(frozen=True)
class Ingestion:
    """Ingestion of a file, whose `bytes` are counted.

    `state` is `queued`, `running`, `succeeded`, `failed` or `cancelled`.
    """

    id: str
    file_name: str
    state: str
    rows: int
    bytes: int
    bytes_total: int
    warnings: tuple[str, ...]
    error: str | None
    values: Json = field(repr=False, compare=False)
    _connection: Connection = field(repr=False, compare=False)

    @property
    def has_ended(self) -> bool:
        """Reports whether the state is final."""
        return self.state not in ("queued", "running")

    def refresh(self) -> Ingestion:
        """Returns the present state."""
        return _ingestion_from(self._connection, self._connection.call("GET", f"/v1/ingestions/{self.id}"))

    def wait(self, on_progress: Callable[[Ingestion], object] | None = None) -> Ingestion:
        """Waits for the end, and reports each state on the way. Raises `Problem` unless it succeeded."""

        def ask() -> Ingestion:
            state = retry(self.refresh)
            if on_progress:
                on_progress(state)
            return state

        ended = poll(ask, lambda state: state.has_ended)
        if ended.state != "succeeded":
            error: Json = ended.values.get("error") or {}
            message = error.get("message", f"The ingestion was {ended.state}.")
            raise Problem(f"{ended.file_name}: {message}", code=error.get("code", "INGESTION_CANCELLED"))
        return ended

    def cancel(self) -> None:
        """Cancels the ingestion; its rows are removed."""
        self._connection.call("DELETE", f"/v1/ingestions/{self.id}")


def start_ingestion(connection: Connection, project: str, file: str, options: dict[str, Any]) -> Ingestion:
    """Starts an ingestion of a file."""
    body = {"datasetId": project, "fileId": file, **options}
    return _ingestion_from(connection, connection.call("POST", "/v1/ingestions", body))


def ingestions_of(connection: Connection, project: str, file: str | None = None) -> list[Ingestion]:
    """Lists the ingestions of a project, or of one of its files."""
    items = connection.pages("/v1/ingestions", {"datasetId": project, "fileId": file})
    return [_ingestion_from(connection, item) for item in items]


def _ingestion_from(connection: Connection, values: Json) -> Ingestion:
    progress = values["progress"]
    return Ingestion(
        id=values["id"],
        file_name=values["fileName"],
        state=values["state"],
        rows=progress["rows"],
        bytes=progress["bytes"],
        bytes_total=progress["bytesTotal"],
        warnings=tuple(warning["message"] for warning in values["warnings"]),
        error=(values.get("error") or {}).get("message"),
        values=values,
        _connection=connection,
    )
