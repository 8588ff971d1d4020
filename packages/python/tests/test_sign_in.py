"""Credentials: device code, keys, profiles, and the file that the command line shares."""

from __future__ import annotations

import html
import json
import re
import stat
import threading
from dataclasses import replace
from pathlib import Path

import httpx
import pytest

import ploidy
from conftest import Service, command_line
from ploidy import credentials


def allow(service: Service, shown: str) -> None:
    """Allows a code in a browser whose user is signed in by the link of the first start."""
    address = re.findall(r"http://\S+", shown)[-1]
    own = {"origin": service.address, "sec-fetch-site": "same-origin"}
    with httpx.Client(follow_redirects=True) as browser:
        page = browser.get(service.console_url)
        for _ in range(2):
            forms = re.findall(r'<form[^>]*action="([^"]+)"[^>]*>(.*?)</form>', page.text, re.DOTALL)
            if page.url.path == "/v1/device":
                break
            for action, form in forms[:1]:
                browser.post(service.address + html.unescape(action), data=hidden(form), headers=own)
            page = browser.get(address)
        (form,) = [form for action, form in forms if action == "/v1/device"]
        done = browser.post(
            f"{service.address}/v1/device", data={**hidden(form), "decision": "allow"}, headers=own
        )
        assert done.is_success, done.text


def hidden(form: str) -> dict[str, str]:
    """Returns the hidden fields of a form."""
    fields = re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)"', form)
    return {name: html.unescape(value) for name, value in fields}


def test_a_code_signs_in_and_the_command_line_shares_it(service: Service, private_folder: Path) -> None:
    shown: list[str] = []
    browser = threading.Timer(1, lambda: allow(service, shown[0]))
    browser.start()
    with ploidy.login(service.address, show=shown.append) as client:
        assert client.account == "main"
    browser.join()
    path = private_folder / "credentials.json"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    who = command_line("whoami", "--json")
    assert who.returncode == 0 and json.loads(who.stdout)["account"] == "main", who.stderr

    before = credentials.read_stored()
    assert before.tokens
    credentials.store(replace(before, tokens=replace(before.tokens, expires_at=0)))
    with ploidy.connect() as renewed:
        assert renewed.projects() is not None
    after = credentials.read_stored()
    assert after.tokens and after.tokens.refresh_token != before.tokens.refresh_token
    assert not list(private_folder.glob("*.lock*"))

    credentials.store(replace(after, tokens=replace(after.tokens, refresh_token="gone", expires_at=0)))
    with pytest.raises(ploidy.Problem) as caught:
        ploidy.connect().projects()
    assert caught.value.code == "SIGNED_OUT" and "ploidy.login" in str(caught.value)


def test_the_sign_in_of_the_command_line_serves_python(service: Service) -> None:
    signed_in = command_line("login", "--address", service.address, "--key", service.api_key)
    assert signed_in.returncode == 0, signed_in.stderr
    with ploidy.connect() as client:
        made = client.create_project("Chosen")
        assert command_line("projects", "use", "Chosen").returncode == 0
    with ploidy.connect() as client:
        assert client.project() == client.project("CHOSEN") == client.project(made.id) == made
    with service.connect() as client:
        client.project(made.id).delete()


def test_a_key_is_tested_and_stored_under_its_profile(service: Service, private_folder: Path) -> None:
    with pytest.raises(ploidy.Problem) as caught:
        ploidy.login(service.address, api_key="wrong")
    assert caught.value.status == 401 and not private_folder.exists()
    ploidy.login(service.address, api_key=service.api_key, profile="second").close()
    assert [path.name for path in private_folder.iterdir()] == ["credentials-second.json"]
    assert ploidy.connect(profile="second").account == "main"
    with pytest.raises(ploidy.Problem, match="You are not signed in"):
        ploidy.connect()


def test_a_stored_key_goes_to_no_other_address(monkeypatch: pytest.MonkeyPatch) -> None:
    stored = credentials.Credentials("http://one.test", "main", "p", "key")
    credentials.store(stored)
    assert credentials.chosen(None, None, None, None) == stored
    assert credentials.chosen("http://one.test/v1/", None, "other", None) == replace(stored, account="other")
    with pytest.raises(ploidy.Problem, match="You are not signed in at http://two.test"):
        credentials.chosen("http://two.test", None, None, None)
    other = credentials.chosen(None, "other key", None, None)
    assert other == credentials.Credentials("http://one.test", api_key="other key")
    monkeypatch.setenv("PLOIDY_API_KEY", "of the environment")
    assert credentials.chosen(None, None, None, None).api_key == "of the environment"


def test_damaged_credentials_name_their_file(private_folder: Path) -> None:
    private_folder.mkdir(parents=True)
    for damaged in ("{", "[]", '{"tokens": {"accessToken": "a"}}'):
        (private_folder / "credentials.json").write_text(damaged)
        with pytest.raises(ploidy.Problem, match="credentials.json is damaged"):
            ploidy.connect()


@pytest.mark.parametrize("profile", ["../other", "a/b", "x" * 65])
def test_a_profile_is_no_path(profile: str) -> None:
    with pytest.raises(ploidy.Problem, match="not the name of a profile"):
        ploidy.connect(profile=profile)
