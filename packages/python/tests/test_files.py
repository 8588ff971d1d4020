"""Files: uploads and downloads that continue, and synchronised folders."""

from __future__ import annotations

import os
from pathlib import Path

import httpx
import pytest

import ploidy
from ploidy import uploads
from ploidy.connection import Progress

mebibyte = 1 << 20


class Broken(Exception):
    """Interruption by a listener, as a kill would be."""


def break_after(count: int) -> Progress:
    """Returns a listener that interrupts once so many bytes were moved."""

    def listen(moved: int, total: int | None) -> None:
        if moved >= count:
            raise Broken

    return listen


def requests_of(project: ploidy.Project) -> list[httpx.Request]:
    """Returns the list in which the requests of a project are recorded from now on."""
    seen: list[httpx.Request] = []
    project._connection.http.event_hooks["request"] = [seen.append]
    return seen


@pytest.fixture
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sends files in parts of one MiB, one after the other."""
    monkeypatch.setattr(uploads, "parted_from_bytes", 2 * mebibyte)
    monkeypatch.setattr(uploads, "_part_bytes_min", mebibyte)
    monkeypatch.setattr(uploads, "_parts_at_once", 1)


def test_a_file_keeps_name_and_bytes(project: ploidy.Project, tmp_path: Path) -> None:
    source = tmp_path / "a.txt"
    source.write_bytes(b"bytes of a file")
    file = project.upload(source, "folder/é.txt")
    assert (file.name, file.size, file.read()) == ("folder/é.txt", 15, b"bytes of a file")
    assert [one.id for one in project.files("folder/")] == [file.id]
    assert file.download(tmp_path / "b.txt").read_bytes() == source.read_bytes()
    assert file.rename("c.txt").name == "c.txt"
    file.delete()
    assert project.files() == []


def test_an_empty_file_is_a_file(project: ploidy.Project, tmp_path: Path) -> None:
    (tmp_path / "empty").touch()
    file = project.upload(tmp_path / "empty")
    assert (file.size, file.download(tmp_path / "again").read_bytes()) == (0, b"")


def test_a_taken_name_is_a_problem_unless_overwritten(project: ploidy.Project, tmp_path: Path) -> None:
    source = tmp_path / "a.txt"
    source.write_text("one")
    first = project.upload(source)
    with pytest.raises(ploidy.Problem) as caught:
        project.upload(source)
    assert (caught.value.code, caught.value.status) == ("FILE_EXISTS", 409)
    source.write_text("other")
    second = project.upload(source, overwrite=True)
    assert (second.id, second.read()) == (first.id, b"other")


def test_an_interrupted_upload_sends_the_rest(
    project: ploidy.Project, tmp_path: Path, small_parts: None, private_folder: Path
) -> None:
    source = tmp_path / "large.bin"
    source.write_bytes(os.urandom(5 * mebibyte + 7))
    with pytest.raises(Broken):
        project.upload(source, on_bytes=break_after(3 * mebibyte + 1))
    assert len(list((private_folder / "uploads").iterdir())) == 1
    seen = requests_of(project)
    file = project.upload(source)
    assert [request.headers["content-length"] for request in seen if request.method == "PUT"] == [
        str(mebibyte),
        str(mebibyte),
        "7",
    ]
    assert file.read() == source.read_bytes()
    assert list((private_folder / "uploads").iterdir()) == []


def test_a_file_that_changes_during_its_upload_is_a_problem(
    project: ploidy.Project, tmp_path: Path, small_parts: None
) -> None:
    source = tmp_path / "large.bin"
    source.write_bytes(bytes(3 * mebibyte))

    def change(moved: int, total: int | None) -> None:
        os.utime(source, ns=(0, 0))

    with pytest.raises(ploidy.Problem) as caught:
        project.upload(source, on_bytes=change)
    assert caught.value.code == "FILE_CHANGED"
    assert project.files() == []


def test_an_interrupted_download_requests_the_rest(project: ploidy.Project, tmp_path: Path) -> None:
    source, target = tmp_path / "large.bin", tmp_path / "saved.bin"
    source.write_bytes(os.urandom(4 * mebibyte))
    file = project.upload(source)
    with pytest.raises(Broken):
        file.download(target, on_bytes=break_after(mebibyte))
    assert not target.exists()
    (part,) = tmp_path.glob("*.part")
    start = part.stat().st_size
    seen = requests_of(project)
    file.download(target)
    assert [request.headers.get("range") for request in seen if request.method == "GET"] == [
        f"bytes={start}-"
    ]
    assert target.read_bytes() == source.read_bytes()
    assert list(tmp_path.glob("*.part")) == []


def test_a_damaged_part_of_a_download_is_found_and_removed(project: ploidy.Project, tmp_path: Path) -> None:
    source, target = tmp_path / "large.bin", tmp_path / "saved.bin"
    source.write_bytes(os.urandom(4 * mebibyte))
    file = project.upload(source)
    with pytest.raises(Broken):
        file.download(target, on_bytes=break_after(mebibyte))
    (part,) = tmp_path.glob("*.part")
    part.write_bytes(bytes(part.stat().st_size))
    with pytest.raises(ploidy.Problem) as caught:
        file.download(target)
    assert caught.value.code == "FILE_CHANGED"
    assert file.download(target).read_bytes() == source.read_bytes()


def test_a_synchronised_folder_sends_new_and_changed_files(project: ploidy.Project, tmp_path: Path) -> None:
    folder = tmp_path / "runs"
    (folder / "a").mkdir(parents=True)
    for number in range(12):
        (folder / "a" / f"f{number:02}.csv").write_text(f"p{number},7\n")
    first = project.sync(folder, "runs/")
    assert (len(first.sent), first.present, first.failed) == (12, [], {})
    changed = folder / "a/f07.csv"
    times = changed.stat()
    changed.write_text("p7,8\n")
    # Size and time are equal; only the bytes differ.
    os.utime(changed, ns=(times.st_atime_ns, times.st_mtime_ns))
    (folder / "new.csv").write_text("p,1\n")
    second = project.sync(folder, "runs/")
    assert (second.sent, len(second.present)) == (["runs/a/f07.csv", "runs/new.csv"], 11)
    assert project.file("runs/a/f07.csv").read() == b"p7,8\n"
    assert project.sync(folder, "runs/").sent == []


def test_one_bad_file_leaves_the_others_alone(project: ploidy.Project, tmp_path: Path) -> None:
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "good.csv").touch()
    (tmp_path / "runs" / "bad\x01.csv").touch()
    outcome = project.sync(tmp_path / "runs")
    assert outcome.sent == ["good.csv"]
    assert [problem.code for problem in outcome.failed.values()] == ["INVALID_INPUT"]


def test_a_folder_with_odd_entries_sends_each_file_once(project: ploidy.Project, tmp_path: Path) -> None:
    folder = tmp_path / "runs"
    (folder / "a").mkdir(parents=True)
    (folder / ".git").mkdir()
    for name in ("a/x y.csv", "a/100%25 #1?.csv", "A.csv", "a.csv", "e\u0301.csv", "\xe9.csv", ".git/no"):
        (folder / name).write_text(name)
    (folder / "again").symlink_to("a")
    (folder / "loop").symlink_to(".")
    (folder / "gone").symlink_to("nothing")
    os.mkfifo(folder / "pipe")
    (folder / os.fsdecode(b"\xff.csv")).touch()
    outcome = project.sync(folder, "r/")
    assert {name: problem.code for name, problem in outcome.failed.items()} == {
        "r/gone": "UNREADABLE",
        "r/\udcff.csv": "UNREADABLE",
    }
    there = {file.name: file.read().decode() for file in project.files()}
    names = ["a/x y.csv", "a/100%25 #1?.csv", "A.csv", "a.csv", "e\u0301.csv", "\xe9.csv"]
    twice = {f"r/{name.replace('a/', 'again/')}": name for name in names[:2]}
    assert there == {f"r/{name}": name for name in names} | twice
    assert project.sync(folder, "r/").present == sorted(there)


def test_a_small_file_that_changes_during_its_upload_is_not_stored(
    project: ploidy.Project, tmp_path: Path
) -> None:
    source = tmp_path / "small.bin"
    source.write_bytes(bytes(mebibyte))
    with pytest.raises(ploidy.Problem) as caught:
        project.upload(source, on_bytes=lambda moved, total: os.utime(source, ns=(moved, moved)))
    assert caught.value.code == "FILE_CHANGED"
    assert project.files() == []


def test_large_files_are_compared_by_their_bytes_on_request(
    project: ploidy.Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ploidy.files._hashed_max_bytes", 1)
    (tmp_path / "large.bin").write_bytes(b"one")
    project.sync(tmp_path)
    (tmp_path / "large.bin").write_bytes(b"two")
    os.utime(tmp_path / "large.bin", ns=(0, 0))
    assert project.sync(tmp_path).sent == []
    assert project.sync(tmp_path, checksum=True).sent == ["large.bin"]


def test_an_interrupt_ends_a_synchronised_folder(project: ploidy.Project, tmp_path: Path) -> None:
    folder = tmp_path / "runs"
    folder.mkdir()
    for number in range(200):
        (folder / f"f{number:03}.csv").write_text(f"p{number}\n")

    def interrupt(name: str) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        project.sync(folder, on_file=interrupt)
    begun = len(project.files())
    assert 0 < begun < 200
    rest = project.sync(folder)
    assert (len(rest.sent), len(rest.present)) == (200 - begun, begun)
