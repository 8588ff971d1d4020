"""Files of a project: bytes, resumable downloads, and synchronised folders."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from stat import S_ISDIR, S_ISREG
from typing import TYPE_CHECKING, Any

from .connection import Connection, Json, Progress
from .problem import Problem
from .reads import htsget_file, quiet_htslib

if TYPE_CHECKING:
    from .ingestions import Ingestion

# From this size on, a folder is compared by size and time alone.
_hashed_max_bytes = 64 << 20


@dataclass(frozen=True)
class File:
    """File of a project. `name` is its path there, `size` in bytes."""

    id: str
    name: str
    size: int
    last_modified: datetime
    content_type: str
    project_id: str = field(repr=False)
    _connection: Connection = field(repr=False, compare=False)

    @property
    def _path(self) -> str:
        return f"/v1/files/{self.id}"

    def stream(self) -> Iterator[bytes]:
        """Yields the bytes as they arrive; continues after a broken connection."""
        return self._connection.stream(self._path)

    def read(self) -> bytes:
        """Returns all bytes."""
        return b"".join(self.stream())

    def download(self, path: str | Path | None = None, on_bytes: Progress | None = None) -> Path:
        """Downloads into a local file, by default with the last part of the name in the working folder.

        The file appears when it is complete. What an interrupted download has left is resumed; the bytes are
        compared with the digest of the service.
        """
        target = Path(path or self.name.rsplit("/", 1)[-1])
        if target.is_dir():
            target = target / self.name.rsplit("/", 1)[-1]
        etag, size = version_of(self._connection, self._path)
        digest = sha256_in(etag)
        part = target.with_name(f"ploidy-{self.id}-{(digest or 'bytes')[:16]}.part")
        start = part.stat().st_size if digest and part.exists() else 0
        with part.open("ab" if start else "wb") as file:
            if start < size or size == 0:
                for chunk in self._connection.stream(self._path, start, etag if start else None):
                    file.write(chunk)
                    if on_bytes:
                        on_bytes(file.tell(), size)
        if digest and sha256_of(part) != digest:
            part.unlink()
            message = f"{self.name} arrived with other bytes than the service has. Try again."
            raise Problem(message, code="FILE_CHANGED")
        part.replace(target)
        return target

    def ingest(self, **options: Any) -> Ingestion:
        """Starts an ingestion. Options are fields of `POST /v1/ingestions`, such as `type="vcf"`."""
        from .ingestions import start_ingestion

        return start_ingestion(self._connection, self.project_id, self.id, options)

    def rename(self, name: str) -> File:
        """Renames the file; its id stays."""
        return file_from(self._connection, self._connection.call("PATCH", self._path, {"name": name}))

    def delete(self) -> None:
        """Deletes the file, and the rows that were ingested from it."""
        self._connection.call("DELETE", self._path)

    def open_variants(self, region: str | None = None) -> Any:
        """Opens a bgzipped VCF or a BCF as `pysam.VariantFile`, by htsget. Regions are as in `Reads.open`."""
        import pysam

        with htsget_file(self._connection, "variants", self.id, region) as ticket, quiet_htslib():
            return pysam.VariantFile(ticket)


def file_from(connection: Connection, values: Json) -> File:
    """Reads a file out of an answer."""
    return File(
        id=values["id"],
        name=values["name"],
        size=values["size"],
        last_modified=datetime.fromisoformat(values["lastModified"].replace("Z", "+00:00")),
        content_type=values["contentType"],
        project_id=values["datasetId"],
        _connection=connection,
    )


def version_of(connection: Connection, path: str) -> tuple[str, int]:
    """Returns the entity tag and the size of a file."""
    response = connection.head(path)
    return response.headers.get("etag", ""), int(response.headers.get("content-length", 0))


def sha256_in(etag: str) -> str | None:
    """Returns the SHA-256 that an entity tag of the service is; those of S3 are none."""
    found = re.fullmatch(r'"([0-9a-f]{64})"', etag)
    return found[1] if found else None


def sha256_of(path: Path) -> str:
    """Computes the SHA-256 of a local file."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(1 << 20):
            digest.update(chunk)
    return digest.hexdigest()


def is_same(file: File, path: Path, reads_all: bool = False) -> bool:
    """Compares a file with a local one: by size and digest, or time when it is large or has no digest."""
    found = path.stat()
    if found.st_size != file.size:
        return False
    is_newer = found.st_mtime > file.last_modified.timestamp()
    if reads_all or is_newer or file.size < _hashed_max_bytes:
        digest = sha256_in(version_of(file._connection, file._path)[0])
        if digest is not None:
            return sha256_of(path) == digest
    return not is_newer


def files_under(
    folder: Path, on_unread: Callable[[Path, OSError], object], above: frozenset[Path] = frozenset()
) -> Iterator[Path]:
    """Yields the files of a folder, except those of hidden names.

    Links are followed, but not into a folder that holds them. What cannot be read is reported.
    """
    real = folder.resolve()
    if real in above:
        return
    try:
        entries = [entry for entry in folder.iterdir() if not entry.name.startswith(".")]
    except OSError as error:
        on_unread(folder, error)
        return
    for entry in entries:
        try:
            mode = entry.stat().st_mode
        except OSError as error:
            on_unread(entry, error)
            continue
        if S_ISDIR(mode):
            yield from files_under(entry, on_unread, above | {real})
        elif S_ISREG(mode):
            yield entry
