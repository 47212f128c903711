/** Size limits of pages and viewers. Run after a build. */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';

const dist = join(import.meta.dirname, '../../dist');
const assets = join(dist, 'assets');
const names = readdirSync(assets);
const read = (name: string) => readFileSync(join(assets, name));
const zipped = (name: string) => gzipSync(read(name), { level: 9 }).length;

/** Returns the scripts and styles that `entry` imports statically, itself included. */
function closure(entry: string, seen = new Set<string>()): Set<string> {
  if (seen.has(entry)) return seen;
  seen.add(entry);
  if (!entry.endsWith('.js')) return seen;
  for (const [, name] of read(entry)
    .toString()
    .matchAll(/(?:from|import)\s*"\.\/([\w.-]+\.js)"/g)) {
    if (name) closure(name, seen);
  }
  return seen;
}

function starting(prefix: string): string[] {
  const found = beginning(prefix);
  expect(found).not.toEqual([]);
  return found;
}

function beginning(prefix: string): string[] {
  return names.filter((name) => name.startsWith(`${prefix}-`) && /\.(js|css)$/.test(name));
}

const html = readFileSync(join(dist, 'index.html'), 'utf8');
const entries = [...html.matchAll(/(?:src|href)="\/assets\/([\w.-]+\.(?:js|css))"/g)].map((m) => m[1] ?? '');

describe('size budgets', () => {
  const languages = ['en', 'de'] as const;

  /** Returns the compressed size of scripts and styles until the first content of a page. */
  function untilContent(language: (typeof languages)[number], ...parts: string[]): number {
    const files = new Set<string>();
    for (const name of [...entries, ...parts.flatMap(starting)]) closure(name, files);
    if (language === 'de') for (const name of [...starting('de'), ...translationsOf(files)]) files.add(name);
    // The styles of a chunk have its name.
    for (const name of [...files]) {
      const chunk = name.replace(/-[\w-]{8}\.js$/, '');
      if (chunk !== name) for (const style of beginning(chunk)) if (style.endsWith('.css')) files.add(style);
    }
    expect(files.size).toBeGreaterThan(3);
    return [...files].reduce((sum, name) => sum + zipped(name), 0);
  }

  /** The translations that parts among `files` fetch with themselves; those of the settings come with their route. */
  function translationsOf(files: ReadonlySet<string>): string[] {
    const scripts = [...files].filter((name) => name.endsWith('.js')).map((name) => read(name).toString());
    const found = scripts.flatMap((text) => [...text.matchAll(/import\(["'`]\.\/(de\.[\w.-]+\.js)["'`]\)/g)]);
    return found.map(([, name]) => name ?? '').filter((name) => !name.startsWith('de.settings'));
  }

  it.each(languages)('shows the login page (%s) with at most 45 kB of scripts and styles', (language) => {
    expect(untilContent(language, 'Login')).toBeLessThanOrEqual(45_000);
  });

  const LIMIT = 71_250;

  const pages = ['.', 'organise', 'statistics']
    .flatMap((folder) => readdirSync(join(import.meta.dirname, '../../src/pages', folder)))
    .filter((name) => name.endsWith('.svelte') && !/^(Login|Hero|NotFound)\./.test(name))
    .map((name) => name.replace('.svelte', ''));
  const sections = readFileSync(join(import.meta.dirname, '../../src/pages/settings/parts.ts'), 'utf8');
  const parts = [...sections.matchAll(/import\('\.\/(?:\w+\/)?(\w+)\.svelte'\)/g)].map(
    ([, name]) => name ?? '',
  );
  describe.each(languages)('in %s', (language) => {
    it.each(pages)('show the page %s within their limit of scripts and styles', (page) => {
      expect(untilContent(language, 'signed-in', page)).toBeLessThanOrEqual(LIMIT);
    });

    it.each(parts)('show the settings %s within their limit of scripts and styles', (part) => {
      const size = untilContent(language, 'signed-in', `${language}.settings`, 'Settings', part);
      expect(size).toBeLessThanOrEqual(LIMIT);
    });
  });

  it('sets the first page with less than 150 kB of fonts', () => {
    const styles = entries.filter((name) => name.endsWith('.css')).map((name) => read(name).toString());
    const upright = names.filter(
      (name) =>
        name.endsWith('.woff2') && !name.includes('italic') && styles.some((css) => css.includes(name)),
    );
    expect(upright.length).toBeGreaterThan(1);
    expect(upright.reduce((sum, name) => sum + read(name).length, 0)).toBeLessThan(150_000);
  });

  // 11 kB of player, and the decision between element and decoder.
  it('plays films with less than 17.5 kB', () => {
    const total = starting('Video').reduce((sum, name) => sum + zipped(name), 0);
    expect(total).toBeLessThan(17_500);
  });

  it('draws styled subtitles with less than 1.1 MB, and 150 kB of fonts', () => {
    // One of the two modules is loaded.
    const modules = names.filter((name) => name.startsWith('jassub-worker') && name.endsWith('.wasm'));
    expect(modules).toHaveLength(2);
    const scripts = ['layer', 'styled-worker'].flatMap(starting);
    const total = scripts.reduce((sum, name) => sum + zipped(name), 0);
    expect(total + Math.max(...modules.map(zipped))).toBeLessThan(1_100_000);
    const fonts = names.filter((name) => name.startsWith('default-') && name.endsWith('.woff2'));
    expect(fonts.map((name) => read(name).length < 150_000)).toEqual([true]);
  });

  it('plays sound with less than 16 kB', () => {
    const total = starting('start').reduce((sum, name) => sum + zipped(name), 0);
    expect(total).toBeLessThan(16_000);
  });

  it('opens a book with less than 50 kB', () => {
    // The formats are loaded one at a time; this is the most common.
    const files = new Set(['Epub', 'view', 'paginator', 'epub'].flatMap(beginning));
    const total = [...files].reduce((sum, name) => sum + zipped(name), 0);
    expect(total).toBeLessThan(50_000);
  });

  it('edits a rule with less than 15 kB', () => {
    const total = starting('RuleForm').reduce((sum, name) => sum + zipped(name), 0);
    expect(total).toBeLessThan(15_000);
  });

  it('shows a comic with less than 10 kB', () => {
    const total = starting('Comic').reduce((sum, name) => sum + zipped(name), 0);
    expect(total).toBeLessThan(10_000);
  });

  it('shows a game with less than 16 kB, and plays it in a frame of less than 4 kB', () => {
    const weight = (prefix: string) => starting(prefix).reduce((sum, name) => sum + zipped(name), 0);
    expect(weight('Game')).toBeLessThan(16_000);
    expect(weight('game')).toBeLessThan(4000);
  });

  it('opens a PDF with less than 560 kB', () => {
    const worker = names.filter((name) => name.startsWith('pdf.worker'));
    expect(worker).toHaveLength(1);
    const total = [...starting('Pdf'), ...worker].reduce((sum, name) => sum + zipped(name), 0);
    expect(total).toBeLessThan(560_000);
  });

  it('has no inline script in the page', () => {
    expect(html).not.toMatch(/<script(?![^>]*\ssrc=)/);
    expect(html).not.toMatch(/\son\w+=/);
  });
});
