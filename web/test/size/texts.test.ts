/** Texts that the first page loads without must not be wanted there. */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { enSettings } from '../../src/i18n/en.settings';

describe('the texts of the settings', () => {
  it('are used by the settings alone, which bring them', () => {
    const src = join(import.meta.dirname, '../../src');
    const elsewhere = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter(
      (name) => /\.(ts|svelte)$/.test(name) && !/^(pages\/settings|i18n)\//.test(name),
    );
    expect(elsewhere.length).toBeGreaterThan(50);
    const text = elsewhere.map((name) => readFileSync(join(src, name), 'utf8')).join('\n');
    expect(Object.keys(enSettings).filter((key) => text.includes(`'${key}'`))).toEqual([]);
  });
});
