// The output of scripts/sbom.mjs follows CycloneDX 1.6.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bill } from '../sbom.mjs';

const bom = bill();
const all = bom.components;

test('the bill says what it is, and what it is of', () => {
  assert.equal(bom.bomFormat, 'CycloneDX');
  assert.equal(bom.specVersion, '1.6');
  assert.equal(bom.version, 1);
  assert.match(bom.serialNumber, /^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/);
  assert.equal(bom.metadata.component.type, 'application');
  assert.match(bom.metadata.component.version, /^\d+\.\d+\.\d+$/);
});

test('every part has a type, a name, a version and an address of its own', () => {
  for (const part of all) {
    assert.equal(part.type, 'library', part.name);
    assert.ok(part.name && part.version, part.purl);
    assert.match(part.purl, /^pkg:(?:cargo\/[\w-]+|npm\/(?:%40[\w-]+\/)?[\w.-]+)@[\w.+-]+$/);
    assert.ok(['required', 'excluded'].includes(part.scope));
  }
  assert.equal(new Set(all.map((part) => part['bom-ref'])).size, all.length);
});

test('every part has a licence that SPDX has a name for', () => {
  const ids = /^(?:0BSD|Apache-2\.0|BSD-[23]-Clause|BSL-1\.0|CC0-1\.0|CDLA-Permissive-2\.0|FTL|[GL]+PL-[\d.]+-(?:only|or-later)|IJG|ISC|MIT|MIT-0|MIT-Modern-Variant|MPL-2\.0|NTP|OFL-1\.1|Unicode-3\.0|Unlicense|Zlib|blessing|LLVM-exception|Font-exception-2\.0)$/;
  for (const part of all.flatMap((whole) => [whole, ...(whole.components ?? [])])) {
    assert.equal(part.licenses.length, 1, part.name);
    const [{ license, expression }] = part.licenses;
    assert.ok((license === undefined) !== (expression === undefined), part.name);
    const words = license ? [license.id] : expression.split(/[\s()]+/).filter((word) => !/^(?:AND|OR|WITH|)$/.test(word));
    for (const word of words) assert.match(word, ids, part.name);
  }
});

test('every part has the checksum that it was fetched by', () => {
  for (const { name, hashes } of all) {
    assert.equal(hashes.length, 1, name);
    const [{ alg, content }] = hashes;
    assert.match(content, alg === 'SHA-256' ? /^[0-9a-f]{64}$/ : /^[0-9a-f]{128}$/, name);
  }
});

test('what is inside stands there, and nothing else', () => {
  const scope = (name) => all.find((part) => part.name === name)?.scope;
  for (const name of ['axum', 'libsqlite3-sys', 'svelte', 'pdfjs-dist', 'mgba']) assert.equal(scope(name), 'required', name);
  assert.equal(scope('serde_derive'), 'excluded');
  for (const name of ['vite', 'typescript', 'proptest', 'snes9x', 'ledge-core', 'windows-sys']) assert.equal(scope(name), undefined, name);
});

test('the same lock files make the same bill', () => {
  assert.equal(JSON.stringify(bill()), JSON.stringify(bom));
});

test('a release can say when it was made', () => {
  assert.equal(bom.metadata.timestamp, undefined);
  process.env.SOURCE_DATE_EPOCH = '1780000000';
  const dated = bill();
  delete process.env.SOURCE_DATE_EPOCH;
  assert.equal(dated.metadata.timestamp, '2026-05-28T20:26:40Z');
  assert.equal(dated.serialNumber, bom.serialNumber);
});
