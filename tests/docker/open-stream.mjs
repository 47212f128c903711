/** Signs in and keeps an event stream open: node open-stream.mjs [--once] ADDRESS USER PASSWORD */
const once = process.argv[2] === '--once';
const [address, username, password] = process.argv.slice(once ? 3 : 2);

const login = await fetch(`${address}/api/v1/auth/login`, {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ username, password }),
});
if (!login.ok) {
  console.error(`login: ${login.status}`);
  process.exit(1);
}
const { token } = await login.json();
if (!once) {
  const headers = { authorization: `Bearer ${token}` };
  const events = await fetch(`${address}/api/v1/events`, { headers });
  console.log(events.ok ? 'open' : `events: ${events.status}`);
  for await (const _ of events.body) {
    // Reads until the server ends the stream.
  }
}
