"""Problems, retries and the display of notebooks, against a service that misbehaves."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

import ploidy
from conftest import Service

Answers = Callable[[BaseHTTPRequestHandler], None]


@contextmanager
def misbehaving(answer: Answers) -> Iterator[ploidy.Client]:
    """Runs a server whose answers a test writes."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            answer(self)

        def log_message(self, *words: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        address = f"http://127.0.0.1:{server.server_address[1]}"
        yield ploidy.connect(address, api_key="key", account="main")
    finally:
        server.shutdown()
        server.server_close()


def send(
    handler: BaseHTTPRequestHandler,
    status: int,
    body: bytes,
    kind: str = "application/json",
    retry_after: str = "0",
) -> None:
    """Writes an answer of JSON."""
    handler.send_response(status)
    headers = {"content-type": kind, "content-length": str(len(body)), "retry-after": retry_after}
    for name, value in headers.items():
        handler.send_header(name, value)
    handler.end_headers()
    handler.wfile.write(body)


@pytest.mark.parametrize(
    ("status", "body", "code"),
    [
        (200, b"<html>", "FOREIGN_ANSWER"),
        (404, b"[]", "FOREIGN_ANSWER"),
        (413, b"<html>", "FOREIGN_ANSWER"),
        (403, b'{"error": "No.", "code": "FORBIDDEN", "requestId": "r"}', "FORBIDDEN"),
    ],
)
def test_answers_become_problems(status: int, body: bytes, code: str) -> None:
    kind = "text/html" if body.startswith(b"<") else "application/json"
    with misbehaving(lambda handler: send(handler, status, body, kind)) as client:
        with pytest.raises(ploidy.Problem) as caught:
            client.projects()
    assert (caught.value.code, caught.value.status) == (code, status)


def test_a_busy_service_is_asked_again_as_late_as_it_requests() -> None:
    answers: list[int] = []

    def answer(handler: BaseHTTPRequestHandler) -> None:
        answers.append(503 if len(answers) < 2 else 200)
        body = b'{"items": [], "links": {}}' if answers[-1] == 200 else b'{"error": "Busy.", "code": "BUSY"}'
        send(handler, answers[-1], body, retry_after="0")

    with misbehaving(answer) as client:
        assert client.projects() == []
    assert answers == [503, 503, 200]


def test_a_delay_beyond_the_patience_of_a_call_is_final() -> None:
    body = b'{"error": "Busy.", "code": "BUSY", "requestId": "r"}'
    with misbehaving(lambda handler: send(handler, 429, body, retry_after="600")) as client:
        with pytest.raises(ploidy.Problem, match=r"Busy. \[BUSY, request r\]") as caught:
            client.projects()
    assert caught.value.retry_after == 600


def test_a_broken_stream_continues_where_it_was() -> None:
    content = bytes(range(256)) * 4096
    ranges: list[str | None] = []

    def answer(handler: BaseHTTPRequestHandler) -> None:
        ranges.append(handler.headers["range"])
        start = int((ranges[-1] or "bytes=0-")[6:-1])
        handler.send_response(206 if start else 200)
        handler.send_header("content-length", str(len(content) - start))
        handler.send_header("etag", '"one"')
        handler.end_headers()
        # Half of the rest, and the connection ends.
        whole = len(ranges) > 3
        handler.wfile.write(content[start : None if whole else start + (len(content) - start) // 2])
        handler.close_connection = True

    with misbehaving(answer) as client:
        assert b"".join(client._connection.stream("/v1/files/x")) == content
    assert ranges[0] is None and len(ranges) == 4


def test_a_stream_of_another_version_is_a_problem() -> None:
    count = 0

    def answer(handler: BaseHTTPRequestHandler) -> None:
        nonlocal count
        count += 1
        handler.send_response(200)
        handler.send_header("content-length", "10")
        handler.send_header("etag", f'"{count}"')
        handler.end_headers()
        handler.wfile.write(b"bytes")
        handler.close_connection = True

    with misbehaving(answer) as client:
        with pytest.raises(ploidy.Problem) as caught:
            list(client._connection.stream("/v1/files/x"))
    assert caught.value.code == "FILE_CHANGED"


def test_nothing_at_an_address_is_a_problem_with_a_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ploidy.connection._call_outage_s", 0.0)
    with pytest.raises(ploidy.Problem, match="Check that the service runs") as caught:
        ploidy.connect("http://127.0.0.1:1", api_key="key", account="main").projects()
    assert (caught.value.code, caught.value.status) == ("UNREACHABLE", 0)


def test_names_that_nothing_has_are_problems(service: Service, project: ploidy.Project) -> None:
    with service.connect() as client:
        for find in (
            lambda: client.project("none"),
            lambda: project.file("none"),
            lambda: project.upload("/none"),
        ):
            with pytest.raises((ploidy.Problem, FileNotFoundError)):
                find()
        with pytest.raises(ploidy.Problem, match="must not be empty"):
            client.create_project("")


def test_notebooks_show_values_as_text(service: Service, project: ploidy.Project) -> None:
    with service.connect() as client:
        assert "account <b>main</b>" in client._repr_html_()
    shown = project.query("SELECT '<script>' AS \"<b>\", CAST(NULL AS VARCHAR) AS nothing")._repr_html_()
    assert (
        "<td>&lt;script&gt;</td><td></td>" in shown
        and "<th>&lt;b&gt;</th>" in shown
        and "<p>1 row</p>" in shown
    )
    assert project.files()._repr_html_() == "<i>(none)</i>"
