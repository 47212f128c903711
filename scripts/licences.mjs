// Writes the licences of all parts of Ledge: docs/licences.md for users, and web/public/licences.txt with the
// texts, which the executable embeds and serves.
//
//   node scripts/licences.mjs [--check]
//
// --check: writes nothing, and fails if these files are stale.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { choice, cores, crates, isCompatible, packages, root, texts, within } from './parts.mjs';

const PAGE = 'docs/licences.md';
const TEXTS = 'web/public/licences.txt';

/** Returns the standard terms for parts without a licence text, with the name of the holder. */
const STANDARD = {
  MIT: (holder) => `MIT License\n\nCopyright (c) ${holder}\n\n${MIT_TERMS}`,
  ISC: (holder) => `ISC License\n\nCopyright (c) ${holder}\n\n${ISC_TERMS}`,
  'Apache-2.0': () => readFileSync(join(root, 'web/licences/Apache-2.0.txt'), 'utf8'),
  'BSD-3-Clause': (holder) => `BSD 3-Clause License\n\nCopyright (c) ${holder}\n\n${BSD_TERMS}`,
};
const ISC_TERMS = `Permission to use, copy, modify, and/or distribute this software for any
purpose with or without fee is hereby granted, provided that the above
copyright notice and this permission notice appear in all copies.

THE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES WITH
REGARD TO THIS SOFTWARE INCLUDING ALL IMPLIED WARRANTIES OF MERCHANTABILITY AND
FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR ANY SPECIAL, DIRECT,
INDIRECT, OR CONSEQUENTIAL DAMAGES OR ANY DAMAGES WHATSOEVER RESULTING FROM
LOSS OF USE, DATA OR PROFITS, WHETHER IN AN ACTION OF CONTRACT, NEGLIGENCE OR
OTHER TORTIOUS ACTION, ARISING OUT OF OR IN CONNECTION WITH THE USE OR
PERFORMANCE OF THIS SOFTWARE.`;
const MIT_TERMS = `Permission is hereby granted, free of charge, to any person obtaining a copy
of this software and associated documentation files (the "Software"), to deal
in the Software without restriction, including without limitation the rights
to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all
copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
SOFTWARE.`;
const BSD_TERMS = `Redistribution and use in source and binary forms, with or without
modification, are permitted provided that the following conditions are met:

1. Redistributions of source code must retain the above copyright notice, this
   list of conditions and the following disclaimer.

2. Redistributions in binary form must reproduce the above copyright notice,
   this list of conditions and the following disclaimer in the documentation
   and/or other materials provided with the distribution.

3. Neither the name of the copyright holder nor the names of its contributors
   may be used to endorse or promote products derived from this software
   without specific prior written permission.

THIS SOFTWARE IS PROVIDED BY THE COPYRIGHT HOLDERS AND CONTRIBUTORS "AS IS" AND
ANY EXPRESS OR IMPLIED WARRANTIES, INCLUDING, BUT NOT LIMITED TO, THE IMPLIED
WARRANTIES OF MERCHANTABILITY AND FITNESS FOR A PARTICULAR PURPOSE ARE
DISCLAIMED. IN NO EVENT SHALL THE COPYRIGHT HOLDER OR CONTRIBUTORS BE LIABLE
FOR ANY DIRECT, INDIRECT, INCIDENTAL, SPECIAL, EXEMPLARY, OR CONSEQUENTIAL
DAMAGES (INCLUDING, BUT NOT LIMITED TO, PROCUREMENT OF SUBSTITUTE GOODS OR
SERVICES; LOSS OF USE, DATA, OR PROFITS; OR BUSINESS INTERRUPTION) HOWEVER
CAUSED AND ON ANY THEORY OF LIABILITY, WHETHER IN CONTRACT, STRICT LIABILITY,
OR TORT (INCLUDING NEGLIGENCE OR OTHERWISE) ARISING IN ANY WAY OUT OF THE USE
OF THIS SOFTWARE, EVEN IF ADVISED OF THE POSSIBILITY OF SUCH DAMAGE.`;

/** Returns both files, as `{ path: text }`. */
export function files() {
  const linked = crates().filter((crate) => crate.isLinked);
  const bundled = packages();
  const pieces = within([...linked, ...bundled]);
  const games = cores();
  const all = [...linked, ...bundled, ...games.filter((core) => core.isInside)];
  const bound = all.filter((part) => !isCompatible(part.licence));
  if (bound.length > 0) {
    const list = bound.map((part) => `${part.name}: ${part.licence}`).join(', ');
    throw new Error(`not to be passed on together with GPL-3.0-or-later: ${list}`);
  }
  return { [PAGE]: page(linked, bundled, pieces, games), [TEXTS]: everyText(linked, bundled, pieces) };
}

function page(linked, bundled, pieces, games) {
  const lines = [
    '# Licences',
    '',
    'Ledge is free software: [GPL-3.0-or-later](../LICENSE). This page is what releases are made of; `make licences` writes it from the lock files, `make lint` fails where it is stale, and `make sbom` says the same to programs.',
    '',
    'Most of these licences want their text to go wherever the program goes. So the texts are inside the executable, and every server shows them at `/licences.txt`; a file beside the executable would be lost with the first copy. Those of the browser cores are linked under Settings → Games.',
    '',
    'Everything inside a release has terms that go together with GPL-3.0-or-later; writing this page fails where that is not so.',
    '',
    '## Browser cores of games',
    '',
    `They come from the packages named \`@emulatorjs/core-…\`, version ${games[0].version}, each pinned by its checksum in \`kinds/games/cores.json\`. All of them are linked with [RetroArch](https://github.com/EmulatorJS/RetroArch), which is GPL-3.0-or-later: a core whose terms do not go together with that may not be passed on with it, and is an add-on that each administrator gets for themselves.`,
    '',
    '| core | licence | free software | with GPL-3 | sources |',
    '|---|---|---|---|---|',
    ...games.map(
      (core) =>
        `| \`${core.name}\` | ${core.licence} | ${core.isFree ? 'yes' : 'no'} | ${core.isInside ? 'yes, in releases' : 'no, an add-on'} | <${core.home}> |`,
    ),
    '',
    'The terms that a core’s package brings lie beside it as `ID.txt`. `handy` and the add-ons bring none: for these the table says what stands in their sources.',
    '',
    'BIOS files belong to the makers of consoles. None is part of Ledge.',
    '',
    '## The web interface',
    '',
    'The build fails where it bundles another package than these (`web/bundled.json`).',
    '',
    '| package | version | licence |',
    '|---|---|---|',
    ...bundled.map((part) => `| [${part.name}](${part.home}) | ${part.version} | ${part.licence} |`),
    '',
    '## Inside of others',
    '',
    'These are parts of Ledge, and of what stands above and below, under terms of their own.',
    '',
    '| what | in | licence | whose |',
    '|---|---|---|---|',
    ...pieces.map((piece) => `| ${piece.name} | ${piece.in} | ${piece.licence} | ${piece.holder} |`),
    '',
    '## The server',
    '',
    'Crates that are linked into the executable, on the processors that releases are made for. What only runs while it is compiled is left out.',
    '',
    '| crate | version | licence |',
    '|---|---|---|',
    ...linked.map((part) => `| ${part.home ? `[${part.name}](${part.home})` : part.name} | ${part.version} | ${part.licence} |`),
  ];
  return `${lines.join('\n')}\n`;
}

/** Returns every text once, with the names of all its parts. */
function everyText(linked, bundled, pieces) {
  const found = new Map();
  const add = (name, text) => {
    const key = text.replace(/\s+/g, ' ').trim();
    const entry = found.get(key) ?? { text: tidy(text), names: new Set() };
    entry.names.add(name);
    found.set(key, entry);
  };
  for (const part of [...linked, ...bundled]) {
    for (const text of terms(part)) add(`${part.name} ${part.version}`, text);
  }
  for (const piece of pieces) {
    const text = piece.text ?? STANDARD[piece.licence]?.(piece.holder);
    if (text) add(`${piece.name}, in ${piece.in}`, text);
  }
  const own = readFileSync(join(root, 'LICENSE'), 'utf8');
  const head = [
    'Ledge is free software, GPL-3.0-or-later, whose text comes first. It is made of the work of',
    'many others, under the licences that follow; of several to choose from, one was chosen.',
    'SQLite, which is inside as well, is in the public domain.',
  ];
  const blocks = [...found.values()].map(({ text, names }) => `${[...names].join('\n')}\n\n${text}`);
  const rule = `\n\n${'='.repeat(80)}\n\n`;
  return [head.join('\n'), `Ledge\n\n${tidy(own)}`, ...blocks].join(rule) + '\n';
}

/** Returns the texts of a part, or the standard terms of its licences. */
function terms(part) {
  const own = texts(part);
  if (own.length > 0) return own;
  return choice(part.licence).flatMap((id) => STANDARD[id]?.(`the authors of ${part.name}`) ?? []);
}

/** Removes blanks at the ends of lines and blank lines at the end of the file. */
const tidy = (text) => text.replace(/\r\n?/g, '\n').replace(/[ \t]+$/gm, '').replace(/^\n+|\s+$/g, '');

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const isCheck = process.argv.includes('--check');
  const stale = Object.entries(files()).filter(([path, text]) => {
    const at = join(root, path);
    if (existsSync(at) && readFileSync(at, 'utf8') === text) return false;
    if (!isCheck) writeFileSync(at, text);
    return true;
  });
  if (isCheck && stale.length > 0) {
    console.error(`licences: ${stale.map(([path]) => path).join(' and ')} is stale; run make licences`);
    process.exit(1);
  }
}
