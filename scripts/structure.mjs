// Checks the size of sources: lines of a file, lines of a Rust function, and entries of a folder.
//
//   node scripts/structure.mjs [FOLDER]
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Largest number of lines of a file, of lines of a Rust function, and of visible entries of a folder. */
export const LIMITS = { file: 450, function: 60, folder: 16 };

/** Files with code. Pages, data, lock files and SQL have no limit of lines. */
const CODE = /\.(?:rs|mjs|js|ts|svelte|css|py|sh)$/;

/** Reasons that several functions share. */
const CASES = 'a table of cases, next to the loop over it';
const FORMAT = 'a file written part by part, in the order of its format';
const STEPS = 'one scenario, in the order of its steps';

/** Exempt files, folders with a final slash, and functions as `path: name`, with reasons. */
export const EXEMPT = {
  './': 'tools and hosts look for manifests, pages and settings at the top',
  'core/migrations/': 'one file per version; the files of released versions stay',
  'docs/': 'pages, which docs/SUMMARY.md groups; their addresses stay',
  'web/': 'tools look for their settings next to package.json',
  'web/src/api/schema.d.ts': 'generated from the OpenAPI document',
  'web/test/fake/world.mjs': 'one closure contains the state of the stand-in server',
  'core/migrations/': 'one file per version of the schema, which never changes again',
  'core/src/storage/store/item/list/tests/id_filter.rs: filters': CASES,
  'core/src/storage/store/item/list/tests/many.rs: filters': CASES,
  'kinds/audio/src/naming/label.rs: names_are_split_into_their_components': CASES,
  'kinds/audio/src/tests/fixtures/asf.rs: asf': FORMAT,
  'kinds/audio/src/tests/fixtures/matroska.rs: matroska': FORMAT,
  'kinds/books/src/formats/epub/tests.rs: covers_are_found_by_every_convention': CASES,
  'kinds/books/tests/corpus.rs: expected': CASES,
  'kinds/games/tests/corpus.rs: header_facts': CASES,
  'tests/api/accounts/access.rs: every_route_answers_every_role_as_specified': STEPS,
  'tests/api/catalogue/home.rs: one_request_returns_six_shelves': STEPS,
  'tests/api/catalogue/home/continue_shelf.rs: continue_shows_part_chapter_and_remaining_time': STEPS,
  'tests/api/catalogue/search.rs: arbitrary_query_is_no_error_and_changes_nothing': CASES,
  'tests/api/http/conventions.rs: checks_are_made_in_documented_order': STEPS,
  'tests/api/http/conventions/bodies.rs: json_routes': CASES,
  'tests/api/http/conventions/bodies.rs: field_of_wrong_type_or_missing_field_is_named': CASES,
  'tests/api/metadata/enrich.rs: match_of_provider_is_written_and_recorded': STEPS,
  'tests/api/metadata/enrich/outage.rs: unavailable_provider_is_paused_and_job_waits': STEPS,
  'tests/api/operation/lock.rs: reads_continue_and_writes_wait_while_other_process_writes': STEPS,
  'tests/api/playing/archives.rs: entry_of_another_size_than_declared_is_never_a_success': CASES,
  'tests/api/playing/archives.rs: scripts_in_books_have_no_media_type_that_runs': STEPS,
  'tests/bench/enriching.rs: measure': STEPS,
  'tests/torture/load.rs: write': CASES,
};

/** Returns one line for each violation, and for each exemption without one. `sources` contains texts by path. */
export function problems(sources, exempt = EXEMPT) {
  const found = [...longFiles(sources), ...longFunctions(sources), ...fullFolders(sources.keys())];
  const unused = Object.keys(exempt).filter((subject) => found.every((one) => one.subject !== subject));
  return [
    ...found.filter(({ subject }) => !(subject in exempt)).map(({ subject, text }) => `${subject}: ${text}`),
    ...unused.map((subject) => `${subject}: is exempt without need`),
  ];
}

function longFiles(sources) {
  return [...sources]
    .filter(([path]) => CODE.test(path))
    .map(([subject, text]) => ({ subject, lines: text.split('\n').length - 1 }))
    .filter(({ lines }) => lines > LIMITS.file)
    .map(({ subject, lines }) => ({ subject, text: `${lines} lines, at most ${LIMITS.file}` }));
}

function longFunctions(sources) {
  const rust = [...sources].filter(([path]) => path.endsWith('.rs'));
  return rust.flatMap(([path, text]) =>
    functions(text)
      .filter(({ lines }) => lines > LIMITS.function)
      .map(({ name, lines }) => ({ subject: `${path}: ${name}`, text: `${lines} lines, at most ${LIMITS.function}` })),
  );
}

/** Returns the functions of a formatted Rust source with their numbers of lines, from `fn` to the last brace. */
export function functions(text) {
  const lines = text.split('\n');
  return lines.flatMap((line, at) => {
    const head = /^(\s*)(?:(?:pub(?:\([^)]*\))?|const|async|unsafe|extern "C") )*fn (\w+)/.exec(line);
    if (!head) return [];
    const [, indent, name] = head;
    const isEnd = (one) => one === `${indent}}` || (/[;}]$/.test(one) && one.startsWith(indent) && !/^[\s#/]/.test(one.slice(indent.length)));
    const end = lines.findIndex((one, index) => index >= at && isEnd(one));
    return end < 0 ? [] : [{ name, lines: end - at + 1 }];
  });
}

function fullFolders(paths) {
  const entries = new Map();
  for (const path of paths) {
    const names = path.split('/');
    if (names.some((name) => name.startsWith('.'))) continue;
    for (const [depth, name] of names.entries()) {
      const folder = `${names.slice(0, depth).join('/') || '.'}/`;
      entries.set(folder, (entries.get(folder) ?? new Set()).add(name));
    }
  }
  return [...entries]
    .filter(([, names]) => names.size > LIMITS.folder)
    .map(([subject, names]) => ({ subject, text: `${names.size} entries, at most ${LIMITS.folder}` }));
}

/** Reads the files of a repository that are not ignored: texts of code, and empty texts of other files. */
export function read(root) {
  const options = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  const listed = execFileSync('git', options, { cwd: root, encoding: 'utf8', maxBuffer: 1 << 26 });
  const paths = listed.split('\0').filter((path) => path && existsSync(join(root, path)));
  return new Map(paths.map((path) => [path, CODE.test(path) ? readFileSync(join(root, path), 'utf8') : '']));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const root = resolve(process.argv[2] ?? fileURLToPath(new URL('../', import.meta.url)));
  const sources = read(root);
  const lines = problems(sources);
  for (const line of lines) console.error(line);
  if (lines.length > 0) process.exit(1);
  console.log(`structure: ${sources.size} files, their functions and their folders have a moderate size`);
}
