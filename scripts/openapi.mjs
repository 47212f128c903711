// Writes the server's OpenAPI document to web/openapi.json. The types of the web interface are generated from
// it.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const folder = mkdtempSync(join(tmpdir(), "ledge-openapi-"));
const address = "127.0.0.1:18485";
const password = "only for a moment";
const server = spawn(resolve(process.env.CARGO_TARGET_DIR ?? "target", "debug/ledge"), ["serve"], {
  stdio: ["ignore", "ignore", "inherit"],
  env: {
    ...process.env,
    LEDGE_LOG: "error",
    LEDGE_LISTEN: address,
    LEDGE_DATABASE: join(folder, "ledge.db"),
    LEDGE_ADMIN_PASSWORD: password,
  },
});
try {
  const headers = { "Content-Type": "application/json" };
  const body = JSON.stringify({ username: "admin", password });
  let login = null;
  for (let i = 0; i < 200 && !login?.ok; i++) {
    await sleep(50);
    const url = `http://${address}/api/v1/auth/login`;
    login = await fetch(url, { method: "POST", headers, body }).catch(() => null);
  }
  const { token } = await login.json();
  const answer = await fetch(`http://${address}/api/v1/openapi.json`, {
    headers: { Authorization: `Bearer ${token}` },
  });
  const document = await answer.json();
  writeFileSync("web/openapi.json", `${JSON.stringify(document, null, 2)}\n`);
} finally {
  server.kill("SIGTERM");
  server.on("exit", () => rmSync(folder, { recursive: true }));
}
