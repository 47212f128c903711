// Starts the server for `make demo` and `make run`, adds the folders, and prints where to go.
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
const home = resolve(demo ? "demo" : "data");
const database = join(home, "ledge.db");
const firstStart = !existsSync(database);
const address = `http://127.0.0.1:${options.port}`;
// On the first start of one's own library the password is made here, so that folders can be added.
const login = {
  username: "admin",
  password: demo ? "ledge-demo" : randomBytes(12).toString("base64url"),
};

mkdirSync(home, { recursive: true });
if (demo) makeMedia(join(home, "media"));
for (const folder of options.media) {
  if (!existsSync(folder) || !statSync(folder).isDirectory()) fail(`${folder} is no folder.`);
}

const server = spawn(resolve(`target/${demo ? "debug" : "release"}/ledge`), ["serve"], {
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
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => server.kill("SIGTERM"));

await untilReady();
if (demo) {
  await addLibraries(readdirSync(join(home, "media")).map((name) => join(home, "media", name)));
} else if (firstStart) {
  await addLibraries(options.media);
}
console.log(`\n  Ledge is at ${address}`);
if (demo || firstStart) {
  console.log(`  Sign in as ${login.username} with the password ${login.password}`);
}
if (!demo && (options.media.length === 0 || !firstStart)) {
  console.log("  Folders are added under Settings → Server → Libraries.");
}
if (!demo) {
  console.log("  SNES, Mega Drive and some more consoles need cores that are no free software:");
  console.log(`  make cores-addons DEST=${join("data", "cores")} shows their terms and adds them.`);
}
console.log(`  Everything it knows is in ${database}. Ctrl+C stops it.\n`);

function makeMedia(folder) {
  if (existsSync(folder)) return;
  const made = spawnSync(resolve("target/debug/ledge-fixtures"), ["demo", folder], {
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

async function addLibraries(folders) {
  const { token } = await call("POST", "/auth/login", null, login);
  const known = (await call("GET", "/libraries", token)).items.map((library) => library.name);
  for (const path of folders.filter((folder) => !known.includes(basename(folder)))) {
    const library = await call("POST", "/libraries", token, { name: basename(path), path });
    await call("POST", `/libraries/${library.id}/scan`, token);
  }
}

async function call(method, path, token, body) {
  const answer = await fetch(`${address}/api/v1${path}`, {
    method,
    headers: {
      ...(body ? { "Content-Type": "application/json" } : {}),
      ...(token ? { Authorization: `Bearer ${token}` } : {}),
    },
    body: body ? JSON.stringify(body) : undefined,
  });
  const json = await answer.json();
  if (!answer.ok) fail(`${method} ${path}: ${json.error.message}`);
  return json;
}

function fail(message) {
  console.error(`start: ${message}`);
  process.exit(1);
}
