// The catalogue as r2-opds-js reads it, which Thorium Reader uses: node opds.mjs NODE_MODULES DOCUMENTS
//
// DOCUMENTS is a file of JSON: a list of objects with the members `address`, `mime` and `body`.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const [modules, file] = process.argv.slice(2);
const require = createRequire(join(modules, 'x.js'));
const part = (name) => require(`r2-opds-js/dist/es8-es2017/src/opds/${name}`);
const { XML } = require('r2-utils-js/dist/es8-es2017/src/_utils/xml-js-mapper');
const { TaJsonDeserialize, TaJsonSerialize } = require('r2-lcp-js/dist/es8-es2017/src/serializable');
const { DOMParser } = require('@xmldom/xmldom');
const globals = part('init-globals');
globals.initGlobalConverters_OPDS();
globals.initGlobalConverters_GENERIC();
const { OPDS } = part('opds1/opds');
const { Entry } = part('opds1/opds-entry');
const { OPDSFeed } = part('opds2/opds2');
const { OPDSPublication } = part('opds2/opds2-publication');
const { OPDSAuthenticationDoc } = part('opds2/opds2-authentication-doc');
const converter = part('converter');

// The library prints a line for each publication without a cover.
const print = console.log;
console.log = () => {};
const ACQUISITION = 'http://opds-spec.org/acquisition';
const counts = {};

/** Reads a document of Atom, and converts it into OPDS 2.0. */
function readAtom(address, body) {
  const document = new DOMParser({
    onError: (level, message) => assert.fail(`${address}: ${level} ${message}`),
  }).parseFromString(body, 'application/xml');
  const root = document.documentElement;
  if (root.localName === 'entry') {
    const publication = converter.convertOpds1ToOpds2_EntryToPublication(XML.deserialize(document, Entry));
    checkPublication(address, publication);
    return 'Atom entries';
  }
  const feed = XML.deserialize(document, OPDS);
  assert.ok(feed.Title && feed.Id && feed.Updated instanceof Date, address);
  const entries = root.getElementsByTagName('entry').length;
  const converted = converter.convertOpds1ToOpds2(feed);
  const publications = converted.Publications ?? [];
  assert.equal(publications.length + (converted.Navigation ?? []).length, entries, address);
  publications.forEach((one) => checkPublication(address, one));
  return 'Atom feeds';
}

function checkPublication(address, publication) {
  assert.ok(publication.Metadata.Title && publication.Metadata.Identifier, address);
  assert.ok(publication.findFirstLinkByRel(ACQUISITION)?.TypeLink, address);
}

/** Reads a document of OPDS 2.0. Written again, it has the same publications. */
function readJson(address, body, Type) {
  const sent = JSON.parse(body);
  const read = TaJsonDeserialize(sent, Type);
  const written = TaJsonSerialize(read);
  if (Type === OPDSPublication) {
    checkPublication(address, read);
  } else if (Type === OPDSFeed) {
    assert.equal(read.Metadata.Title, sent.metadata.title, address);
    for (const list of ['publications', 'navigation', 'facets', 'groups', 'links']) {
      assert.equal(written[list]?.length, sent[list]?.length, `${address}: ${list}`);
    }
    (read.Publications ?? []).forEach((one) => checkPublication(address, one));
    assert.equal(read.Metadata.NumberOfItems, sent.metadata.numberOfItems, address);
  } else {
    assert.equal(read.Authentication.length, sent.authentication.length, address);
    assert.ok(read.Authentication[0].Labels.Login, address);
  }
  return Type.name;
}

const TYPES = {
  'application/opds+json': OPDSFeed,
  'application/opds-publication+json': OPDSPublication,
  'application/opds-authentication+json': OPDSAuthenticationDoc,
};
for (const { address, mime, body } of JSON.parse(readFileSync(file, 'utf8'))) {
  let name;
  if (mime.startsWith('application/atom+xml')) name = readAtom(address, body);
  else if (TYPES[mime]) name = readJson(address, body, TYPES[mime]);
  else continue;
  counts[name] = (counts[name] ?? 0) + 1;
}
for (const name of ['Atom feeds', 'Atom entries', 'OPDSFeed', 'OPDSPublication', 'OPDSAuthenticationDoc']) {
  assert.ok(counts[name] > 0, `no document: ${name}`);
}
print(`clients: r2-opds-js reads ${Object.entries(counts).map(([name, n]) => `${n} ${name}`).join(', ')}`);
