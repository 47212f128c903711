/** Positions in other forms of a title. */
import { describe, expect, it, vi } from 'vitest';
import { continueAs } from '../../../src/app/continue-as';
import type { App } from '../../../src/app/context';
import { counterparts, findDestination, goTo, type Destination } from '../../../src/app/hand-over';

const KINDS: Record<string, { unit: string; viewers: Record<string, string> }> = {
  text: { unit: 'page', viewers: { a: 'epub' } },
  sound: { unit: 'second', viewers: { b: 'audio' } },
  film: { unit: 'second', viewers: { c: 'video' } },
  game: { unit: 'second', viewers: { d: 'game' } },
};
const kinds = { describe: (id: string) => KINDS[id] } as unknown as App['kinds'];
const card = (id: number, kind: string, missing = false) => ({ id, kind, missing });
const item = (id: number, kind: string, ...forms: object[]) =>
  ({ id, kind, work: { id: 1, items: [card(id, kind), ...forms] } }) as never;
const ids = (forms: { id: number }[]) => forms.map(({ id }) => id);

describe('the counterparts', () => {
  it('of a text are recordings, and those of a recording are texts', () => {
    const forms = [card(2, 'sound'), card(3, 'film'), card(4, 'text'), card(5, 'game'), card(6, 'sound')];
    expect(ids(counterparts(item(1, 'text', ...forms), kinds))).toEqual([2, 6]);
    expect(ids(counterparts(item(1, 'sound', ...forms), kinds))).toEqual([4]);
  });

  it('of a film or a game do not exist', () => {
    for (const kind of ['film', 'game'])
      expect(counterparts(item(1, kind, card(2, 'sound'), card(4, 'text')), kinds)).toEqual([]);
  });

  it('are not missing, and exist only in a work', () => {
    expect(counterparts(item(1, 'text', card(2, 'sound', true)), kinds)).toEqual([]);
    expect(counterparts({ id: 1, kind: 'text', work: null }, kinds)).toEqual([]);
  });
});

const files = [
  { id: 20, viewer: 'audio', missing: false, season: null },
  { id: 21, viewer: 'audio', missing: false, season: null },
];
function around(place: object, viewer = 'audio', failure?: Error) {
  const calls: unknown[] = [];
  const app = {
    api: {
      item: async (id: number) => (
        calls.push('item'),
        { id, files: files.map((file) => ({ ...file, viewer })) }
      ),
      http: {
        GET: async () => {
          calls.push('handover');
          if (failure) throw failure;
          return { data: { chapter: null, within: null, confidence: 0.9, ...place } };
        },
      },
    },
    progressStore: { settle: async () => void calls.push('settle') },
    player: { play: vi.fn() },
    router: { navigate: vi.fn() },
  };
  return { app: app as unknown as App, calls, play: app.player.play, navigate: app.router.navigate };
}
const matched = { file_id: 21, position: 34, fraction: 0.4, method: 'chapters' };
const none = { file_id: null, position: null, fraction: null, method: null };

describe('the destination', () => {
  it('is requested after the progress was sent', async () => {
    const { app, calls } = around(matched);
    const found = await findDestination(app, { id: 1 }, 2);
    expect(calls[0]).toBe('settle');
    expect(found).toMatchObject({ file: { id: 21 }, position: 34, isEstimate: false });
  });

  it('is an estimate without matching chapters', async () => {
    const { app } = around({ ...matched, method: 'fraction' });
    expect(await findDestination(app, { id: 1 }, 2)).toMatchObject({ isEstimate: true, fraction: 0.4 });
  });

  it('is the first file at its own position without progress', async () => {
    const { app } = around(none);
    const found = await findDestination(app, { id: 1 }, 2);
    expect(found).toMatchObject({ file: { id: 20 }, position: null, isEstimate: false });
  });

  const destination = (viewer: string, more: Partial<Destination> = {}) =>
    ({
      ...{ item: { id: 2 }, file: { id: 21, viewer }, position: 34, within: 0.25 },
      ...more,
    }) as Destination;

  it('plays a recording, and shows its item', () => {
    const { app, play, navigate } = around(matched);
    const to = destination('audio');
    goTo(app, to);
    expect(play).toHaveBeenCalledWith(to.item, to.file, 34);
    expect(navigate).toHaveBeenCalledWith('/items/2');
  });

  it('opens a text inside the section', () => {
    const { app, navigate } = around(matched);
    goTo(app, destination('epub'));
    goTo(app, destination('epub', { within: null }));
    goTo(app, destination('epub', { position: null }));
    expect(navigate.mock.calls.flat()).toEqual([
      '/items/2/open/21?at=34&within=0.25',
      '/items/2/open/21?at=34',
      '/items/2/open/21',
    ]);
  });
});

describe('another form', () => {
  it('opens at a matched position', async () => {
    const { app, play } = around(matched);
    await continueAs(app, { id: 1 }, 2);
    expect(play).toHaveBeenCalledOnce();
  });

  it('asks on its page about an estimate', async () => {
    const { app, play, navigate } = around({ ...matched, method: 'fraction' });
    await continueAs(app, { id: 1 }, 2);
    expect(play).not.toHaveBeenCalled();
    expect(navigate).toHaveBeenCalledWith('/items/2?from=1');
  });

  it('shows its page after an error', async () => {
    const { app, navigate } = around(matched, 'audio', new Error('failed'));
    await continueAs(app, { id: 1 }, 2);
    expect(navigate).toHaveBeenCalledWith('/items/2');
  });
});
