"""Reads of BAM and CRAM files, by htsget: for pysam without a copy, or as a local file."""

from __future__ import annotations

import json
import re
import tempfile
from base64 import b64decode
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import httpx

from .connection import Connection, Json, Progress, segment
from .problem import invalid, problem_from, unreachable
from .retry import retry


@dataclass(frozen=True)
class Reads:
    """Reads of one file (read group set). `state` is `indexing`, `active` or `failed`."""

    id: str
    name: str
    samples: tuple[str, ...]
    state: str
    format: str
    file_id: str = field(repr=False)
    _connection: Connection = field(repr=False, compare=False)

    def open(self, region: str | None = None, *, reference: str | Path | None = None) -> Any:
        """Opens the reads as `pysam.AlignmentFile`; `fetch(until_eof=True)` yields them.

        `region` is like `chr7:1,000-2,000`, 1-based and inclusive. Whole blocks are read, with more reads.
        `reference` is a local FASTA for a CRAM whose reference htslib does not find: without, pysam reports a
        truncated file.
        """
        import pysam

        if reference is not None and not Path(reference).is_file():
            raise invalid(f"{reference} is not a file.")
        fasta = None if reference is None else str(reference)
        with htsget_file(self._connection, "reads", self.id, region) as ticket, quiet_htslib():
            return pysam.AlignmentFile(ticket, check_sq=False, reference_filename=fasta)

    def save(self, path: str | Path, region: str | None = None, on_bytes: Progress | None = None) -> Path:
        """Writes the reads into a local file, which appears when it is complete."""
        target = Path(path)
        part = target.with_name(f"ploidy-{self.id}.part")
        try:
            with part.open("wb") as file:
                for block in ticket_of(self._connection, "reads", self.id, region)["htsget"]["urls"]:
                    retry(partial(self._append, block, file))
                    if on_bytes:
                        on_bytes(file.tell(), None)
            part.replace(target)
        finally:
            part.unlink(missing_ok=True)
        return target

    def _append(self, block: Json, file: Any) -> None:
        """Writes a block; an attempt that breaks off leaves nothing."""
        if block["url"].startswith("data:"):
            file.write(b64decode(block["url"].partition(";base64,")[2]))
            return
        start = file.tell()
        try:
            with self._connection.http.stream(
                "GET", block["url"], headers=block.get("headers", {})
            ) as response:
                if not response.is_success:
                    response.read()
                    raise problem_from(response)
                for chunk in response.iter_raw():
                    file.write(chunk)
        except httpx.TransportError as error:
            file.seek(start)
            file.truncate()
            raise unreachable(self._connection.address, error) from error


def reads_of(connection: Connection, project: str) -> Iterator[Reads]:
    """Yields the reads of a project."""
    token: str | None = None
    path = f"/{segment(connection.account)}/v1/readgroupsets/search"
    while True:
        page = connection.call(
            "POST", path, {"datasetId": project, **({"pageToken": token} if token else {})}
        )
        for one in page["readGroupSets"]:
            yield Reads(
                id=one["id"],
                name=one["name"],
                samples=tuple(one["samples"]),
                state=one["status"].lower(),
                format=one.get("format", "BAM"),
                file_id=one["fileId"],
                _connection=connection,
            )
        token = page.get("nextPageToken")
        if token is None:
            return


def ticket_of(connection: Connection, kind: str, id: str, region: str | None) -> Json:
    """Asks for an htsget ticket: addresses of blocks that need no key, and end soon."""
    path = f"/{segment(connection.account)}/v1/htsget/{kind}/{id}"
    ticket: Json = connection.call("GET", path, query=_query_of(region) if region else None)
    return ticket


@contextmanager
def htsget_file(connection: Connection, kind: str, id: str, region: str | None) -> Iterator[str]:
    """Yields the path of a ticket as a file, from which htslib reads. It is needed while htslib opens it."""
    with tempfile.TemporaryDirectory(prefix="ploidy-") as folder:
        path = Path(folder) / "ticket.json"
        path.write_text(json.dumps(ticket_of(connection, kind, id, region)), "utf8")
        yield str(path)


@contextmanager
def quiet_htslib() -> Iterator[None]:
    """Suppresses the messages of htslib about the absent index of a ticket."""
    import pysam

    verbosity = pysam.set_verbosity(0)
    try:
        yield
    finally:
        pysam.set_verbosity(verbosity)


def _query_of(region: str) -> dict[str, str | int | None]:
    """Converts a region of samtools into one of htsget: counted from 0, its end excluded."""
    found = re.fullmatch(r"(.+?)(?::([\d,]+)(?:-([\d,]*))?)?", region)
    first, last = (_number(found[at]) if found else None for at in (2, 3))
    if found is None or first == 0 or (first and last and last < first):
        raise invalid(f'"{region}" is not a region such as chr1:1000-2000.')
    return {"referenceName": found[1], "start": None if first is None else first - 1, "end": last}


def _number(text: str | None) -> int | None:
    return int(text.replace(",", "")) if text else None
