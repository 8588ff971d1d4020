"""A service of the checkout for all tests, on a free port and a folder of its own."""

from __future__ import annotations

import json
import os
import subprocess
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest

import ploidy

root = Path(__file__).resolve().parents[3]
samples = root / "samples/data"
_node = [str(root / "node_modules/.bin/node"), str(root / "bin/ploidy.js")]


@dataclass(frozen=True)
class Service:
    """Running service with the key and the sign-in link of its first user."""

    address: str
    api_key: str
    console_url: str

    def connect(self) -> ploidy.Client:
        """Opens a client with the key."""
        return ploidy.connect(self.address, api_key=self.api_key, account="main")


def command_line(*words: str) -> subprocess.CompletedProcess[str]:
    """Runs `ploidy …` of the checkout."""
    return subprocess.run([*_node, *words], capture_output=True, text=True, check=False)


@pytest.fixture(scope="session")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """Starts the service and stops it after all tests."""
    folder = tmp_path_factory.mktemp("service")
    others = {name: value for name, value in os.environ.items() if not name.startswith("PLOIDY_")}
    settings = {"PLOIDY_DATA_DIR": str(folder), "PLOIDY_HOST": "127.0.0.1", "PLOIDY_PORT": "0"}
    log = (folder / "server.log").open("w")
    process = subprocess.Popen(
        [*_node, "serve"], env={**others, **settings}, stdout=subprocess.PIPE, stderr=log, text=True
    )
    try:
        assert process.stdout
        lines = (line.split() for line in process.stdout)
        address = next(words[3] for words in lines if words[:3] == ["Ploidy", "listens", "on"])
        transport = httpx.HTTPTransport(retries=5)
        with httpx.Client(transport=transport) as browser:
            assert browser.get(f"{address}/readyz", timeout=60).is_success
        first = json.loads((folder / "first-run.json").read_text())
        yield Service(address, first["apiKey"], first["consoleUrl"])
    finally:
        process.terminate()
        process.communicate(timeout=60)
        log.close()


@pytest.fixture(autouse=True)
def private_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Separates stored credentials from those of the user, in a folder of its own for each test."""
    for name in [name for name in os.environ if name.startswith("PLOIDY_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    return tmp_path / "config" / "ploidy"


@pytest.fixture
def project(service: Service) -> Iterator[ploidy.Project]:
    """Makes an empty project."""
    with service.connect() as client:
        made = client.create_project(f"Empty {uuid.uuid4()}")
        yield made
        made.delete()


@pytest.fixture(scope="session")
def filled(service: Service) -> Iterator[ploidy.Project]:
    """Makes a project with the sample data that the tests ask for."""
    with service.connect() as client:
        made = client.create_project("Sample project")
        folders = {"fhir": "*.*json", "vcf": "*.vcf*", "omic": "*.csv", "bam": "*.bam"}
        paths = [path for folder, kind in folders.items() for path in sorted((samples / folder).glob(kind))]
        files = [made.upload(path, str(path.relative_to(samples))) for path in paths]
        for ingestion in [file.ingest() for file in files]:
            ingestion.wait()
        yield made
