"""Cohorts: named sets of patients."""

from __future__ import annotations

from dataclasses import dataclass, field

from .connection import Connection, Json
from .results import Result, result_of


@dataclass(frozen=True)
class Cohort:
    """Cohort of a project. `count` is the number of its patients, `error` the reason of a failed count."""

    id: str
    name: str
    description: str
    count: int
    error: str | None
    project_id: str = field(repr=False)
    _connection: Connection = field(repr=False, compare=False)

    def patients(self) -> list[str]:
        """Returns the ids of the patients, in order."""
        return [str(row["patient_id"]) for row in self.query("SELECT patient_id FROM members").to_rows()]

    def query(self, sql: str) -> Result:
        """Runs a statement that may read `members`, the patients of the cohort in its project.

        Example: `SELECT gender, count(*) FROM patient JOIN members USING (patient_id) GROUP BY gender`.
        """
        members = f"SELECT DISTINCT patient_id FROM cohort WHERE cohort_id = '{self.id}' ORDER BY patient_id"
        return result_of(self._connection, self.project_id, f"WITH members AS ({members}) {sql}")

    def refresh(self) -> Cohort:
        """Returns the cohort as it is now."""
        return cohort_from(self._connection, self._connection.call("GET", f"/v1/cohorts/{self.id}"))

    def rename(self, name: str) -> Cohort:
        """Renames the cohort."""
        return cohort_from(
            self._connection, self._connection.call("PATCH", f"/v1/cohorts/{self.id}", {"name": name})
        )

    def delete(self) -> None:
        """Deletes the cohort; its patients stay."""
        self._connection.call("DELETE", f"/v1/cohorts/{self.id}")


def cohort_from(connection: Connection, values: Json) -> Cohort:
    """Reads a cohort out of an answer."""
    return Cohort(
        id=values["id"],
        name=values["name"],
        description=values["description"],
        count=values["resultCount"],
        error=values.get("error"),
        project_id=values["ownerProject"],
        _connection=connection,
    )
