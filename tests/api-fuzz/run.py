"""Starts a server with a small library of all four kinds, and lets Schemathesis loose on it.

The same requests come in the same order for the same seed. Whatever fails is printed with the
curl command that shows it again.
"""

import argparse
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from api import Api, Failed

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
BUILT = ROOT / os.environ.get("CARGO_TARGET_DIR", "target") / "debug"
PROGRAM = BUILT / "ledge"
FIXTURES = BUILT / "ledge-fixtures"
SCHEMATHESIS = Path(sys.executable).parent / "schemathesis"
PASSWORD = "only for this run"

# Its answer is a stream that ends with the session: there is no whole body to look at.
ENDLESS = "/api/v1/events"
# Nobody answers there.
NOWHERE = "http://127.0.0.1:9"
# What cannot succeed here: no job of this library fails.
HOPELESS = {
    "POST /api/v1/jobs/{id}/retry",
    # They want the token for monitoring, a provider that answers, a film with fonts, and real cores.
    "GET /metrics",
    "PUT /api/v1/items/{id}/matches/{provider}",
    "POST /api/v1/items/{id}/matches/{provider}/preview",
    # No provider names further pictures, or pictures of candidates.
    "GET /api/v1/items/{id}/matches/{provider}/picture",
    "GET /api/v1/items/{id}/pictures/{role}",
    "HEAD /api/v1/items/{id}/pictures/{role}",
    "GET /api/v1/items/{id}/season-posters/{season}",
    "HEAD /api/v1/items/{id}/season-posters/{season}",
    "GET /api/v1/items/{id}/stills/{season}/{number}",
    "HEAD /api/v1/items/{id}/stills/{season}/{number}",
    "GET /api/v1/people/{id}/picture",
    "HEAD /api/v1/people/{id}/picture",
    "GET /api/v1/kinds/video/files/{id}/fonts/{index}",
    "GET /api/v1/kinds/games/cores/{file}",
    "PUT /api/v1/kinds/games/cores/{file}",
    "DELETE /api/v1/kinds/games/cores/{file}",
}


def main() -> int:
    options = arguments()
    folder = Path(tempfile.mkdtemp(prefix="ledge-api-fuzz-"))
    server = None
    try:
        subprocess.run([FIXTURES, "demo", folder / "media"], check=True, stdout=subprocess.DEVNULL)
        server, base = start(folder)
        world = furnish(base, folder)
        document = world["admin"].get("/openapi.json")
        (folder / "openapi.json").write_text(json.dumps(document))
        results = [test(who, world, base, folder, options) for who in ("admin", "user")]
        if server.poll() is not None:
            raise Failed("The server has ended by itself.")
        missed = never_succeeded(document, folder)
        if missed:
            raise Failed(f"Never answered with a success: {', '.join(missed)}.")
        return max(results)
    except Failed as failure:
        print(f"api-fuzz: {failure}", file=sys.stderr)
        return 1
    finally:
        if server:
            server.terminate()
            server.wait()
        shutil.rmtree(folder)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1, help="another seed tries other requests")
    parser.add_argument("--examples", type=int, default=15, help="requests of each operation")
    parser.add_argument("--seconds", type=int, help="go on for so long, as each user")
    return parser.parse_args()


def start(folder: Path) -> tuple[subprocess.Popen, str]:
    """The server, once it answers."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = "127.0.0.1:%d" % free.getsockname()[1]
    settings = {
        "LEDGE_LISTEN": address,
        "LEDGE_DATABASE": str(folder / "ledge.db"),
        "LEDGE_ADMIN_PASSWORD": PASSWORD,
        "LEDGE_LOG": "error",
        "LEDGE_SCAN_INTERVAL": "off",
        "LEDGE_BACKUP_DIR": str(folder / "backups"),
        # Nobody answers there: the world is not asked.
        "LEDGE_OPENLIBRARY_URL": NOWHERE,
        "LEDGE_OPENLIBRARY_COVERS_URL": NOWHERE,
        "LEDGE_GOOGLEBOOKS_URL": NOWHERE,
    }
    server = subprocess.Popen([PROGRAM, "serve"], env={**os.environ, **settings})
    base = f"http://{address}"
    patiently(lambda: Api(base).answers(), "The server does not answer.")
    return server, base


def furnish(base: str, folder: Path) -> dict:
    """Two users, scanned libraries that both may read, and the ids of what is in them."""
    admin = Api(base).sign_in("admin", PASSWORD)
    user = admin.post("/users", {"username": "mia", "password": PASSWORD})["id"]
    libraries = [
        admin.post("/libraries", {"name": path.name, "path": str(path), "grants": [user]})["id"]
        for path in sorted((folder / "media").iterdir())
    ]
    for library in libraries:
        admin.post(f"/libraries/{library}/scan")
    patiently(lambda: not is_busy(admin), "The libraries are not scanned in time.")
    items = admin.get("/items?limit=500")["items"]
    files = [file for item in items for file in admin.get(f"/items/{item['id']}")["files"]]
    shown_as = lambda viewer: [file["id"] for file in files if file["viewer"] == viewer]
    tracks = {id: admin.get(f"/kinds/video/files/{id}/subtitles")["items"] for id in shown_as("video")}
    return {
        "admin": admin,
        "user": Api(base).sign_in("mia", PASSWORD),
        "user_id": user,
        "libraries": libraries,
        "items": [item["id"] for item in items],
        "games": [item["id"] for item in items if item["kind"] == "games"],
        "recordings": [item["id"] for item in items if item["kind"] == "audio"],
        "files": [file["id"] for file in files],
        "inside": {
            "entries": shown_as("epub"),
            "pages": shown_as("comic"),
            "lyrics": shown_as("audio"),
            "subtitles": [id for id, found in tracks.items() if found],
            "fonts": shown_as("video"),
        },
        "played": shown_as("audio") + shown_as("video"),
    }


def is_busy(admin: Api) -> bool:
    jobs = (admin.get(f"/jobs?status={status}&limit=1") for status in ("queued", "running"))
    return any(page["total"] for page in jobs)


def test(who: str, world: dict, base: str, folder: Path, options) -> int:
    """Runs Schemathesis as one of the users."""
    print(f"\n== As {who} ==", flush=True)
    names = ("libraries", "items", "games", "recordings", "files", "inside", "played")
    known = {name: world[name] for name in names}
    facts = {
        "base": base,
        "admin": world["admin"].token,
        "own": world[who].token,
        "folder": str(folder),
        "user": world["user_id"],
        "succeeded": str(folder / "succeeded.txt"),
        **known,
    }
    command = [
        SCHEMATHESIS,
        f"--config-file={HERE / 'schemathesis.toml'}",
        "run",
        folder / "openapi.json",
        f"--url={base}",
        f"--seed={options.seed}",
        f"--max-examples={options.examples}",
        "--phases=examples,coverage,fuzzing",
        "--generation-database=none",
        "--output-sanitize=false",
        "--continue-on-failure",
        "--warnings=off",
        "--suppress-health-check=all",
        "--request-timeout=20",
        f"--exclude-path={ENDLESS}",
    ]
    if options.seconds:
        command.append(f"--max-time={options.seconds}")
    environment = {
        **os.environ,
        "PYTHONPATH": str(HERE),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONHASHSEED": "0",
        "LEDGE_FUZZ": json.dumps(facts),
    }
    return subprocess.run(command, env=environment, cwd=folder).returncode


def never_succeeded(document: dict, folder: Path) -> list[str]:
    """The operations that no request got through to: their answers were not looked at."""
    operations = {
        f"{method.upper()} {path}"
        for path, item in document["paths"].items()
        for method in item
        if path != ENDLESS
    }
    succeeded = set((folder / "succeeded.txt").read_text().splitlines())
    return sorted(operations - succeeded - HOPELESS)


def patiently(condition, complaint: str) -> None:
    for _ in range(1200):
        if condition():
            return
        time.sleep(0.05)
    raise Failed(complaint)


if __name__ == "__main__":
    sys.exit(main())
