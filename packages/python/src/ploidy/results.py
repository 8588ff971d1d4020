"""SQL: results of any length, as a stream of Arrow."""

from __future__ import annotations

import io
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow

from .connection import Connection, Json
from .display import table_html
from .problem import Problem
from .retry import poll, retry

if TYPE_CHECKING:
    import pandas
    import polars

_queries = "/v1/analytics/data-lake/query"
_shown_rows = 20


class Result:
    """Rows of a statement in memory, as Arrow. Libraries with the Arrow C stream interface read it too."""

    def __init__(self, table: Any) -> None:
        self.arrow = table

    def __len__(self) -> int:
        return int(self.arrow.num_rows)

    @property
    def columns(self) -> list[str]:
        """Names of the columns, in order."""
        return list(self.arrow.column_names)

    def to_pandas(self) -> pandas.DataFrame:
        """Returns the rows as a data frame of pandas.

        Columns of whole numbers with NULLs have nullable types such as `Int64`: floats would change digits.
        """
        import pandas

        names, columns = self.arrow.column_names, self.arrow.columns
        return pandas.DataFrame({name: _series(column) for name, column in zip(names, columns, strict=True)})

    def to_polars(self) -> polars.DataFrame:
        """Returns the rows as a data frame of polars, without a copy where types allow."""
        import polars

        frame = polars.from_arrow(self.arrow)
        assert isinstance(frame, polars.DataFrame)
        return frame

    def to_rows(self) -> list[dict[str, Any]]:
        """Returns the rows as dictionaries by name of column."""
        rows: list[dict[str, Any]] = self.arrow.to_pylist()
        return rows

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.arrow.__arrow_c_stream__(requested_schema)

    def __repr__(self) -> str:
        return f"Result({len(self)} rows, columns {', '.join(self.columns)})"

    def _repr_html_(self) -> str:
        rows = [list(row.values()) for row in self.arrow.slice(0, _shown_rows).to_pylist()]
        return table_html(self.columns, rows, len(self))


def _series(column: Any) -> Any:
    """Converts a column into a series of pandas that keeps all digits, within lists and structures too."""
    import pandas

    kinds = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
    nullable = {
        pyarrow.type_for_alias(kind): pandas.api.types.pandas_dtype(kind.title().replace("Ui", "UI"))
        for kind in kinds
    }
    mapper = nullable.get if column.null_count else None
    return column.to_pandas(types_mapper=mapper, integer_object_nulls=True)


def batches_of(connection: Connection, project: str, sql: str) -> Iterator[Any]:
    """Runs a statement and yields each `pyarrow.RecordBatch` as it arrives. Leaves no file in the project."""
    with _result_file(connection, project, sql, "arrow") as path, _reader(connection, path) as reader:
        yield from reader


def result_of(connection: Connection, project: str, sql: str) -> Result:
    """Runs a statement and reads all of its rows. Leaves no file in the project."""
    with _result_file(connection, project, sql, "arrow") as path, _reader(connection, path) as reader:
        return Result(reader.read_all())


def save_result(
    connection: Connection, project: str, sql: str, path: Path, format: str, timestamps: str
) -> None:
    """Runs a statement and writes its result into a local file, which appears when it is complete."""
    part = path.with_name(f"ploidy-{uuid.uuid4().hex[:8]}.part")
    try:
        with _result_file(connection, project, sql, format, timestamps) as source, part.open("wb") as file:
            for chunk in connection.stream(source):
                file.write(chunk)
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


@contextmanager
def _result_file(
    connection: Connection, project: str, sql: str, format: str, timestamps: str = "utc"
) -> Iterator[str]:
    """Runs a statement until its result is a file, yields the path, and deletes it. An interrupt cancels."""
    name = f"queries/{uuid.uuid4()}"
    body = {
        "query": sql,
        "datasetId": project,
        "outputFileName": name,
        "format": format,
        "timestamps": timestamps,
    }
    place = f"{_queries}/{connection.call('POST', _queries, body)['queryId']}"
    try:
        ended: Json = poll(
            lambda: retry(lambda: connection.call("GET", place)), lambda state: state["state"] != "running"
        )
    except BaseException:
        connection.call("DELETE", place)
        raise
    if ended["state"] != "succeeded":
        error = ended.get("error") or {"code": "QUERY_CANCELLED", "message": "The query was cancelled."}
        raise Problem(error["message"], code=error["code"])
    path = f"/v1/files/{ended['resultFileId']}"
    try:
        yield path
    finally:
        connection.call("DELETE", path)


def _reader(connection: Connection, path: str) -> Any:
    source = io.BufferedReader(_Chunks(connection.stream(path)), 1 << 20)
    return pyarrow.ipc.open_stream(pyarrow.PythonFile(source, mode="r"))


class _Chunks(io.RawIOBase):
    """Chunks of bytes as a file that is read once."""

    def __init__(self, chunks: Iterator[bytes]) -> None:
        self._chunks = chunks
        self._rest = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        if not self._rest:
            self._rest = memoryview(next(self._chunks, b""))
        count = min(len(buffer), len(self._rest))
        buffer[:count] = self._rest[:count]
        self._rest = self._rest[count:]
        return count
