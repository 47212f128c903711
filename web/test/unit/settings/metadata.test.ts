/** Texts and changes of the metadata settings. */
import { describe, expect, it } from 'vitest';
import type { MetadataSettings, ProviderSettings } from '../../../src/api/models';
import {
  idleText,
  inOrder,
  moved,
  sentText,
  settingLabel,
  testLanguage,
  testText,
} from '../../../src/pages/settings/metadata/metadata-settings';

describe('an order', () => {
  it('moves one entry by one place, and stays within its ends', () => {
    expect(moved(['a', 'b', 'c'], 1, -1)).toEqual(['b', 'a', 'c']);
    expect(moved(['a', 'b', 'c'], 1, 1)).toEqual(['a', 'c', 'b']);
    expect(moved(['a', 'b'], 1, 1)).toEqual(['a', 'b']);
    expect(moved(['a'], 3, 1)).toEqual(['a']);
  });

  it('contains the providers of its kind, and skips unknown ids', () => {
    const providers = ['first', 'second', 'third'].map((id) => ({ id }) as ProviderSettings);
    const settings = {
      providers,
      order: { books: ['third', 'gone', 'first'] },
    } as unknown as MetadataSettings;
    expect(inOrder(settings, 'books').map(({ id }) => id)).toEqual(['third', 'first']);
    expect(inOrder(settings, 'video')).toEqual([]);
  });
});

describe('a provider', () => {
  it('is stated with its hosts and the data that they receive', () => {
    expect(sentText({ hosts: ['a.example', 'b.example'], sends: ['title', 'external_ids'] })).toBe(
      'Ledge sends to a.example and b.example: title and ids in other databases.',
    );
  });

  it('is idle if it is disabled, forbidden or without a key', () => {
    const provider = { enabled: true, is_remote: true, missing: [] as string[] };
    expect(idleText(provider, true)).toBe('');
    expect(idleText({ ...provider, enabled: false }, true)).toBe('off');
    expect(idleText(provider, false)).toBe('off');
    expect(idleText({ ...provider, is_remote: false }, false)).toBe('');
    expect(idleText({ ...provider, missing: ['LEDGE_X_KEY'] }, true)).toBe('needs a key');
  });

  it('has fields with a capital letter', () => {
    expect(settingLabel({ help: 'client secret' })).toBe('Client secret');
  });
});

describe('the result of a test', () => {
  const test = { message: 'The test failed: the response has status 500.', retry_after: null };

  it('is translated', () => {
    expect(testText({ ...test, outcome: 'rejected' })).toBe('The provider rejects the key.');
  });

  it('contains the wait in minutes', () => {
    expect(testText({ ...test, outcome: 'limited', retry_after: 61 })).toBe(
      'The provider accepts no further requests for 2 minutes.',
    );
    expect(testText({ ...test, outcome: 'limited' })).toBe('The provider accepts no further requests now.');
  });

  it('is the sentence of the server for other failures', () => {
    expect(testText({ ...test, outcome: 'failed' })).toBe(test.message);
    expect(testLanguage({ outcome: 'failed' })).toBe('en');
    expect(testLanguage({ outcome: 'limited' })).toBeUndefined();
  });
});
