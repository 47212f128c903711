/** Starts the application. The rest loads after sign-in. */
import { mount } from 'svelte';
import './styles/index.css';
import App from './App.svelte';
import { ApiClient } from './api/client';
import { Connection } from './api/connection.svelte';
import { Session } from './api/session.svelte';
import { init } from './i18n/init';
import type { SignedIn } from './signed-in';
import { Edits } from './lib/edits';
import { storage } from './lib/env';
import { once } from './lib/once';
import { Upgrade } from './app/upgrade.svelte';

const connection = new Connection();
const api = new ApiClient(connection);
const session = new Session(api);
const edits = new Edits();
let signedIn: SignedIn | null = null;
const upgrade = new Upgrade({
  reachable: () => connection.check(),
  isBusy: () => edits.areUnsaved || (signedIn?.isBusy() ?? false),
  reload: () => location.reload(),
});

const loadSignedIn = once(async () => {
  const { build } = await import('./signed-in');
  signedIn = build({ api, connection, session, upgrade });
  return signedIn;
});

session.onchange = () => {
  storage.set('user', session.user ? String(session.user.id) : '');
  signedIn?.change();
};
session.onleave = () => signedIn?.leave();
connection.onlost = () => signedIn?.suspend();
connection.onback = () => {
  if (session.state === 'unreachable') void session.resume();
  if (session.state === 'in') signedIn?.resume();
};
addEventListener('vite:preloadError', () => void upgrade.handle());
addEventListener('offline', () => void connection.check());
addEventListener('online', () => connection.wake());
document.addEventListener('visibilitychange', () => {
  connection.wake();
  signedIn?.visibilityChanged();
});

// A user who was signed in probably still is: load the code of the pages while the session is checked.
const early = storage.get('user') ? loadSignedIn().catch(() => {}) : undefined;
void init().then(async () => {
  const target = document.getElementById('app');
  if (!target) return;
  mount(App, { target, props: { session, connection, upgrade, loadSignedIn } });
  void session.resume().then(() => {
    if (session.state === 'anonymous') storage.set('user', '');
  });
  await early;
});
