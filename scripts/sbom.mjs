// Writes the bill of materials of a release in CycloneDX 1.6. Equal lock files give equal output.
//
//   node scripts/sbom.mjs [FILE]
import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cores, crates, packages, version, within } from './parts.mjs';

/** Returns the bill of materials. */
export function bill() {
  const parts = [...crates(), ...packages()];
  const pieces = within(parts);
  const all = [...parts, ...cores().filter((core) => core.isInside)];
  const components = all.map((part) => component(part, pieces)).sort((a, b) => (a.purl < b.purl ? -1 : 1));
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    serialNumber: serial(components),
    version: 1,
    metadata: {
      ...time(),
      lifecycles: [{ phase: 'build' }],
      component: {
        type: 'application',
        'bom-ref': 'ledge',
        name: 'ledge',
        version: version(),
        purl: `pkg:generic/ledge@${version()}`,
        licenses: licences('GPL-3.0-or-later'),
        ...inside('ledge', pieces),
      },
    },
    components,
  };
}

function component(part, pieces) {
  return {
    type: 'library',
    'bom-ref': part.purl,
    name: part.name,
    version: part.version,
    // Crates that only generate code at compile time are not in the executable.
    scope: part.isLinked === false ? 'excluded' : 'required',
    purl: part.purl,
    licenses: licences(part.licence),
    hashes: [part.sha256 ? { alg: 'SHA-256', content: part.sha256 } : { alg: 'SHA-512', content: part.sha512 }],
    ...(part.home ? { externalReferences: [{ type: 'vcs', url: part.home }] } : {}),
    ...inside(part.name, pieces),
  };
}

/** Returns the third-party code inside a part. */
function inside(name, pieces) {
  const inner = pieces.filter((piece) => piece.in === name);
  if (inner.length === 0) return {};
  const told = inner.map(({ name: own, licence, holder }) => ({
    type: 'library',
    name: own,
    supplier: { name: holder },
    licenses: licences(licence),
  }));
  return { components: told };
}

/** Returns one licence by its identifier, or several as an expression. */
const licences = (spdx) => [/ (?:AND|OR|WITH) /.test(spdx) ? { expression: spdx } : { license: { id: spdx } }];

/** Returns the time of the release from its build. The time of the run would change every file. */
function time() {
  const seconds = Number(process.env.SOURCE_DATE_EPOCH);
  if (!Number.isSafeInteger(seconds) || seconds <= 0) return {};
  return { timestamp: new Date(seconds * 1000).toISOString().replace('.000', '') };
}

/** Returns a serial number that depends only on this list: a UUID of its digest. */
function serial(components) {
  const digest = createHash('sha256').update(JSON.stringify([version(), components])).digest('hex');
  const group = [digest.slice(0, 8), digest.slice(8, 12), `8${digest.slice(13, 16)}`, `8${digest.slice(17, 20)}`, digest.slice(20, 32)];
  return `urn:uuid:${group.join('-')}`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const text = `${JSON.stringify(bill(), null, 2)}\n`;
  const [, , file] = process.argv;
  if (file) {
    mkdirSync(dirname(resolve(file)), { recursive: true });
    writeFileSync(file, text);
    console.log(file);
  } else {
    process.stdout.write(text);
  }
}
