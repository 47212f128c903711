import { describe, expect, it } from 'vitest';
import type { AppPassword } from '../../../src/api/models';
import { lastUse, scopesText, usedScopes } from '../../../src/pages/settings/apps/app-passwords';

const NOW = new Date('2026-11-26T12:00:00Z');
const OPDS = { id: 'opds', label: 'OPDS' };

function password(more: Partial<AppPassword> = {}): AppPassword {
  return {
    id: 1,
    name: 'Tablet',
    scopes: ['publications'],
    pages_move_place: false,
    created_at: '2026-11-01T12:00:00Z',
    last_used_at: '2026-11-26T11:55:00Z',
    last_address: '192.168.1.20',
    last_client: 'KOReader',
    last_protocol: 'opds',
    ...more,
  };
}

describe('scopes of app passwords', () => {
  it('are those of the listed protocols, once and in a fixed order', () => {
    expect(usedScopes([{ scope: 'places' }, { scope: 'publications' }, { scope: 'places' }])).toEqual([
      'publications',
      'places',
    ]);
    expect(usedScopes([])).toEqual([]);
  });

  it('are named in the same order, whatever the order of the server', () => {
    expect(scopesText(['places', 'publications'])).toBe('Books and comics, Progress in books');
    expect(scopesText(['recordings'])).toBe('Music and audiobooks');
  });
});

describe('the last use of an app password', () => {
  it('contains time, app, protocol and address', () => {
    expect(lastUse(password(), [OPDS], NOW)).toBe('Used 5 minutes ago · KOReader · OPDS · 192.168.1.20');
  });

  it('contains the id of a protocol that is switched off, and omits an unknown app', () => {
    expect(lastUse(password({ last_client: null }), [], NOW)).toBe(
      'Used 5 minutes ago · opds · 192.168.1.20',
    );
  });

  it('is named as absent before the first use', () => {
    const unused = { last_used_at: null, last_address: null, last_client: null, last_protocol: null };
    expect(lastUse(password(unused), [OPDS], NOW)).toBe('Never used');
  });
});
