"""Uploads: small files in one request, large ones in parts that a later run resumes."""

from __future__ import annotations

import hashlib
import json
import math
import os
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import httpx

from .connection import Connection, Json, Progress, changed
from .credentials import private_folder
from .problem import Problem, foreign, problem_from, unreachable
from .retry import outage_max_s, retry

Item = TypeVar("Item")

_mebibyte = 1 << 20
# Local files from this size on go in parts: below it, further requests cost more than a repetition would.
parted_from_bytes = 64 * _mebibyte
_part_bytes_min = 16 * _mebibyte
_parts_max = 10_000
_parts_at_once = 4
_chunk_bytes = 256 * 1024


@dataclass(frozen=True)
class Upload:
    """Local file on its way into a project. A file that changes on the way is an error."""

    connection: Connection
    path: Path
    body: Json
    size: int
    modified_ns: int
    on_bytes: Progress | None

    def send(self) -> str:
        """Sends the file; returns its id."""
        return self._send_parts() if self.size >= parted_from_bytes else self._send_whole()

    def _send_whole(self) -> str:
        made: Json = self.connection.call("POST", "/v1/files", self.body, outage_max_s=outage_max_s)
        retry(lambda: self._put(made["uploadUrl"], 0, self.size, _Counter(self.size, self.on_bytes)))
        return str(made["id"])

    def _send_parts(self) -> str:
        state = _State(self)
        begun = state.read()
        try:
            return self._send_rest(state, begun or self._begin())
        except Problem as problem:
            # The service removes uploads that no client completes.
            if begun is None or problem.status != 404:
                raise
            return self._send_rest(state, self._begin())

    def _begin(self) -> Json:
        begun: Json = self.connection.call("POST", "/v1/uploads", self.body, outage_max_s=outage_max_s)
        return {**begun, "parts": []}

    def _send_rest(self, state: _State, begun: Json) -> str:
        part_bytes = part_bytes_of(self.size)
        done: set[int] = set(begun["parts"])
        count = math.ceil(self.size / part_bytes)
        counter = _Counter(self.size, self.on_bytes)
        guard = threading.Lock()

        def send(number: int) -> None:
            start = (number - 1) * part_bytes
            end = min(self.size, start + part_bytes)
            if number in done:
                counter.add(end - start)
                return
            retry(lambda: self._put_part(begun["uploadId"], number, start, end, counter))
            with guard:
                done.add(number)
                state.write({**begun, "parts": sorted(done)})

        state.write(begun)
        run_all(send, range(1, count + 1), _parts_at_once)
        self._require_unchanged()
        retry(lambda: self.connection.call("DELETE", f"/v1/uploads/{begun['uploadId']}"))
        state.remove()
        return str(begun["id"])

    def _put_part(self, upload: str, number: int, start: int, end: int, counter: _Counter) -> None:
        # Each attempt needs a new signed address.
        url = self.connection.call("GET", f"/v1/uploads/{upload}/parts/{number}")["uploadUrl"]
        answer = self._put(url, start, end, counter)
        # A store such as S3 returns no body.
        taken = answer.json().get("size") if answer.content else end - start
        if taken is None:
            raise foreign(answer.status_code)
        if taken != end - start:
            message = f"The service received {taken} of the {end - start} bytes of a part. Try again."
            raise Problem(message, code="SIZE_MISMATCH", status=answer.status_code)

    def _put(self, url: str, start: int, end: int, counter: _Counter) -> httpx.Response:
        """Makes one attempt to PUT a range to a signed address."""
        sent = 0

        def content() -> Iterator[bytes]:
            nonlocal sent
            with self.path.open("rb") as file:
                file.seek(start)
                while sent < end - start:
                    chunk = file.read(min(_chunk_bytes, end - start - sent))
                    if not chunk:
                        raise changed(str(self.path))
                    if sent + len(chunk) == end - start:
                        # Without the last bytes no mixture of two states is stored.
                        self._require_unchanged()
                    yield chunk
                    sent += len(chunk)
                    counter.add(len(chunk))

        headers = {"content-type": "application/octet-stream", "content-length": str(end - start)}
        try:
            response = self.connection.http.put(url, content=content(), headers=headers)
            if response.is_success:
                return response
            problem = problem_from(response)
        except httpx.TransportError as error:
            problem = unreachable(self.connection.address, error)
        counter.add(-sent)
        raise problem

    def _require_unchanged(self) -> None:
        """Rejects parts of two states of the file, which would be a third one that never was."""
        now = self.path.stat()
        if (now.st_size, now.st_mtime_ns) != (self.size, self.modified_ns):
            raise changed(str(self.path))


def part_bytes_of(size: int) -> int:
    """Computes the size of all parts but the last: a whole number of MiB that limits their number."""
    return max(_part_bytes_min, math.ceil(size / _parts_max / _mebibyte) * _mebibyte)


def run_all(work: Callable[[Item], object], items: Iterable[Item], at_once: int) -> None:
    """Works on items in threads. The first failure, or an interrupt, ends the rest, and is raised."""
    with ThreadPoolExecutor(at_once) as pool:
        running = [pool.submit(work, item) for item in items]
        try:
            for one in running:
                one.result()
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


class _Counter:
    """Sum of the bytes that several threads have sent."""

    def __init__(self, total: int, listener: Progress | None) -> None:
        self._total = total
        self._listener = listener
        self._bytes = 0
        self._guard = threading.Lock()

    def add(self, count: int) -> None:
        with self._guard:
            self._bytes += count
            if self._listener:
                self._listener(self._bytes, self._total)


class _State:
    """State of one upload in parts, beside the credentials. A changed file has another one."""

    def __init__(self, upload: Upload) -> None:
        key = [upload.connection.address, upload.body, str(upload.path), upload.size, upload.modified_ns]
        digest = hashlib.sha256(json.dumps(key, sort_keys=True).encode()).hexdigest()
        self._path = private_folder() / "uploads" / f"python-{digest}.json"

    def read(self) -> Json | None:
        try:
            state: Json = json.loads(self._path.read_text("utf8"))
            return state
        except (FileNotFoundError, ValueError):
            # A file that was cut off by a kill is as good as none.
            return None

    def write(self, state: Json) -> None:
        self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        temporary = self._path.with_suffix(f".{os.getpid()}")
        temporary.write_text(json.dumps(state), "utf8")
        temporary.replace(self._path)

    def remove(self) -> None:
        self._path.unlink(missing_ok=True)
