/** App passwords and protocols of the stand-in server. The user is number 1. */

/** @typedef {{ id: number, user: number, name: string, scopes: string[], pages_move_place: boolean, secret: string, used: object }} Password */
/** @typedef {{ status: number, body?: any }} Answer */

const MOST_PASSWORDS = 32;
const ADDRESS = 'https://ledge.example';

/** @param {number} status @param {string} code @param {string} message @param {string | null} [field] @returns {Answer} */
const refused = (status, code, message, field = null) => ({
  status,
  body: { error: { code, message, field } },
});
const absent = () => refused(404, 'not_found', 'There is no such app password.');
const stamp = (days = 0) => new Date(Date.now() - days * 86_400_000).toISOString().replace('Z', '000Z');

/** @param {string} name */
const protocols = (name) => [
  {
    ...{ id: 'opds', label: 'OPDS', scope: 'publications' },
    ...{ address: `${ADDRESS}/opds`, app_address: `${ADDRESS}/opds` },
    setup: [
      'Create an app password with the scope publications.',
      `In the reading app, add an OPDS catalogue with the address ${ADDRESS}/opds.`,
      `Log in as ${name} with the app password.`,
    ],
  },
  {
    ...{ id: 'opensubsonic', label: 'OpenSubsonic', scope: 'recordings' },
    ...{ address: `${ADDRESS}/rest`, app_address: ADDRESS },
    setup: [
      'Create an app password with the scope recordings.',
      `In the music app, add a Subsonic server with the address ${ADDRESS}.`,
      `Log in as ${name} with the app password.`,
    ],
  },
  {
    ...{ id: 'kosync', label: 'KOReader progress sync', scope: 'places' },
    ...{ address: `${ADDRESS}/kosync`, app_address: `${ADDRESS}/kosync` },
    setup: [
      'Create an app password with the scope places.',
      `In KOReader, open “Progress sync” and set the custom server ${ADDRESS}/kosync.`,
      `Log in as ${name} with the app password.`,
    ],
  },
];

/**
 * @param {{ passwords: number, protocols: boolean }} options
 * @param {() => any} user
 */
export function apps(options, user) {
  /** @type {Password[]} */
  const passwords = [];
  /** All changed bodies. @type {any[]} */
  const writes = [];

  /** @param {number} owner @param {string} name @param {string[]} scopes @param {object} [used] */
  function make(owner, name, scopes, used = {}, pages = false) {
    const id = passwords.reduce((most, one) => Math.max(most, one.id), 0) + 1;
    const secret = `k7m2xq9c4h0w8vdn5t${String(10 + (id % 90))}`;
    const password = { id, user: owner, name, scopes, pages_move_place: pages, secret, used };
    passwords.push(password);
    return password;
  }

  /** @param {Password} password */
  const view = ({ id, name, scopes, pages_move_place, used }) => ({
    ...{ id, name, scopes, pages_move_place, created_at: stamp(40 - (id % 40)) },
    ...{ last_used_at: null, last_address: null, last_client: null, last_protocol: null },
    ...used,
  });
  const use = (days = 0) => ({
    ...{ last_used_at: stamp(days), last_address: '192.168.1.20' },
    ...{ last_client: 'KOReader/2026.10', last_protocol: 'opds' },
  });
  const seeds = [
    () => make(1, 'KOReader on the tablet', ['publications', 'places'], use(0.02)),
    () => make(1, 'Panels', ['publications'], {}, true),
  ];
  for (let at = 0; at < options.passwords; at += 1)
    (seeds[at] ?? (() => make(1, `Device ${at + 1}`, ['places'], use(at))))();
  make(2, 'Phone of jonas', ['places'], { ...use(3), last_protocol: 'kosync', last_client: null });

  /** @param {number} owner */
  const of = (owner) => passwords.filter((one) => one.user === owner);
  /** @param {number} owner @param {string | undefined} id */
  const one = (owner, id) => of(owner).find((password) => password.id === Number(id));
  /** @param {Password | undefined} password */
  function remove(password) {
    if (!password) return absent();
    passwords.splice(passwords.indexOf(password), 1);
    return { status: 204 };
  }

  /** @param {any} body */
  function create(body) {
    writes.push(body);
    const name = body.name.trim();
    if (name === '') return refused(422, 'invalid', 'A name is required.', 'name');
    if (of(user().id).length >= MOST_PASSWORDS)
      return refused(409, 'conflict', 'There are 32 app passwords already.');
    const made = make(user().id, name, body.scopes, {}, body.pages_move_place ?? false);
    return { status: 201, body: { ...view(made), secret: made.secret } };
  }

  /** @param {Password | undefined} password @param {any} body */
  function change(password, body) {
    writes.push(body);
    if (!password) return absent();
    if (body.name?.trim() === '') return refused(422, 'invalid', 'A name is required.', 'name');
    Object.assign(password, body);
    return view(password);
  }

  /** @param {() => any} act */
  const asAdmin = (act) =>
    user().role === 'admin' ? act() : refused(403, 'forbidden', 'Only administrators can do this.');

  /** @type {[string, RegExp, (m: RegExpMatchArray, q: URLSearchParams, b: any) => any][]} */
  const table = [
    ['GET', /^\/app-passwords$/, () => ({ items: of(user().id).map(view) })],
    ['POST', /^\/app-passwords$/, (_, __, b) => create(b)],
    ['PATCH', /^\/app-passwords\/(\d+)$/, (m, _, b) => change(one(user().id, m[1]), b)],
    ['DELETE', /^\/app-passwords\/(\d+)$/, (m) => remove(one(user().id, m[1]))],
    ['GET', /^\/protocols$/, () => ({ items: options.protocols ? protocols(user().username) : [] })],
    ['GET', /^\/users\/(\d+)\/app-passwords$/, (m) => asAdmin(() => ({ items: of(Number(m[1])).map(view) }))],
    [
      'DELETE',
      /^\/users\/(\d+)\/app-passwords\/(\d+)$/,
      (m) => asAdmin(() => remove(one(Number(m[1]), m[2]))),
    ],
    [
      'PUT',
      /^\/auth\/password$/,
      (_, __, b) => {
        writes.push(b);
        if (!b.keep_app_passwords) for (const password of of(user().id)) remove(password);
        return { status: 204 };
      },
    ],
  ];
  return { table, writes, passwords };
}
