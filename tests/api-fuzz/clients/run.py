"""Starts a server with a small library of recordings, and uses it through client libraries."""

import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parent.parent.parent
sys.path.insert(0, str(HERE.parent))

from api import Api, Failed  # noqa: E402

import opensonic  # noqa: E402

BUILT = ROOT / os.environ.get("CARGO_TARGET_DIR", "target") / "debug"
PROGRAM = BUILT / os.environ.get("LEDGE_PROGRAM", "ledge")
FIXTURES = BUILT / "ledge-fixtures"
NODE_MODULES = ROOT / ".cache" / "clients" / "node_modules"
PASSWORD = "only for this run"
TIMEOUT = 60


def main() -> int:
    folder = Path(tempfile.mkdtemp(prefix="ledge-clients-"))
    server = None
    try:
        subprocess.run([FIXTURES, "demo", folder / "media"], check=True, stdout=subprocess.DEVNULL)
        server, port = start(folder)
        secret = furnish(f"http://127.0.0.1:{port}", folder)
        opensonic.check(port, "admin", secret)
        print("clients: py-opensonic passes")
        script = [shutil.which("node"), HERE / "subsonic.mjs", str(NODE_MODULES), str(port), secret]
        subprocess.run(script, check=True, timeout=TIMEOUT)
        print("clients: subsonic-api passes")
        return 0
    except (Failed, AssertionError, subprocess.SubprocessError) as failure:
        print(f"clients: {failure!r}", file=sys.stderr)
        return 1
    finally:
        if server:
            server.terminate()
            server.wait()
        shutil.rmtree(folder)


def start(folder: Path) -> tuple[subprocess.Popen, int]:
    """Returns the server after its first response, and its port."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    settings = {
        "LEDGE_LISTEN": f"127.0.0.1:{port}",
        "LEDGE_DATABASE": str(folder / "ledge.db"),
        "LEDGE_ADMIN_PASSWORD": PASSWORD,
        "LEDGE_LOG": "error",
    }
    server = subprocess.Popen([PROGRAM, "serve"], env={**os.environ, **settings})
    wait(lambda: Api(f"http://127.0.0.1:{port}").answers(), "The server does not respond.")
    return server, port


def furnish(base: str, folder: Path) -> str:
    """Scans a library, and returns the secret of an app password."""
    admin = Api(base).sign_in("admin", PASSWORD)
    user = admin.get("/auth/me")["id"]
    for path in sorted((folder / "media").iterdir()):
        body = {"name": path.name, "path": str(path), "grants": [user]}
        library = admin.post("/libraries", body)["id"]
        admin.post(f"/libraries/{library}/scan")

    def is_idle() -> bool:
        pages = (admin.get(f"/jobs?status={status}&limit=1") for status in ("queued", "running"))
        return not any(page["total"] for page in pages)

    wait(is_idle, "The libraries are not scanned in time.")
    body = {"name": "clients", "scopes": ["recordings"]}
    return admin.post("/app-passwords", body)["secret"]


def wait(condition, message: str) -> None:
    end = time.monotonic() + TIMEOUT
    while not condition():
        if time.monotonic() > end:
            raise Failed(message)
        time.sleep(0.1)


if __name__ == "__main__":
    sys.exit(main())
