"""Requests of an app, with the app password of a user."""

import base64
import json
import urllib.error
import urllib.request
from dataclasses import dataclass
from email.message import Message


@dataclass(frozen=True)
class Answer:
    """Response to a request."""

    address: str
    status: int
    headers: Message
    body: bytes

    @property
    def mime(self) -> str:
        return self.headers.get("Content-Type", "")

    def json(self) -> dict:
        return json.loads(self.body)

    def expect(self, status: int) -> "Answer":
        assert self.status == status, f"{self.address}: {self.status} {self.body[:500]!r}"
        return self


class NoRedirect(urllib.request.HTTPRedirectHandler):
    """Apps do not follow redirects, so that a redirect is an error."""

    def redirect_request(self, *_):
        return None


OPENER = urllib.request.build_opener(NoRedirect)


class Device:
    """An app. Without a secret, it sends no credentials."""

    def __init__(self, base: str, username: str = "", secret: str = "") -> None:
        self.base = base
        self.headers = {}
        if secret:
            pair = base64.b64encode(f"{username}:{secret}".encode()).decode()
            self.headers["Authorization"] = f"Basic {pair}"

    def get(self, address: str, **headers: str) -> Answer:
        return self.send("GET", address, **headers)

    def head(self, address: str) -> Answer:
        return self.send("HEAD", address)

    def send(self, method: str, address: str, body: bytes | None = None, **headers: str) -> Answer:
        address = address if address.startswith("http") else self.base + address
        headers = {**self.headers, **headers}
        request = urllib.request.Request(address, data=body, headers=headers, method=method)
        try:
            with OPENER.open(request) as answer:
                return Answer(address, answer.status, answer.headers, answer.read())
        except urllib.error.HTTPError as refused:
            return Answer(address, refused.code, refused.headers, refused.read())
