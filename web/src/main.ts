/** Builds what every page needs and puts it on the page; the rest follows once a user is signed in. */
import { mount } from 'svelte';
import './styles/index.css';
import App from './App.svelte';
import { ApiClient } from './api/client';
import { Connection } from './api/connection.svelte';
import { Session } from './api/session.svelte';
import { speak } from './i18n/speak';
import type { Inside } from './inside';
import { Edits } from './lib/edits';
import { storage } from './lib/env';
import { once } from './lib/once';
import { Upgrade } from './lib/upgrade.svelte';

const connection = new Connection();
const api = new ApiClient(connection);
const session = new Session(api);
const edits = new Edits();
let inside: Inside | null = null;
const upgrade = new Upgrade({
  reachable: () => connection.check(),
  isBusy: () => edits.areUnsaved || (inside?.isBusy() ?? false),
  reload: () => location.reload(),
});

const enter = once(async () => {
  const { build } = await import('./inside');
  inside = build({ api, connection, session, upgrade });
  return inside;
});

session.onchange = () => {
  storage.set('user', session.user ? String(session.user.id) : '');
  inside?.change();
};
session.onleave = () => inside?.leave();
connection.onlost = () => inside?.suspend();
connection.onback = () => {
  if (session.state === 'unreachable') void session.resume();
  if (session.state === 'in') inside?.resume();
};
addEventListener('vite:preloadError', () => void upgrade.handle());
addEventListener('offline', () => void connection.check());
addEventListener('online', () => connection.wake());
document.addEventListener('visibilitychange', () => {
  connection.wake();
  inside?.turn();
});

// Whoever was signed in probably still is: the code of the pages comes while the session is checked.
const early = storage.get('user') ? enter().catch(() => {}) : undefined;
void speak().then(async () => {
  const target = document.getElementById('app');
  if (!target) return;
  mount(App, { target, props: { session, connection, upgrade, enter } });
  void session.resume().then(() => {
    if (session.state === 'anonymous') storage.set('user', '');
  });
  await early;
});
