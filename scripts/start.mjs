// Starts the server for `make demo` and `make run`, adds the folders, and prints the address.
import { spawn, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, statSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const [mode, ...rest] = process.argv.slice(2);
const options = { port: "8484", media: [] };
for (let i = 0; i < rest.length; i++) {
  if (rest[i] === "--port") options.port = rest[++i];
  else options.media.push(resolve(rest[i]));
}
const demo = mode === "demo";
const target = process.env.CARGO_TARGET_DIR ?? "target";
const home = resolve(demo ? "demo" : "data");
const database = join(home, "ledge.db");
const firstStart = !existsSync(database);
const address = `http://127.0.0.1:${options.port}`;
// On the first start of `make run`, this script creates the password.
const login = {
  username: "admin",
  password: demo ? "ledge-demo" : randomBytes(12).toString("base64url"),
};

for (const folder of options.media) {
  if (!existsSync(folder) || !statSync(folder).isDirectory()) fail(`${folder} is not a folder.`);
}
// `check` runs before the build, which may take long.
if (mode === "check") process.exit(0);
mkdirSync(home, { recursive: true });
if (demo) makeMedia(join(home, "media"));

const program = resolve(target, demo ? "debug" : "release", "ledge");
const server = spawn(program, ["serve"], {
  stdio: ["ignore", "inherit", "inherit"],
  env: {
    LEDGE_LOG: demo ? "warn" : "info",
    ...process.env,
    LEDGE_DATABASE: database,
    LEDGE_LISTEN: process.env.LEDGE_LISTEN ?? `127.0.0.1:${options.port}`,
    ...(demo || firstStart ? { LEDGE_ADMIN_PASSWORD: login.password } : {}),
  },
});
server.on("exit", (code) => process.exit(code ?? 1));
// Ctrl+C reaches the server directly. A second signal would end it without waiting for responses.
process.on("SIGINT", () => {});
process.on("SIGTERM", () => server.kill("SIGTERM"));

await untilReady();
const media = join(home, "media");
const api = demo && firstStart ? await signIn() : null;
const looksUp = api !== null && (await allowLocalLookups(api));
addLibraries(demo ? readdirSync(media).map((name) => join(media, name)) : options.media);
const isComplete = !looksUp || (await untilLookedUp(api));
await api?.("POST", "/auth/logout");
console.log(`\n  Ledge is at ${address}`);
if (demo || firstStart) {
  console.log(`  Sign in as ${login.username} with the password ${login.password}`);
}
if (!isComplete) {
  console.log("  Scans and lookups still run. Settings → Jobs shows them, and the pages update themselves.");
}
if (!demo && options.media.length === 0) {
  console.log('  Add folders under Settings → Libraries, or with make run MEDIA="FOLDER ...".');
}
if (!demo) {
  console.log("  SNES, Mega Drive and some more consoles need cores that are not free software:");
  console.log(`  make cores-addons DEST=${join("data", "cores")} shows their terms and adds them.`);
}
console.log(`  All data are in ${database}. Ctrl+C stops it.\n`);

function makeMedia(folder) {
  if (existsSync(folder)) return;
  const made = spawnSync(resolve(target, "debug/ledge-fixtures"), ["demo", folder], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  if (made.status !== 0) fail("The sample media could not be made.");
}

async function untilReady() {
  for (let i = 0; i < 200; i++) {
    const answer = await fetch(`${address}/healthz`).catch(() => null);
    if (answer?.ok) return;
    await sleep(50);
  }
  server.kill("SIGTERM");
  fail(`The server did not answer at ${address}.`);
}

/** Signs in to the new demo, and returns a function that sends requests to the API. */
async function signIn() {
  const send = async (method, path, body, token) => {
    const answer = await fetch(`${address}/api/v1${path}`, {
      method,
      headers: {
        ...(body ? { "Content-Type": "application/json" } : {}),
        ...(token ? { Authorization: `Bearer ${token}` } : {}),
      },
      body: body && JSON.stringify(body),
    });
    if (!answer.ok) {
      server.kill("SIGTERM");
      fail(`${method} ${path} failed with status ${answer.status}.`);
    }
    return answer.status === 204 ? null : answer.json();
  };
  const { token } = await send("POST", "/auth/login", login);
  return (method, path, body) => send(method, path, body, token);
}

/**
 * Scans of the demo also read the metadata files next to its media. Remote providers stay off until
 * the user allows them in the settings. Returns false if the environment disables lookups.
 */
async function allowLocalLookups(api) {
  // The server refuses a change of a setting that the environment contains.
  const change = process.env.LEDGE_ENRICH === undefined ? { after_scans: true } : {};
  const settings = await api("PATCH", "/metadata/settings", { remote: false, ...change });
  return settings.after_scans;
}

/** Waits for scans, lookups and covers, so that the first page is complete. Returns false after a minute. */
async function untilLookedUp(api) {
  for (let i = 0; i < 240; i++) {
    const { items } = await api("GET", "/libraries");
    const lookups = items.map(({ id }) => api("GET", `/libraries/${id}/enrich/status`));
    const ended = (await Promise.all(lookups)).map(({ status }) => status);
    const jobs = (await api("GET", "/jobs?limit=500")).items;
    const isOver = (status) => status === "done" || status === "failed";
    const areCoversRead = jobs.every(({ kind, status }) => kind !== "covers" || isOver(status));
    if (areCoversRead && ended.every(isOver)) return true;
    await sleep(250);
  }
  return false;
}

/** Adds and scans the folders without a library. The command line needs no password. */
function addLibraries(folders) {
  const known = JSON.parse(ledge("list", "--json")).items;
  for (const path of folders.filter((folder) => !known.some((library) => library.path === folder))) {
    const isTaken = (name) =>
      known.some((library) => library.name.toLowerCase() === name.toLowerCase());
    const name = isTaken(basename(path)) ? path : basename(path);
    ledge("add", name, path);
    ledge("scan", name);
    known.push({ name, path });
  }
}

function ledge(...words) {
  const done = spawnSync(program, ["library", ...words, "--database", database], {
    encoding: "utf8",
  });
  if (done.status !== 0) {
    server.kill("SIGTERM");
    fail((done.stderr ?? `${program} cannot be run`).trim());
  }
  return done.stdout;
}

function fail(message) {
  console.error(`start: ${message}`);
  process.exit(1);
}
