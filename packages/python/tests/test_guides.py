"""Examples of the guides and of the README run as they are written."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

import ploidy
from conftest import Service, root, samples

pages = [*sorted((root / "docs/guides").glob("*.md")), root / "packages/python/README.md"]
examples = {
    f"{page.name}-{at}": code
    for page in pages
    for at, code in enumerate(
        re.findall(r"^```python\n(.*?)^```$", page.read_text("utf8"), re.DOTALL | re.MULTILINE)
    )
    if "import ploidy" in code
}


@pytest.mark.parametrize("name", examples)
def test_an_example_runs(
    name: str, service: Service, filled: ploidy.Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ploidy.login(service.address, api_key=service.api_key).close()
    (tmp_path / "runs").mkdir()
    shutil.copy(samples / "vcf/SYN0001.vcf", tmp_path / "runs")
    shutil.copy(samples / "vcf/SYN0013-SYN0020.vcf.gz", tmp_path / "sample.vcf.gz")
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    exec(examples[name], names)
    ended = [ingestion.wait().state for ingestion in filled.ingestions()]
    assert set(ended) == {"succeeded"}
    for begins in ("runs/", "sample"):
        for file in filled.files(begins):
            file.delete()


def test_every_page_of_the_package_has_an_example() -> None:
    assert {name.split(".")[0] for name in examples} == {"README", "analyst", "bioinformatician"}
