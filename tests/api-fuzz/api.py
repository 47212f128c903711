"""The few requests that setting the scene takes."""

import json
import urllib.error
import urllib.request


class Failed(Exception):
    """The scene could not be set."""


class Api:
    """The server, as one user or as nobody."""

    def __init__(self, base: str, token: str | None = None) -> None:
        self.base = base
        self.token = token

    def sign_in(self, username: str, password: str) -> "Api":
        body = {"username": username, "password": password}
        return Api(self.base, self.post("/auth/login", body)["token"])

    def answers(self) -> bool:
        try:
            with urllib.request.urlopen(f"{self.base}/healthz") as answer:
                return answer.status == 200
        except OSError:
            return False

    def get(self, path: str) -> dict:
        return self.send("GET", path)

    def post(self, path: str, body: dict | None = None) -> dict:
        return self.send("POST", path, body)

    def patch(self, path: str, body: dict) -> dict:
        return self.send("PATCH", path, body)

    def put(self, path: str, body: dict | bytes) -> dict:
        return self.send("PUT", path, body)

    def send(
        self,
        method: str,
        path: str,
        body: dict | bytes | None = None,
        bytes_type: str = "application/octet-stream",
    ) -> dict:
        headers = {}
        if self.token:
            headers["Authorization"] = f"Bearer {self.token}"
        if isinstance(body, dict):
            headers["Content-Type"] = "application/json"
            body = json.dumps(body).encode()
        elif body is not None:
            headers["Content-Type"] = bytes_type
        request = urllib.request.Request(
            f"{self.base}/api/v1{path}", data=body, headers=headers, method=method
        )
        try:
            with urllib.request.urlopen(request) as answer:
                return json.loads(answer.read() or b"{}")
        except urllib.error.HTTPError as refused:
            raise Failed(f"{method} {path}: {refused.code} {refused.read()!r}") from refused
