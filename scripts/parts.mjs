// Lists the parts of Ledge with their licences: linked crates, packages in the web interface, and the browser
// cores of games.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../', import.meta.url));

/** Target platforms of releases. */
const TARGETS = ['aarch64-unknown-linux-gnu', 'x86_64-unknown-linux-gnu'];

/** Licences that are compatible with GPL-3.0-or-later in any part of the executable. */
const COMPATIBLE = new Set([
  '0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'BSL-1.0', 'CC0-1.0', 'CDLA-Permissive-2.0',
  'GPL-2.0-or-later', 'GPL-3.0-or-later', 'IJG', 'ISC', 'LGPL-2.0-only', 'LGPL-2.1-or-later', 'MIT', 'MIT-0',
  'MIT-Modern-Variant', 'MPL-2.0', 'NTP', 'OFL-1.1', 'Unicode-3.0', 'Unlicense', 'Zlib', 'blessing',
]);

/** Third-party code inside a crate or a package, under separate terms. */
const WITHIN = [
  { in: 'ledge', name: 'FFmpeg, the libraries', licence: 'LGPL-2.1-or-later', holder: 'the FFmpeg developers', text: 'web/av/licences/FFmpeg.txt' },
  { in: 'ledge', name: 'Emscripten, runtime', licence: 'MIT', holder: 'The Emscripten Authors' },
  { in: 'ledge', name: 'musl', licence: 'MIT', holder: 'Rich Felker and others', text: 'web/av/licences/musl.txt' },
  { in: 'ledge', name: 'zlib', licence: 'Zlib', holder: 'Jean-loup Gailly and Mark Adler', text: 'web/av/licences/zlib.txt' },
  { in: 'ledge', name: 'Lucide icons', licence: 'ISC', holder: 'Lucide Contributors' },
  { in: 'foliate-js', name: 'fflate', licence: 'MIT', holder: 'Arjun Barrett' },
  { in: 'foliate-js', name: 'zip.js', licence: 'BSD-3-Clause', holder: 'Gildas Lormeau' },
  { in: 'hayro-font', name: 'Foxit fonts', licence: 'BSD-3-Clause', holder: 'The PDFium Authors', text: 'assets/LICENSE_FOXIT' },
  { in: 'jassub', name: 'libass', licence: 'ISC AND NTP', holder: 'the libass contributors', text: '../../licences/libass.txt' },
  { in: 'jassub', name: 'FriBidi', licence: 'LGPL-2.1-or-later', holder: 'Behdad Esfahbod, Dov Grobgeld and others', text: '../../av/licences/FFmpeg.txt' },
  { in: 'jassub', name: 'FreeType', licence: 'FTL OR GPL-2.0-or-later', holder: 'The FreeType Project', text: '../../licences/FreeType.txt' },
  { in: 'jassub', name: 'HarfBuzz', licence: 'MIT-Modern-Variant', holder: 'Behdad Esfahbod and others', text: '../../licences/HarfBuzz.txt' },
  { in: 'jassub', name: 'Brotli', licence: 'MIT', holder: 'the Brotli Authors' },
  { in: 'jassub', name: 'Emscripten, runtime', licence: 'MIT', holder: 'The Emscripten Authors' },
  { in: 'jassub', name: 'musl', licence: 'MIT', holder: 'Rich Felker and others', text: '../../av/licences/musl.txt' },
  { in: 'jassub', name: 'zlib', licence: 'Zlib', holder: 'Jean-loup Gailly and Mark Adler', text: '../../av/licences/zlib.txt' },
  { in: 'jassub', name: 'Liberation Sans', licence: 'OFL-1.1', holder: 'Google, Red Hat', text: '../../licences/Liberation.txt' },
  { in: 'libsqlite3-sys', name: 'SQLite', licence: 'blessing', holder: 'the public domain' },
  { in: 'pdfjs-dist', name: 'Adobe character maps', licence: 'BSD-3-Clause', holder: 'Adobe', text: 'cmaps/LICENSE' },
  { in: 'pdfjs-dist', name: 'CGATS colour profile', licence: 'CC0-1.0', holder: 'the public domain', text: 'iccs/LICENSE' },
  { in: 'pdfjs-dist', name: 'Foxit fonts', licence: 'BSD-3-Clause', holder: 'The PDFium Authors', text: 'standard_fonts/LICENSE_FOXIT' },
  { in: 'pdfjs-dist', name: 'Liberation fonts', licence: 'GPL-2.0-only WITH Font-exception-2.0', holder: 'Red Hat', text: 'standard_fonts/LICENSE_LIBERATION' },
  { in: 'pdfjs-dist', name: 'JBIG2 decoder of PDFium', licence: 'BSD-3-Clause', holder: 'The PDFium Authors', text: 'wasm/LICENSE_JBIG2' },
  { in: 'pdfjs-dist', name: 'OpenJPEG', licence: 'BSD-2-Clause', holder: 'UCLouvain and others', text: 'wasm/LICENSE_OPENJPEG' },
  { in: 'pdfjs-dist', name: 'qcms', licence: 'MIT', holder: 'Mozilla, Marti Maria', text: 'wasm/LICENSE_QCMS' },
];

/** Cores that are free software, but may not be distributed with GPL-3 code. */
const FREE_BUT_BOUND = ['stella2014'];

const json = (path) => JSON.parse(readFileSync(join(root, path), 'utf8'));
const cargo = (...words) =>
  execFileSync('cargo', words, { cwd: root, encoding: 'utf8', maxBuffer: 1 << 28, stdio: ['ignore', 'pipe', 'inherit'] });
const byName = (a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : a.version < b.version ? -1 : 1);

/** Returns the version of Ledge. */
export const version = () => /^version = "([^"]+)"/m.exec(readFileSync(join(root, 'Cargo.toml'), 'utf8'))[1];

/** Returns the third-party crates: linked ones, and those that only generate code at build time. */
export function crates() {
  const wanted = ['--format-version', '1', '--locked', '--features', 'ledge/cores'];
  const filters = TARGETS.flatMap((target) => ['--filter-platform', target]);
  const { packages } = JSON.parse(cargo('metadata', ...wanted, ...filters));
  const known = new Map(packages.map((crate) => [`${crate.name} ${crate.version}`, crate]));
  const sums = checksums();
  const linked = names('normal,no-proc-macro');
  return [...names('normal')]
    .map((id) => ({ id, crate: known.get(id) }))
    .filter(({ crate }) => crate.source)
    .map(({ id, crate }) => ({
      name: crate.name,
      version: crate.version,
      licence: expression(crate.license),
      home: crate.repository ?? crate.homepage ?? null,
      purl: `pkg:cargo/${crate.name}@${crate.version}`,
      sha256: sums.get(id),
      isLinked: linked.has(id),
      folder: dirname(crate.manifest_path),
    }))
    .sort(byName);
}

function names(edges) {
  const lines = TARGETS.flatMap((target) => {
    const words = ['--package', 'ledge', '--features', 'cores', '--edges', edges, '--target', target];
    return cargo('tree', '--locked', '--prefix', 'none', '--format', '{p}', ...words).split('\n');
  });
  return new Set(lines.flatMap((line) => /^(\S+) v(\S+)/.exec(line)?.slice(1, 3).join(' ') ?? []));
}

function checksums() {
  const blocks = readFileSync(join(root, 'Cargo.lock'), 'utf8').split('[[package]]');
  const field = (block, name) => new RegExp(`^${name} = "([^"]+)"`, 'm').exec(block)?.[1];
  return new Map(blocks.map((block) => [`${field(block, 'name')} ${field(block, 'version')}`, field(block, 'checksum')]));
}

/** Returns the packages in `web/bundled.json`. The build compares this list with the bundle. */
export function packages() {
  const lock = json('web/package-lock.json').packages;
  return json('web/bundled.json')
    .map((name) => {
      const folder = join(root, 'web/node_modules', name);
      const about = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
      const address = about.repository?.url ?? about.repository ?? null;
      return {
        name,
        version: about.version,
        licence: expression(about.license),
        home: address && address.replace(/^git\+/, '').replace(/\.git$/, '').replace(/^(?=[\w-]+\/[\w.-]+$)/, 'https://github.com/'),
        purl: `pkg:npm/${name.replace('@', '%40')}@${about.version}`,
        sha512: hex(lock[`node_modules/${name}`].integrity),
        folder,
      };
    })
    .sort(byName);
}

/** Returns the browser cores: those in releases, and the add-ons. */
export function cores() {
  const table = json('kinds/games/cores.json');
  return table.cores
    .map((core) => ({
      name: core.id,
      version: table.version,
      licence: core.licence,
      home: core.source,
      purl: `pkg:npm/${core.package.replace('@', '%40')}@${table.version}`,
      sha512: hex(core.integrity),
      isInside: core.free,
      isFree: core.free || FREE_BUT_BOUND.includes(core.id),
    }))
    .sort(byName);
}

/** Returns the third-party code inside some of these parts. */
export function within(parts) {
  return WITHIN.map((piece) => {
    const whole = piece.in === 'ledge' ? { folder: root } : parts.find((part) => part.name === piece.in);
    if (!whole) throw new Error(`${piece.name}: ${piece.in} is no part of Ledge any more`);
    return { ...piece, text: piece.text && readFileSync(join(whole.folder, piece.text), 'utf8') };
  });
}

/** Returns the licence texts of a part; for a choice of licences, those of the chosen ones. */
export function texts(part) {
  const files = readdirSync(part.folder).filter((name) => /^(licen[cs]e|copying|copyright|notice|unlicense)/i.test(name)).sort();
  const chosen = choice(part.licence);
  const fits = files.filter((name) => {
    const end = /^licen[cs]e[-_.]([a-z0-9]+)/i.exec(name)?.[1]?.toLowerCase();
    const other = { mit: 'MIT', apache: 'Apache-2.0', apache2: 'Apache-2.0', unlicense: 'Unlicense', zlib: 'Zlib', boost: 'BSL-1.0', bsl: 'BSL-1.0', cc0: 'CC0-1.0', '0bsd': '0BSD' }[end];
    return other === undefined || chosen.includes(other);
  });
  const kept = fits.length > 0 ? fits : files;
  return kept.map((name) => join(part.folder, name)).filter(isText).map((path) => readFileSync(path, 'utf8'));
}

const isText = (path) => existsSync(path) && !/\.(html|rtf)$/i.test(path);

/** Returns licences as an SPDX expression. Old crates separate alternatives by a slash. */
const expression = (licence) => licence.replaceAll('/', ' OR ');

const hex = (integrity) => Buffer.from(integrity.replace(/^sha512-/, ''), 'base64').toString('hex');

/** Returns whether a licence, or one of its alternatives, is compatible with GPL-3.0-or-later. */
export const isCompatible = (licence) => choice(licence).every((id) => COMPATIBLE.has(id));

/** Returns the chosen licences of an expression: the alternative with the shortest terms. */
export function choice(licence) {
  const order = ['MIT', 'Apache-2.0', 'ISC', 'Zlib', 'BSD-3-Clause'];
  const rank = (id) => (order.includes(id) ? order.indexOf(id) : COMPATIBLE.has(id) ? order.length : order.length + 1);
  const all = groups(licence, ' AND ');
  return all.flatMap((part) => {
    const inner = part.startsWith('(') && part.endsWith(')') ? part.slice(1, -1) : part;
    const ids = groups(inner, ' OR ');
    if (ids.length === 1) return inner === part ? [part] : choice(inner);
    return choice(ids.toSorted((a, b) => rank(a) - rank(b))[0]);
  });
}

/** Splits an expression at a word outside of parentheses. */
function groups(text, word) {
  const found = [];
  let depth = 0;
  let from = 0;
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '(') depth++;
    if (text[at] === ')') depth--;
    if (depth === 0 && text.startsWith(word, at)) {
      found.push(text.slice(from, at));
      from = at + word.length;
    }
  }
  return [...found, text.slice(from)].map((part) => part.trim());
}
