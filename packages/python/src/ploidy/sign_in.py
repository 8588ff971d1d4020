"""Sign-in by a code in a browser (RFC 8628), and renewal of its tokens."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace

import httpx

from .credentials import Tokens, credentials_path, origin_of, read_stored, signed_out, store
from .lock import locked
from .problem import Problem, unreachable
from .retry import retry

_client_id = "ploidy-command-line"
# Tokens are replaced this long before they end.
_early_ms = 10 * 60_000


@dataclass(frozen=True)
class _Endpoints:
    device: str
    token: str
    revocation: str


def sign_in_with_code(address: str, show: Callable[[str], object]) -> Tokens:
    """Shows an address and a code, and waits until the user has allowed them in a browser on any computer."""
    endpoints = _discover(origin_of(address))
    status, codes = _post(endpoints.device, {"scope": "openid"})
    if status != 200:
        raise Problem(
            f"The service returned no code ({codes.get('error', status)}).", code="SIGN_IN", status=status
        )
    show(
        f"Open {codes['verification_uri']} in a browser and type the code {codes['user_code']},\n"
        f"or open {codes['verification_uri_complete']}"
    )
    interval_s = float(str(codes.get("interval", 5)))
    form = {
        "grant_type": "urn:ietf:params:oauth:grant-type:device_code",
        "device_code": str(codes["device_code"]),
    }
    while True:
        time.sleep(interval_s)
        status, answer = retry(lambda: _post(endpoints.token, form))
        error = answer.get("error")
        if error == "slow_down":
            interval_s += 5
        elif error in ("access_denied", "expired_token"):
            reason = "was denied" if error == "access_denied" else "was not allowed in time"
            raise signed_out(f"The sign-in {reason}.")
        elif error != "authorization_pending":
            return _tokens_in(status, answer)


def fresh_token(address: str, profile: str | None) -> str:
    """Returns the stored access token, renewed when it is about to end.

    Of several processes one renews it, and the others read what it stored.
    """
    tokens = _stored_for(address, profile)
    if tokens.expires_at - _early_ms > time.time() * 1000:
        return tokens.access_token
    path = credentials_path(profile)
    with locked(path.with_name(f"{path.name}.lock")):
        tokens = _stored_for(address, profile)
        if tokens.expires_at - _early_ms > time.time() * 1000:
            return tokens.access_token
        endpoints = _discover(address)
        form = {"grant_type": "refresh_token", "refresh_token": tokens.refresh_token}
        renewed = _tokens_in(*_post(endpoints.token, form))
        stored = read_stored(profile)
        if stored.tokens is None or stored.tokens.refresh_token != tokens.refresh_token:
            _post(endpoints.revocation, {"token": renewed.refresh_token})
            raise signed_out("You signed in or out in the meantime.")
        store(replace(stored, tokens=renewed), profile)
        return renewed.access_token


def _stored_for(address: str, profile: str | None) -> Tokens:
    stored = read_stored(profile)
    if stored.address != address or stored.tokens is None:
        raise signed_out("You are no longer signed in.")
    return stored.tokens


def _discover(address: str) -> _Endpoints:
    """Asks the service where to sign in. All of it is at the given address: a token goes nowhere else."""
    status, metadata = retry(lambda: _send("GET", f"{address}/v1/.well-known/openid-configuration", None), 5)
    if status != 200:
        raise Problem(
            f"{address} does not offer signing in with a browser.",
            code="SIGN_IN",
            status=status,
            remedy="Use an API key: ploidy.connect(address, api_key=…).",
        )
    if metadata.get("issuer") != f"{address}/v1":
        issuer = str(metadata.get("issuer")).removesuffix("/v1")
        raise Problem(f"The service calls itself {issuer}. Use this address.", code="SIGN_IN")
    names = ("device_authorization_endpoint", "token_endpoint", "revocation_endpoint")
    endpoints = [str(metadata.get(name)) for name in names]
    if not all(one.startswith(f"{address}/") for one in endpoints):
        raise Problem(f"{address} names a sign-in address of another host.", code="SIGN_IN")
    return _Endpoints(*endpoints)


def _tokens_in(status: int, answer: dict[str, object]) -> Tokens:
    access, refresh = answer.get("access_token"), answer.get("refresh_token")
    if answer.get("error") == "invalid_grant":
        raise signed_out("Your sign-in has ended.")
    if status != 200 or not isinstance(access, str) or not isinstance(refresh, str):
        raise Problem(
            f"The service returned no token ({answer.get('error', status)}).", code="SIGN_IN", status=status
        )
    expires_in_s = float(str(answer.get("expires_in", 0)))
    return Tokens(access, refresh, int((time.time() + expires_in_s) * 1000))


def _post(url: str, form: dict[str, str]) -> tuple[int, dict[str, object]]:
    return _send("POST", url, {"client_id": _client_id, **form})


def _send(method: str, url: str, form: dict[str, str] | None) -> tuple[int, dict[str, object]]:
    """Sends a GET, or a POST of a form. A restart or overload of the service is a problem that passes."""
    try:
        response = httpx.request(method, url, data=form, timeout=20)
    except httpx.TransportError as error:
        raise unreachable(str(httpx.URL(url).copy_with(path="/")).rstrip("/"), error) from error
    if response.status_code in (429, 502, 503, 504):
        raise Problem("The service is busy or being restarted.", code="AWAY", status=response.status_code)
    is_json = response.headers.get("content-type", "").startswith("application/json")
    answer = response.json() if is_json else {}
    return response.status_code, answer if isinstance(answer, dict) else {}
