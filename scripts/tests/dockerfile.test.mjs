// The Dockerfile follows some rules of hadolint, and its files exist. Container engines are not available
// everywhere.
import assert from 'node:assert/strict';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { test } from 'node:test';
import { root } from '../parts.mjs';

const read = (path) => readFileSync(join(root, path), 'utf8');

// Returns instructions as [word, rest] by stage, with continued lines joined.
function stages(text) {
  const lines = text
    .replace(/^#.*\n/gm, '')
    .replace(/\s*\\\n\s*/g, ' ')
    .split('\n')
    .filter(Boolean);
  const found = [];
  const values = {};
  for (const line of lines) {
    const [, word, rest] = /^(\w+)\s+(.*)$/.exec(line);
    // Arguments before the first stage are base images that a build may replace.
    if (word === 'ARG' && found.length === 0) {
      const [, name, value] = /^(\w+)=(\S+)$/.exec(rest);
      values[name] = value;
      continue;
    }
    if (word === 'FROM') found.push([]);
    const image = word === 'FROM' ? rest.replace(/\$\{(\w+)\}/, (_, name) => values[name]) : rest;
    found.at(-1).push([word, image]);
  }
  return found;
}

// Converts a pattern of .dockerignore to a regular expression: `*` stays in a folder, `**` does not.
function expression(pattern) {
  assert.doesNotMatch(pattern, /[[\]\\]/, 'a form that is not read here');
  const written = pattern
    .replace(/^\/+|\/+$/g, '')
    .replace(/[.+^${}()|]/g, '\\$&')
    .replace(/\*\*\/?|\*|\?/g, (wild, at, whole) => {
      if (wild.startsWith('**')) return at + wild.length === whole.length ? '.*' : '(.*/)?';
      return wild === '*' ? '[^/]*' : '[^/]';
    });
  return new RegExp(`^${written}$`);
}

// Returns whether docker copies a path. A line applies to its path and everything below; the last matching
// line decides.
function reading(text) {
  const lines = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line && !line.startsWith('#'));
  const rules = lines.map((line) => ({
    letsIn: line.startsWith('!'),
    names: expression(line.replace(/^!/, '')),
  }));
  return (path) => {
    const words = path.split('/');
    const above = words.map((_, at) => words.slice(0, at + 1).join('/'));
    const last = rules.findLast(({ names }) => above.some((one) => names.test(one)));
    return last?.letsIn ?? true;
  };
}

const all = stages(read('docker/Dockerfile'));
const of = (stage, wanted) => stage.filter(([word]) => word === wanted).map(([, rest]) => rest);
const last = all.at(-1);

test('every stage begins with an image of a certain version, and has a name but for the last', () => {
  const names = [];
  for (const stage of all) {
    const [, image, name] = /^(?:--platform=\S+ )?(\S+)(?: AS (\w+))?$/.exec(stage[0][1]);
    if (image !== 'scratch' && !names.includes(image)) assert.match(image, /^[\w./-]+:[\w.-]*\d[\w.-]*$|^debian:bookworm-slim$/, image);
    assert.doesNotMatch(image, /:latest$/);
    names.push(name);
  }
  assert.deepEqual(names, ['web', 'compiler', 'recipe', 'server', 'root', undefined]);
  const rust = /^rust-version = "([\d.]+)"/m.exec(read('Cargo.toml'))[1];
  assert.equal(
    /^rust:([\d.]+)-/.exec(all[1][0][1])?.[1],
    rust,
    'the compiler is the one that the workspace asks for',
  );
});

test('instructions are of the kinds that are safe, in the form that starts no shell', () => {
  const known =
    'FROM WORKDIR COPY RUN ARG ENV LABEL VOLUME EXPOSE STOPSIGNAL HEALTHCHECK ENTRYPOINT CMD'.split(' ');
  for (const [word, rest] of all.flat()) {
    assert.ok(known.includes(word), `${word} is not used`);
    if (word === 'WORKDIR') assert.match(rest, /^\//);
    if (word === 'ENTRYPOINT' || word === 'CMD') assert.doesNotThrow(() => JSON.parse(rest), rest);
    if (word === 'RUN')
      assert.doesNotMatch(rest, /\bsudo\b|(^|&& )cd |\||apt-get (dist-)?upgrade|\bcurl\b|\bwget\b/, rest);
  }
});

test('packages are installed without what they recommend, and leave no lists', () => {
  const runs = all.flatMap((stage) => of(stage, 'RUN')).filter((run) => run.includes('apt-get'));
  assert.equal(runs.length, 1);
  for (const part of [
    'apt-get update &&',
    '--yes',
    '--no-install-recommends',
    'rm -rf /var/lib/apt/lists/*',
  ]) {
    assert.ok(runs[0].includes(part), part);
  }
});

test('what is copied is there, in the folder or in the stage before', () => {
  const names = all.map((stage) => / AS (\w+)$/.exec(stage[0][1])?.[1]);
  for (const [at, stage] of all.entries()) {
    for (const copy of of(stage, 'COPY')) {
      const words = copy.split(' ');
      const from = words.find((word) => word.startsWith('--from='))?.slice('--from='.length);
      const sources = words.filter((word) => !word.startsWith('--')).slice(0, -1);
      assert.ok(sources.length > 0, copy);
      if (from) assert.ok(names.slice(0, at).includes(from), copy);
      else for (const source of sources) assert.ok(existsSync(join(root, source)), `${copy}: ${source}`);
    }
  }
});

test('of the lines that hold for a path or what it lies in, the last decides', () => {
  const goes = reading('# all\n**\n\n!a\n!b/c\na/out\n!a/out/kept\n**/target\n!d*\ne?\n!/f/\n');
  const along = ['a', 'a/x', 'a/x/y', 'b/c', 'b/c/x', 'a/out/kept', 'd', 'dd/x', 'f/x', 'a/targets'];
  const not = ['b', 'b/x', 'b/cc', 'c', 'a/out', 'a/out/x', 'a/target', 'a/x/target/y', 'target', 'e1', '# all'];
  assert.deepEqual(along.filter((path) => !goes(path)), []);
  assert.deepEqual(not.filter(goes), []);
});

test('what is copied and what is compiled in goes along, and nothing else', () => {
  const goes = reading(read('.dockerignore'));
  const copied = all.flatMap((stage) => of(stage, 'COPY')).filter((copy) => !copy.includes('--from='));
  const paths = copied.flatMap((copy) =>
    copy
      .split(' ')
      .filter((word) => !word.startsWith('--'))
      .slice(0, -1),
  );
  const sources = ['core', 'engines', 'kinds', 'providers', 'server'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true })
      .filter((path) => path.endsWith('.rs'))
      .map((path) => join(folder, path)),
  );
  const included = sources.flatMap((path) =>
    [
      ...read(path)
        .split('#[cfg(test)]')[0]
        .matchAll(/include(?:_str|_bytes)?!\(\s*"([^"]+)"/g),
    ].map(([, file]) => join(dirname(path), file)),
  );
  assert.ok(included.length > 5, `${included.length} files are compiled in`);
  const kept = [...paths, ...included].filter((path) => path !== '.' && !goes(path));
  assert.deepEqual(kept, []);
  const left = ['.git/config', 'data/ledge.db', 'docs/proof.md', '.env', 'a.txt', 'target/release/ledge'];
  const made = ['web/dist/index.html', 'web/node_modules/vite/x.js', 'kinds/games/cores/x.wasm', 'core/target/x'];
  assert.deepEqual([...left, ...made].filter(goes), []);
});

const members = JSON.parse(/^members = (\[[^\]]*\])/m.exec(read('Cargo.toml'))[1]).flatMap((member) => {
  if (!member.endsWith('/*')) return [member];
  const folder = member.slice(0, -2);
  return readdirSync(join(root, folder)).map((name) => join(folder, name));
});

test('server_stage_copies_every_crate_and_each_file_that_they_include', () => {
  const server = all.find((stage) => stage[0][1].endsWith(' AS server'));
  const copied = of(server, 'COPY')
    .filter((copy) => !copy.includes('--from='))
    .flatMap((copy) => copy.split(' ').slice(0, -1));
  const isCopied = (path) => copied.some((source) => path === source || path.startsWith(`${source}/`));
  const crates = members.filter((member) => !/^tests\b/.test(member));
  assert.ok(crates.includes('server') && crates.includes('kinds/books'), `${crates}`);
  // cargo-chef's empty crates would take the place of the sources.
  assert.deepEqual(crates.filter((crate) => !isCopied(crate)), []);

  const included = crates.flatMap((crate) =>
    readdirSync(join(root, crate, 'src'), { recursive: true })
      .filter((path) => path.endsWith('.rs') && !/(^|\/)tests(\/|\.rs$)/.test(path))
      .map((path) => join(crate, 'src', path))
      .flatMap((path) =>
        [
          ...read(path)
            .split('#[cfg(test)]')[0]
            .matchAll(/include(?:_str|_bytes)?!\(\s*"([^"]+)"/g),
        ].map(([, file]) => join(dirname(path), file)),
      ),
  );
  assert.ok(included.includes('core/migrations/schema.sql'), `${included.length} files are compiled in`);
  assert.deepEqual(included.filter((path) => !isCopied(path)), []);
});

test('libraries_are_compiled_before_the_server_is_copied', () => {
  const server = all.find((stage) => stage[0][1].endsWith(' AS server'));
  const steps = server.map(([word, rest]) => `${word} ${rest}`);
  const builds = steps.flatMap((step, at) => (step.includes('cargo build') ? [at] : []));
  assert.equal(builds.length, 2);
  assert.match(steps[builds[0]], /cargo clean --release --locked --package ledge$/);
  assert.ok(!steps.slice(0, builds[1]).some((step) => /^COPY (web|tests|\.) /.test(step)));
  const copy = steps.indexOf('COPY server server');
  assert.ok(builds[0] < copy && copy < builds[1], 'a change of the server keeps the layer of the libraries');
});

test('all that the workspace and the web interface are built of goes along', () => {
  const goes = reading(read('.dockerignore'));
  const below = (folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => relative(root, join(entry.parentPath ?? entry.path, entry.name)));
  assert.ok(members.includes('kinds/books') && members.includes('core'), `${members}`);
  const rust = members.flatMap((member) => [join(member, 'Cargo.toml'), ...below(join(member, 'src'))]);
  const notSources = ['node_modules', 'dist'];
  const web = readdirSync(join(root, 'web'), { withFileTypes: true })
    .filter(({ name }) => !notSources.includes(name))
    .flatMap((entry) => (entry.isDirectory() ? below(join('web', entry.name)) : [join('web', entry.name)]));
  assert.ok(web.includes('web/index.html') && web.includes('web/src/main.ts'), `${web.length} files`);
  const first = ['Cargo.toml', 'Cargo.lock', 'server/build.rs', ...below('.cargo'), ...below('core/migrations')];
  assert.deepEqual(
    [...first, ...rust, ...web].filter((path) => !existsSync(join(root, path)) || !goes(path)),
    [],
  );
});

test('the image starts as root, gives its rights up itself, and tells whether it is well', () => {
  assert.deepEqual(of(last, 'ENTRYPOINT'), ['["/usr/local/bin/entrypoint.sh"]']);
  assert.match(of(last, 'HEALTHCHECK')[0], /CMD \["ledge", "healthcheck"\]$/);
  assert.equal(of(last, 'STOPSIGNAL')[0], 'SIGTERM');
  assert.deepEqual(of(last, 'VOLUME'), ['/data']);
  for (const label of ['title', 'description', 'licenses', 'revision']) {
    assert.ok(of(last, 'LABEL')[0].includes(`org.opencontainers.image.${label}=`), label);
  }
  assert.match(of(last, 'ENV')[0], /LEDGE_DATABASE=\/data\/ledge\.db/);
});

test('the compose file takes rights away and mounts media to be read only', () => {
  const compose = read('docker/compose.yml');
  for (const line of [
    '- no-new-privileges:true',
    'cap_drop:\n      - ALL',
    'read_only: true',
    ':/media:ro',
  ]) {
    assert.ok(compose.includes(line), line);
  }
  assert.match(compose, /build:\n +context: \.\.\n +dockerfile: docker\/Dockerfile\n/, 'the repository is the context');
  const added = /cap_add:\n((?: {6}- \w+\n)+)/.exec(compose)[1].match(/\w+/g);
  const tested = read('tests/docker/entrypoint.sh')
    .match(/--bounding-set=-all,(\S+)/)[1]
    .split(',');
  assert.deepEqual(
    tested.map((one) => one.slice(1).toUpperCase()),
    added,
    'the test leaves the same rights',
  );
});
