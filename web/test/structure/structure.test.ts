/** The structure of the sources: folders without import cycles, short folders and files, effects without `untrack`. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { expect, it } from 'vitest';

const src = join(import.meta.dirname, '../../src');
const entries = readdirSync(src, { recursive: true, encoding: 'utf8' });
const sources = entries.filter((name) => /\.(ts|svelte)$/.test(name));

/** Returns the folders that a source imports from, types included. */
function importsOf(name: string): string[] {
  const path = join(src, name);
  const specifiers = readFileSync(path, 'utf8').matchAll(/\b(?:from|import)\s*\(?\s*'(\.[^']*)'/g);
  return [...specifiers].map(([, specifier = '']) => {
    const target = join(dirname(path), specifier);
    const isFolder = existsSync(target) && statSync(target).isDirectory();
    return relative(src, isFolder ? target : dirname(target));
  });
}

/** Returns the folders of a cycle, in order; an empty list if there is none. */
function cycleOf(graph: ReadonlyMap<string, ReadonlySet<string>>): string[] {
  const done = new Set<string>();
  const visit = (folder: string, path: readonly string[]): string[] => {
    if (path.includes(folder)) return [...path.slice(path.indexOf(folder)), folder];
    if (done.has(folder)) return [];
    for (const next of graph.get(folder) ?? []) {
      const cycle = visit(next, [...path, folder]);
      if (cycle.length > 0) return cycle;
    }
    done.add(folder);
    return [];
  };
  return [...graph.keys()].map((folder) => visit(folder, [])).find((cycle) => cycle.length > 0) ?? [];
}

it('folders import each other without a cycle', () => {
  const graph = new Map<string, Set<string>>();
  for (const name of sources) {
    const folder = dirname(name) === '.' ? '' : dirname(name);
    const targets = graph.get(folder) ?? new Set();
    for (const target of importsOf(name)) if (target !== folder) targets.add(target);
    graph.set(folder, targets);
  }
  expect(graph.size).toBeGreaterThan(20);
  expect(cycleOf(graph)).toEqual([]);
});

it('a cycle is detected', () => {
  const graph = new Map([
    ['a', new Set(['b'])],
    ['b', new Set(['c'])],
    ['c', new Set(['b'])],
  ]);
  expect(cycleOf(graph)).toEqual(['b', 'c', 'b']);
});

it('a folder has at most 16 entries', () => {
  const counts = new Map<string, number>();
  for (const name of entries) counts.set(dirname(name), (counts.get(dirname(name)) ?? 0) + 1);
  expect([...counts].filter(([, count]) => count > 16)).toEqual([]);
});

it('a source has at most 450 lines', () => {
  const written = sources.filter((name) => !name.endsWith('schema.d.ts'));
  const lines = written.map(
    (name) => [name, readFileSync(join(src, name), 'utf8').split('\n').length - 1] as const,
  );
  expect(lines.filter(([, count]) => count > 450)).toEqual([]);
});

it('effects track what they read: a reaction to an event is a handler', () => {
  const calls = sources.filter((name) => readFileSync(join(src, name), 'utf8').includes('untrack('));
  // It tracks the choice of queries, not their state, and states the reason.
  expect(calls).toEqual(['api/watch.svelte.ts']);
});
