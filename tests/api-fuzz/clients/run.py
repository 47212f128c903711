"""Starts a server with a small library, and uses it as apps do: through client libraries of other
authors, and along all links and methods with validators of the formats."""

import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import traceback
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parent.parent.parent
sys.path.insert(0, str(HERE.parent))

from api import Api, Failed  # noqa: E402

import official  # noqa: E402
import opds1  # noqa: E402
import opds2  # noqa: E402
import opensonic  # noqa: E402
import opensubsonic  # noqa: E402
from device import Answer, Device  # noqa: E402

BUILT = ROOT / os.environ.get("CARGO_TARGET_DIR", "target") / "debug"
PROGRAM = BUILT / os.environ.get("LEDGE_PROGRAM", "ledge")
FIXTURES = BUILT / "ledge-fixtures"
NODE_MODULES = ROOT / ".cache" / "clients" / "node_modules"
PASSWORD = "only for this run"
TIMEOUT = 180
# Books with the metadata of a sidecar file.
ITEMS = 60
# Enough for lists with several pages, and for lists of authors by letter.
AUTHORS = 110


def main() -> int:
    folder = Path(tempfile.mkdtemp(prefix="ledge-clients-"))
    server = None
    try:
        write_media(folder / "media")
        server, port = start(folder)
        secrets = furnish(f"http://127.0.0.1:{port}", folder)
        catalogue(folder, port, secrets["publications"])
        music(port, secrets["recordings"])
        return 0
    except AssertionError as failure:
        # Not every assertion has a message.
        where = traceback.extract_tb(failure.__traceback__)[-1]
        print(f"clients: {where.filename}:{where.lineno}: {where.line}: {failure}", file=sys.stderr)
        return 1
    except (Failed, subprocess.SubprocessError) as failure:
        print(f"clients: {failure!r}", file=sys.stderr)
        return 1
    finally:
        if server:
            server.terminate()
            server.wait()
        shutil.rmtree(folder)


def catalogue(folder: Path, port: int, secret: str) -> None:
    """Checks both catalogues of OPDS."""
    device = Device(f"http://127.0.0.1:{port}", "admin", secret)
    atom, documents = opds1.check(device), opds2.check(device)
    print(f"clients: {len(atom)} documents of OPDS 1.2 and {len(documents)} of OPDS 2.0 are valid")
    if specs := official.folder():
        official.check_atom(specs, atom)
        official.check_json(specs, documents)
        print("clients: they are valid by the schemas of the specifications")
    else:
        print("clients: NOT RUN: the published schemas, because LEDGE_TEST_SPECS names no folder")
    file = folder / "documents.json"
    file.write_text(json.dumps([described(answer) for answer in atom + documents]))
    node(HERE / "opds.mjs", str(file))


def described(answer: Answer) -> dict:
    return {"address": answer.address, "mime": answer.mime, "body": answer.body.decode()}


def music(port: int, secret: str) -> None:
    """Checks OpenSubsonic."""
    app = opensubsonic.check(Device(f"http://127.0.0.1:{port}"), secret)
    print(f"clients: {len(app.calls)} responses of OpenSubsonic are valid, and equal in XML")
    if specs := official.folder():
        official.check_openapi(specs, app)
        official.check_xml(specs, app)
        print("clients: they are valid by the documents of OpenSubsonic and Subsonic")
    opensonic.check(port, "admin", secret)
    print("clients: py-opensonic passes")
    node(HERE / "subsonic.mjs", str(port), secret)
    print("clients: subsonic-api passes")


def node(script: Path, *arguments: str) -> None:
    command = [shutil.which("node"), script, str(NODE_MODULES), *arguments]
    subprocess.run(command, check=True, timeout=TIMEOUT)


def write_media(folder: Path) -> None:
    """Writes the demo, and libraries of many small books."""
    write = {"check": True, "stdout": subprocess.DEVNULL}
    subprocess.run([FIXTURES, "demo", folder], **write)
    books = ["--kinds", "books", "--items", str(ITEMS)]
    subprocess.run([FIXTURES, "tree", folder / "described", *books], **write)
    named = folder / "named"
    named.mkdir()
    for n in range(AUTHORS):
        name = f"{chr(65 + n % 20)}{chr(97 + n // 20)} Example - Book {n}.epub"
        (named / name).write_bytes(str(n).encode())
    (named / 'Zoë <&> Q - ]]> "x" & {y}; 100%.epub').write_bytes(b"hostile")


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
        "LEDGE_SCAN_INTERVAL": "off",
    }
    server = subprocess.Popen([PROGRAM, "serve"], env={**os.environ, **settings})
    wait(lambda: Api(f"http://127.0.0.1:{port}").answers(), "The server does not respond.")
    return server, port


def furnish(base: str, folder: Path) -> dict[str, str]:
    """Scans the libraries, and returns the secrets of app passwords by their scopes."""
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
    begin(admin)
    secrets = {}
    for scope in ("publications", "recordings"):
        body = {"name": f"clients {scope}", "scopes": [scope]}
        secrets[scope] = admin.post("/app-passwords", body)["secret"]
    return secrets


def begin(admin: Api) -> None:
    """Starts some items, finishes one, and makes one a favourite, so that each shelf has items."""
    items = admin.get("/items?kind=books&sort=title&limit=500")["items"]
    for at, item in enumerate(items[:21]):
        file = admin.get(f"/items/{item['id']}")["files"][0]["id"]
        place = {"file_id": file, "position": 0, "finished": at == 20}
        admin.put(f"/items/{item['id']}/progress", place)
    admin.put(f"/items/{items[21]['id']}/favourite", {})


def wait(condition, message: str) -> None:
    end = time.monotonic() + TIMEOUT
    while not condition():
        if time.monotonic() > end:
            raise Failed(message)
        time.sleep(0.1)


if __name__ == "__main__":
    sys.exit(main())
