// Downloads browser cores from npm, as pinned in kinds/games/cores.json, and unpacks them into a folder.
//
//   node scripts/unpack-cores.mjs DEST [--free | --add-ons | ID…] [--packed]
//
// --free: cores for the executable; --add-ons: the others; --packed: compressed, as the build embeds them.
// Cores that exist in the same version are kept.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

const root = fileURLToPath(new URL('../', import.meta.url));
const require = createRequire(join(root, 'web/package.json'));
const { version, cores } = JSON.parse(readFileSync(join(root, 'kinds/games/cores.json'), 'utf8'));

const given = process.argv.slice(2);
const flags = new Set(given.filter((word) => word.startsWith('--')));
const [dest, ...ids] = given.filter((word) => !word.startsWith('--'));
const known = new Set(cores.map((core) => core.id));
const odd = [
  ...ids.filter((id) => !known.has(id)),
  ...[...flags].filter((flag) => !['--free', '--add-ons', '--packed'].includes(flag)),
];
if (!dest || odd.length > 0) {
  console.error(
    odd.length > 0
      ? `unpack-cores: there is no ${odd.join(', ')}`
      : 'usage: node scripts/unpack-cores.mjs DEST [--free | --add-ons | ID…] [--packed]',
  );
  process.exit(2);
}
const chosen = cores.filter((core) => {
  if (ids.length > 0) return ids.includes(core.id);
  if (flags.has('--free')) return core.free;
  if (flags.has('--add-ons')) return !core.free;
  return true;
});

const packed = flags.has('--packed');
const folder = resolve(dest);
const listed = join(folder, 'cores.json');
const before = existsSync(listed) ? JSON.parse(readFileSync(listed, 'utf8')).cores : [];
const rows = new Map(before.map((row) => [row.id, row]));
mkdirSync(folder, { recursive: true });
if (chosen.some((core) => !core.free)) showTerms(chosen.filter((core) => !core.free));
for (const core of chosen) {
  const there = rows.get(core.id);
  const whole = there?.files.every(({ name }) => existsSync(join(folder, name)));
  if (whole && there.version === version && there.packed === packed) continue;
  rows.set(core.id, await unpack(core));
  writeFileSync(listed, `${JSON.stringify({ cores: [...rows.values()] }, null, 2)}\n`);
  console.log(`${core.id} ${version}: ${core.licence}`);
}

function showTerms(bound) {
  console.log('The terms of these cores forbid their distribution inside Ledge:');
  for (const core of bound) console.log(`  ${core.id}: ${core.licence}; sources: ${core.source}`);
  console.log('Their licences are in ID.txt next to them. Use them only if you agree.\n');
}

async function unpack(core) {
  const archive = await extracted(fetchPackage(core), core.id);
  // Some archives use an older name of the core.
  const ending = (end) => [...archive].find(([name]) => name.endsWith(end))?.[1];
  const script = ending("_libretro.js");
  const wasm = ending("_libretro.wasm");
  if (!script || !wasm) throw new Error(`${core.package} has no _libretro.js and .wasm`);
  const about = JSON.parse(archive.get('core.json')?.toString() ?? '{}');
  const terms =
    archive.get('license.txt') ?? Buffer.from(`${core.licence}\nThe licence stands in the sources: ${core.source}\n`);
  const files = [
    [`${core.id}.js`, script],
    [`${core.id}.wasm`, wasm],
    [`${core.id}.txt`, terms],
  ].map(([name, bytes]) => {
    const stored = packed ? `${name}.gz` : name;
    writeFileSync(join(folder, stored), packed ? gzipSync(bytes, { level: 9 }) : bytes);
    return { name: stored, sha256: createHash('sha256').update(bytes).digest('hex'), size: bytes.length };
  });
  return {
    id: core.id,
    version,
    packed,
    licence: core.licence,
    source: core.source,
    extensions: about.extensions ?? [],
    bios: core.bios,
    files,
  };
}

/** Returns the archive of the core for WebGL 2 without threads, after a comparison of its checksum. */
function fetchPackage(core) {
  const work = mkdtempSync(join(tmpdir(), 'ledge-core-'));
  try {
    const npm = ['pack', `${core.package}@${version}`, '--silent', '--pack-destination', work];
    execFileSync('npm', npm, { stdio: ['ignore', 'ignore', 'inherit'] });
    const [tarball] = readdirSync(work).filter((name) => name.endsWith('.tgz'));
    const bytes = readFileSync(join(work, tarball));
    const sum = `sha512-${createHash('sha512').update(bytes).digest('base64')}`;
    if (sum !== core.integrity) throw new Error(`${core.package}@${version} is not what was pinned: ${sum}`);
    execFileSync('tar', ['-xzf', join(work, tarball), '-C', work]);
    return readFileSync(join(work, 'package', `${core.id}-wasm.data`));
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

async function extracted(archive, id) {
  const sevenZip = await require('7z-wasm')({ print: () => {} });
  sevenZip.FS.writeFile('/core.7z', archive);
  sevenZip.FS.mkdir('/out');
  sevenZip.callMain(['x', '/core.7z', '-o/out', '-y']);
  const names = sevenZip.FS.readdir('/out').filter((name) => !name.startsWith('.'));
  if (names.length === 0) throw new Error(`the archive of ${id} cannot be read`);
  return new Map(names.map((name) => [name, Buffer.from(sevenZip.FS.readFile(`/out/${name}`))]));
}
