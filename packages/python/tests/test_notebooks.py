"""Notebooks of `samples/notebooks` run, and their figures show what the service computes by itself."""

from __future__ import annotations

import json
import struct
from base64 import b64decode
from typing import Any

import matplotlib
import pytest

import ploidy
from conftest import Service, root

matplotlib.use("agg")
genders = {"female": "women", "male": "men"}
groups = [
    {"id": group, "filter": {"attribute": "patient.gender", "in": [gender]}}
    for gender, group in genders.items()
]


def run(name: str) -> dict[str, Any]:
    """Runs the cells of a notebook one after the other; returns its variables."""
    cells = json.loads((root / "samples/notebooks" / name).read_text("utf8"))["cells"]
    names: dict[str, Any] = {}
    for at, cell in enumerate(cells):
        if cell["cell_type"] == "code":
            exec(compile("".join(cell["source"]), f"{name}, cell {at + 1}", "exec"), names)
    return names


@pytest.fixture
def study(service: Service, filled: ploidy.Project, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Signs notebooks in; returns a function that asks the service for an aggregate of the study."""
    monkeypatch.setenv("PLOIDY_ADDRESS", service.address)
    monkeypatch.setenv("PLOIDY_API_KEY", service.api_key)

    def ask(unit: str, kind: str, **fields: Any) -> Any:
        aggregates = [{"id": "x", "kind": kind, **fields}]
        body = {"datasetId": filled.id, "unit": unit, "aggregates": aggregates}
        with service.connect() as client:
            return client.call("POST", "/v1/analytics/study/query", body)["results"]["x"][kind]

    return ask


def test_survival_of_the_notebook_is_that_of_the_service(study: Any, filled: ploidy.Project) -> None:
    notebook = run("cohort-to-survival.ipynb")
    expected = study("patient", "survival", groups=groups)
    lines = dict(zip(genders.values(), notebook["axes"].lines, strict=True))
    for curve in expected["curves"]:
        times, survival = (list(values) for values in lines[curve["id"]].get_data())
        assert times == pytest.approx([0, *(step["time"] for step in curve["steps"])])
        assert survival == pytest.approx([1, *(step["survival"] for step in curve["steps"])])
        assert curve["events"] > 0
    assert notebook["test"].pvalue == pytest.approx(expected["logRank"]["p"])
    assert filled.cohorts() == []


def test_cells_of_the_oncoprint_are_those_of_the_service(study: Any) -> None:
    notebook = run("variants-to-oncoprint.ipynb")
    expected = study("sample", "oncoprint", genes=notebook["genes"])
    assert notebook["samples"] == expected["subjects"]
    for row in expected["genes"]:
        mutations, copies = [0] * len(notebook["samples"]), [0] * len(notebook["samples"])
        for sample, code in struct.iter_unpack(">HH", b64decode(row["cells"])):
            mutations[sample], copies[sample] = code % 64 % 16 // 2, code % 2048 // 64 // 4
        assert notebook["mutations"].loc[row["gene"]].tolist() == mutations, row["gene"]
        assert notebook["copies"].loc[row["gene"]].tolist() == copies, row["gene"]
    assert notebook["mutations"].to_numpy().any() and notebook["copies"].to_numpy().any()
    drawn = [patch.get_facecolor() for patch in notebook["axes"].patches]
    assert len(drawn) == notebook["altered"].size + (notebook["mutations"] > 0).to_numpy().sum()


def test_points_of_the_volcano_are_tests_of_the_service(study: Any) -> None:
    notebook = run("expression-to-volcano.ipynb")
    expected = study("sample", "enrichment", groups=groups, of=["expression"], top=1000)
    genes = notebook["genes"]
    assert len(genes) == expected["tests"] == len(expected["items"]) > 50
    for item in expected["items"]:
        row = genes.loc[item["name"]]
        assert [row.difference, row.p, row.q] == pytest.approx([item["effect"], item["p"], item["q"]])
    assert len(notebook["axes"].collections[0].get_offsets()) == len(genes)
