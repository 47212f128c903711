/** Settings of metadata providers of the stand-in server. Keys are stored, but never returned. */

/** @typedef {{ status: number, body?: any }} Answer */
/** @typedef {{ name: string, kind: string, help: string, source: string, value: string | null, unreadable?: boolean }} Setting */

/** @param {number} status @param {string} code @param {string} message @param {string | null} [field] @returns {Answer} */
const refused = (status, code, message, field = null) => ({
  status,
  body: { error: { code, message, field } },
});

/** @param {string} name @param {string} value @returns {Setting} */
const address = (name, value) => ({
  ...{ name, kind: 'base_url', help: 'base URL of the provider' },
  ...{ source: 'absent', value },
});
/** @param {string} name @param {string} help @param {string} [source] @returns {Setting} */
const secret = (name, help, source = 'absent') => ({ name, kind: 'secret', help, source, value: null });

const all = [
  {
    ...{ id: 'local_files', label: 'Local files', kinds: ['books', 'audio'], is_remote: false },
    ...{ hosts: [], sends: [], requests_per_second: 1, attribution: null },
    settings: [],
  },
  {
    ...{ id: 'openlibrary', label: 'Open Library', kinds: ['books'], is_remote: true },
    hosts: ['openlibrary.org', 'covers.openlibrary.org'],
    ...{ sends: ['title', 'people', 'isbn'], requests_per_second: 1, attribution: null },
    settings: [address('LEDGE_OPENLIBRARY_URL', 'https://openlibrary.org')],
  },
  {
    ...{ id: 'tmdb', label: 'TMDB', kinds: ['video'], is_remote: true },
    hosts: ['api.themoviedb.org', 'image.tmdb.org'],
    ...{ sends: ['title', 'year', 'external_ids', 'languages'], requests_per_second: 4 },
    attribution: {
      text: 'This product uses the TMDB API but is not endorsed or certified by TMDB.',
      url: 'https://www.themoviedb.org',
    },
    settings: [
      secret('LEDGE_TMDB_KEY', 'key of your TMDB account'),
      address('LEDGE_TMDB_URL', 'https://api.themoviedb.org/3'),
    ],
  },
  {
    ...{ id: 'tvmaze', label: 'TVmaze', kinds: ['video'], is_remote: true, hosts: ['api.tvmaze.com'] },
    ...{ sends: ['title', 'year', 'parts'], requests_per_second: 2 },
    attribution: { text: 'Data from TVmaze, CC BY-SA', url: 'https://www.tvmaze.com' },
    settings: [],
  },
  {
    ...{ id: 'igdb', label: 'IGDB', kinds: ['games'], is_remote: true },
    hosts: ['api.igdb.com', 'id.twitch.tv', 'images.igdb.com'],
    ...{ sends: ['title', 'platform'], requests_per_second: 4, attribution: null },
    settings: [
      {
        ...{ name: 'LEDGE_IGDB_CLIENT_ID', kind: 'text', help: 'client identifier of a Twitch application' },
        ...{ source: 'stored', value: 'k2v1abc' },
      },
      { ...secret('LEDGE_IGDB_CLIENT_SECRET', 'client secret of that application'), unreadable: true },
    ],
  },
];

/** @param {{ enrichByEnvironment: boolean }} options */
export function metadata(options) {
  /** All changed bodies. @type {any[]} */
  const writes = [];
  /** Secrets by name. @type {Map<string, string>} */
  const secrets = new Map();
  /** @type {any[]} */
  const providers = structuredClone(all).map((one) => ({ ...one, enabled: true }));
  /** @type {{ languages: string[], remote: boolean, after_scans: boolean, order: Record<string, string[]> }} */
  const state = {
    ...{ languages: ['en'], remote: true, after_scans: options.enrichByEnvironment },
    order: { audio: ['local_files'], books: ['local_files', 'openlibrary'], games: ['igdb'] },
  };
  state.order.video = ['tmdb', 'tvmaze'];

  /** @param {Setting} setting */
  const viewOfSetting = ({ unreadable = false, ...setting }) => ({
    ...setting,
    set: setting.source !== 'absent',
    is_unreadable: unreadable,
  });
  /** @param {any} provider */
  const missing = ({ settings }) =>
    settings
      .filter((/** @type {Setting} */ one) => one.kind !== 'base_url' && one.source === 'absent')
      .map((/** @type {Setting} */ { name }) => name);
  const view = () => ({
    ...state,
    after_scans_source: options.enrichByEnvironment ? 'environment' : state.after_scans ? 'stored' : 'absent',
    providers: providers.map((one) => ({
      ...one,
      missing: missing(one),
      settings: one.settings.map(viewOfSetting),
    })),
  });

  /** @param {any} provider @param {string} name @param {string | null} value */
  function store(provider, name, value) {
    const setting = provider.settings.find((/** @type {Setting} */ one) => one.name === name);
    Object.assign(setting, { source: value === null ? 'absent' : 'stored', unreadable: false });
    if (setting.kind === 'secret') secrets.set(name, value ?? '');
    else setting.value = value;
  }

  /** @param {any} body */
  function change(body) {
    writes.push(body);
    const { order, providers: changes = {}, ...rest } = body;
    for (const values of Object.values(changes))
      if (Object.values(/** @type {any} */ (values).settings ?? {}).includes('two words'))
        return refused(422, 'invalid', '`settings` must be one line.', 'settings');
    Object.assign(state, rest);
    Object.assign(state.order, order);
    if (state.languages.length === 0) state.languages = ['en'];
    for (const [id, { enabled, settings = {} }] of Object.entries(/** @type {any} */ (changes))) {
      const provider = providers.find((one) => one.id === id);
      provider.enabled = enabled ?? provider.enabled;
      for (const [name, value] of Object.entries(settings)) store(provider, name, /** @type {any} */ (value));
    }
    return view();
  }

  /** @param {string | undefined} id */
  function test(id) {
    const provider = providers.find((one) => one.id === id);
    if (!provider) return refused(404, 'not_found', 'No such provider.');
    const answer = (/** @type {string} */ outcome, /** @type {number | null} */ retry_after = null) => ({
      ...{ ok: outcome === 'accepted', outcome, message: outcome, retry_after },
    });
    if (!state.remote) return answer('off');
    if (missing(provider).length > 0) return answer('incomplete');
    const keys = provider.settings.map((/** @type {Setting} */ { name }) => secrets.get(name));
    if (keys.includes('wrong')) return answer('rejected');
    if (keys.includes('busy')) return answer('limited', 119);
    return answer('accepted');
  }

  /** @type {[string, RegExp, (m: RegExpMatchArray, q: URLSearchParams, b: any) => any][]} */
  const table = [
    ['GET', /^\/metadata\/settings$/, view],
    ['PATCH', /^\/metadata\/settings$/, (_, __, b) => change(b)],
    ['POST', /^\/metadata\/providers\/(\w+)\/test$/, (m) => test(m[1])],
  ];
  return { table, writes, secrets };
}
