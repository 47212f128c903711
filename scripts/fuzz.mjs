// Runs the fuzz targets of tests/fuzz/ one after the other, guided by code coverage. A stable compiler is enough.
// The limits of an input are 5 s and 256 MiB.
//
//   node scripts/fuzz.mjs [--seconds N] [--seeds FOLDER]... [TARGET]...
//
// Seeds are the small files of the demo library and of each given folder. Inputs that break a parser are
// saved in target/fuzz/found.
import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const WORK = join(ROOT, 'target/fuzz');
const LARGEST_SEED = 256 * 1024;
const MOST_SEEDS = 200;

/** Compiler options as cargo-fuzz sets them: counters for edges, and traces of comparisons. */
const FLAGS = [
  '--cfg fuzzing',
  '-Cpasses=sancov-module',
  '-Cllvm-args=-sanitizer-coverage-level=4',
  '-Cllvm-args=-sanitizer-coverage-inline-8bit-counters',
  '-Cllvm-args=-sanitizer-coverage-pc-table',
  '-Cllvm-args=-sanitizer-coverage-trace-compares',
  '-Cdebug-assertions',
  '-Ccodegen-units=1',
].join(' ');

/** Extensions of a target's seeds, in the order of the first byte if that byte selects one. */
export const TARGETS = {
  audio: { extensions: listed('audio'), chosen: true },
  comic: { extensions: ['cbz', 'cbr', 'cb7', 'cbt'] },
  cover: { extensions: ['jpg', 'jpeg', 'png', 'webp', 'gif'] },
  epub: { extensions: ['epub'] },
  fb2: { extensions: ['fb2'] },
  games: { extensions: listed('games'), chosen: true },
  local_files: { extensions: ['nfo', 'opf', 'json', 'xml'] },
  mobi: { extensions: ['mobi', 'azw3', 'azw'] },
  nfo: { extensions: ['nfo'] },
  page: { extensions: ['jpg', 'jpeg', 'png', 'webp', 'gif'] },
  pdf: { extensions: ['pdf'] },
  plain: { extensions: ['txt', 'md'] },
  subtitles: { extensions: ['srt', 'ass', 'ssa', 'vtt'] },
  video: { extensions: ['mp4', 'm4v', 'mov', 'mkv', 'webm', 'avi', 'ts', 'mpg', 'flv', 'wmv', 'ogv'] },
};

/** Returns the extensions that a target's first byte selects, as listed in its source. */
function listed(target) {
  const source = readFileSync(join(ROOT, `tests/fuzz/fuzz_targets/${target}.rs`), 'utf8');
  const list = source.match(/EXTENSIONS: &\[&str\] = &\[([^\]]*)\]/)[1];
  return [...list.matchAll(/"([^"]+)"/g)].map(([, extension]) => extension);
}

/** Returns a file in the form that the target expects, or null if it is not one of its seeds. */
export function seed({ extensions, chosen }, path, bytes) {
  const place = extensions.indexOf(extname(path).slice(1).toLowerCase());
  if (place < 0 || bytes.length > LARGEST_SEED) return null;
  return chosen ? Buffer.concat([Buffer.of(place), bytes]) : bytes;
}

/** Parses the final statistics of libFuzzer: inputs, the slowest in seconds, and the maximum memory in MB. */
export function figures(output) {
  const said = (name) => Number(output.match(new RegExp(`stat::${name}:\\s+(\\d+)`))?.[1] ?? NaN);
  return {
    inputs: said('number_of_executed_units'),
    slowest: said('slowest_unit_time_sec'),
    memory: said('peak_rss_mb'),
    covered: Number([...output.matchAll(/ cov: (\d+)/g)].at(-1)?.[1] ?? NaN),
  };
}

function build() {
  // Uses the versions of the product, because this workspace has no lock file.
  copyFileSync(join(ROOT, 'Cargo.lock'), join(ROOT, 'tests/fuzz/Cargo.lock'));
  const target = execFileSync('rustc', ['--print', 'host-tuple'], { encoding: 'utf8' }).trim();
  const folder = join(WORK, 'build');
  const cargo = ['build', '--release', '--bins', '--target', target];
  const { status } = spawnSync('cargo', cargo, {
    cwd: join(ROOT, 'tests/fuzz'),
    env: { ...process.env, RUSTFLAGS: FLAGS, CARGO_TARGET_DIR: folder },
    stdio: 'inherit',
  });
  if (status !== 0) process.exit(status ?? 1);
  return join(folder, target, 'release');
}

function sow(name, folders) {
  const corpus = join(WORK, 'corpus', name);
  mkdirSync(corpus, { recursive: true });
  const files = folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name)),
  );
  let sown = 0;
  for (const path of files) {
    if (sown === MOST_SEEDS) break;
    if (!TARGETS[name].extensions.includes(extname(path).slice(1).toLowerCase())) continue;
    const bytes = seed(TARGETS[name], path, readFileSync(path));
    if (bytes) writeFileSync(join(corpus, `${sown++}-${basename(path)}`), bytes);
  }
  return corpus;
}

function run(binary, name, corpus, seconds) {
  const found = join(WORK, 'found', `${name}-`);
  mkdirSync(dirname(found), { recursive: true });
  const limits = ['-timeout=5', '-rss_limit_mb=256', '-max_len=262144', '-print_final_stats=1'];
  const options = [...limits, `-max_total_time=${seconds}`, `-artifact_prefix=${found}`, corpus];
  const { status, stderr } = spawnSync(binary, options, {
    encoding: 'utf8',
    maxBuffer: 1 << 28,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  if (status !== 0) process.stderr.write(stderr.split('\n').slice(-60).join('\n'));
  return { ...figures(stderr), failed: status !== 0 };
}

function main() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      seconds: { type: 'string', default: '60' },
      seeds: { type: 'string', multiple: true, default: [] },
    },
  });
  const names = positionals.length > 0 ? positionals : Object.keys(TARGETS);
  const unknown = names.filter((name) => !(name in TARGETS));
  if (unknown.length > 0) {
    console.error(`fuzz: there is no target ${unknown.join(', ')}; they are ${Object.keys(TARGETS).join(', ')}`);
    process.exit(2);
  }
  const folder = build();
  const demo = join(WORK, 'demo');
  rmSync(demo, { recursive: true, force: true });
  const fixtures = ['run', '--quiet', '--locked', '-p', 'ledge-fixtures', '--', 'demo', demo];
  execFileSync('cargo', fixtures, { cwd: ROOT, stdio: ['ignore', 'ignore', 'inherit'] });
  const outcomes = names.map((name) => {
    const corpus = sow(name, [demo, ...values.seeds]);
    const outcome = run(join(folder, name), name, corpus, Number(values.seconds));
    const { inputs, slowest, memory, covered } = outcome;
    const said = `${inputs} inputs, ${covered} edges, the slowest ${slowest} s, ${memory} MB`;
    console.log(`${name.padEnd(12)} ${outcome.failed ? 'FAILED ' : ''}${said}`);
    return outcome;
  });
  process.exit(outcomes.some(({ failed }) => failed) ? 1 : 0);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main();
