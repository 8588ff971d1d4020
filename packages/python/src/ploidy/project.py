"""Projects: files, ingestions, SQL, cohorts and reads in one place."""

from __future__ import annotations

import html
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .cohorts import Cohort, cohort_from
from .connection import Connection, Json, Progress
from .display import Listing
from .files import File, file_from, files_under, is_same
from .ingestions import Ingestion, ingestions_of
from .problem import Problem, invalid, missing, unreadable
from .reads import Reads, reads_of
from .results import Result, batches_of, result_of, save_result
from .uploads import Upload, run_all


@dataclass(frozen=True)
class Synced:
    """Outcome of a synchronised folder: names in the project, and the problem of each that failed."""

    sent: list[str]
    present: list[str]
    failed: dict[str, Problem]


@dataclass(frozen=True)
class Project:
    """Project of an account."""

    id: str
    name: str
    description: str
    _connection: Connection = field(repr=False, compare=False)

    def files(self, prefix: str = "") -> Listing[File]:
        """Lists the files whose names begin with `prefix`."""
        # The service ignores case.
        return Listing(file for file in self._files(prefix) if file.name.startswith(prefix))

    def file(self, name: str) -> File:
        """Returns the file with a name. Raises `NOT_FOUND` without one."""
        for file in self.files(name):
            if file.name == name:
                return file
        raise missing("file", name)

    def upload(
        self,
        path: str | Path,
        name: str | None = None,
        *,
        overwrite: bool = False,
        ingest: bool = False,
        on_bytes: Progress | None = None,
    ) -> File:
        """Uploads a local file, by default under its own name.

        From 64 MiB on it goes in parts: an interrupted upload of the same file resumes. `ingest` starts an
        ingestion when the file is complete; `project.ingestions(file)` lists it.
        """
        local = Path(path).resolve()
        found = local.stat()
        if not local.is_file():
            raise invalid(f"{path} is not a file.")
        body: Json = {"datasetId": self.id, "name": name or local.name, "size": found.st_size}
        body |= {key: True for key, chosen in (("overwrite", overwrite), ("ingest", ingest)) if chosen}
        id = Upload(self._connection, local, body, found.st_size, found.st_mtime_ns, on_bytes).send()
        for file in self._files(body["name"]):
            if file.id == id:
                return file
        raise missing("file", body["name"])

    def sync(
        self,
        folder: str | Path,
        prefix: str = "",
        *,
        ingest: bool = False,
        checksum: bool = False,
        jobs: int = 4,
        on_file: Callable[[str], object] | None = None,
    ) -> Synced:
        """Uploads the files of a folder that the project lacks or has with other bytes, several at a time.

        Nothing is deleted, and hidden files are left out. A failed file leaves the others alone; a later call
        sends it again, and resumes. `checksum` also reads files from 64 MiB that are older than their upload.
        """
        root = Path(folder)
        if not root.is_dir():
            raise invalid(f"{folder} is not a folder.")
        present = {file.name: file for file in self._files(prefix)}
        outcome = Synced([], [], {})

        def name_of(path: Path) -> str:
            return prefix + path.relative_to(root).as_posix()

        def fail(path: Path, error: Exception) -> None:
            outcome.failed[name_of(path)] = unreadable(path, error)

        local = {name_of(path): path for path in files_under(root, fail)}

        def work(name: str) -> None:
            file = present.get(name)
            try:
                if file is not None and is_same(file, local[name], checksum):
                    outcome.present.append(name)
                else:
                    self.upload(local[name], name, overwrite=file is not None, ingest=ingest)
                    outcome.sent.append(name)
            except Problem as problem:
                outcome.failed[name] = problem
            except (OSError, UnicodeEncodeError) as error:
                fail(local[name], error)
            if on_file:
                on_file(name)

        run_all(work, sorted(local), jobs)
        return Synced(sorted(outcome.sent), sorted(outcome.present), outcome.failed)

    def _files(self, prefix: str) -> Iterator[File]:
        query = {"datasetId": self.id, "name": prefix or None}
        return (file_from(self._connection, item) for item in self._connection.pages("/v1/files", query))

    def ingestions(self, file: File | None = None) -> Listing[Ingestion]:
        """Lists the ingestions of the project, or of one of its files."""
        return Listing(ingestions_of(self._connection, self.id, file.id if file else None))

    def query(self, sql: str) -> Result:
        """Runs a statement and returns its rows, however many: `.to_polars()`, `.to_pandas()`, `.arrow`."""
        return result_of(self._connection, self.id, sql)

    def batches(self, sql: str) -> Iterator[Any]:
        """Runs a statement and yields `pyarrow.RecordBatch`es as they arrive, for results beyond memory."""
        return batches_of(self._connection, self.id, sql)

    def save(
        self, sql: str, path: str | Path, format: str = "parquet", timestamps: str = "utc"
    ) -> Path:
        """Runs a statement and writes its result into a local file: `parquet`, `arrow`, `csv` or `ndjson`.

        `timestamps="exact"`: in text with all digits, and with `Z` for columns with a zone only.
        """
        save_result(self._connection, self.id, sql, Path(path), format, timestamps)
        return Path(path)

    def tables(self) -> Listing[Table]:
        """Lists the tables that have rows, with their columns."""
        answer = self._connection.call("GET", "/v1/analytics/data-lake/schema", query={"datasetId": self.id})
        return Listing(
            Table(one["table"], tuple(column["name"] for column in one["columns"]))
            for one in answer["schemas"]
        )

    def cohorts(self) -> Listing[Cohort]:
        """Lists the cohorts of the project."""
        items = self._connection.pages("/v1/cohorts", {"projectId": self.id})
        return Listing(cohort_from(self._connection, item) for item in items)

    def create_cohort(
        self,
        name: str,
        *,
        sql: str | None = None,
        dsl: Json | None = None,
        patients: list[str] | None = None,
        description: str = "",
    ) -> Cohort:
        """Creates a cohort from a statement that selects `patient_id`, an analytics query, or ids."""
        queries = [("sql", {"sql": sql})] if sql is not None else []
        queries += [("dsl", dsl)] if dsl is not None else []
        if not queries and patients is None:
            raise invalid("Name the patients of the cohort by sql, dsl or patients.")
        body = {
            "name": name,
            "ownerProject": self.id,
            "description": description,
            "queries": [{"project": self.id, "queryType": kind, "query": query} for kind, query in queries],
            "subjectIds": patients or [],
        }
        return cohort_from(self._connection, self._connection.call("POST", "/v1/cohorts", body))

    def reads(self, sample: str | None = None) -> Listing[Reads]:
        """Lists the reads of the project, or of one sample."""
        found = reads_of(self._connection, self.id)
        return Listing(one for one in found if sample is None or sample in one.samples)

    def delete(self) -> None:
        """Deletes the project, with all that it holds."""
        self._connection.call("DELETE", f"/v1/projects/{self.id}")

    def _repr_html_(self) -> str:
        return f"<b>{html.escape(self.name)}</b> <code>{self.id}</code><br>{html.escape(self.description)}"


@dataclass(frozen=True)
class Table:
    """Table of a project."""

    name: str
    columns: tuple[str, ...]


def project_from(connection: Connection, values: Json) -> Project:
    """Reads a project out of an answer."""
    return Project(values["id"], values["name"], values.get("description", ""), connection)
