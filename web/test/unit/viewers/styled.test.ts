import { afterEach, describe, expect, it, vi } from 'vitest';
import { loadFonts } from '../../../src/viewers/video/styled/fonts';
import { Lift, scriptHeight } from '../../../src/viewers/video/styled/lift';
import { withOwnMargins } from '../../../src/viewers/video/styled/own-margins';
import { pictureIn } from '../../../src/viewers/video/styled/place';

afterEach(() => void vi.unstubAllGlobals());

it('the picture is centred in the player, with its own aspect ratio', () => {
  const film = { width: 1920, height: 1080 };
  expect(pictureIn({ width: 1280, height: 860 }, film)).toEqual({
    ...{ left: 0, top: 70 },
    ...{ width: 1280, height: 720 },
  });
  expect(pictureIn({ width: 1000, height: 360 }, film)).toMatchObject({ left: 180, top: 0, width: 640 });
  expect(pictureIn({ width: 100, height: 50 }, { width: 0, height: 0 })).toMatchObject({ width: 100 });
});

describe('lines at the bottom of a script', () => {
  it('are measured in its height', () => {
    expect(scriptHeight('[Script Info]\r\nPlayResX: 1280\r\nPlayResY: 720\r\n')).toBe(720);
    expect(scriptHeight('[Script Info]\nplayresy:1080')).toBe(1080);
    expect(scriptHeight('[Events]\nDialogue: 0,,,,,,,,,PlayResY: 5')).toBe(288);
  });

  /** Bottom, top and middle, with the alignments of libass. */
  const styles = [
    { Alignment: 2, MarginV: 18 },
    { Alignment: 6, MarginV: 18 },
    { Alignment: 10, MarginV: 18 },
    { Alignment: 3, MarginV: 0 },
  ];

  it('rise by their styles, and fall again', async () => {
    const setStyle = vi.fn();
    const setMargin = vi.fn();
    const renderer = { getStyles: () => Promise.resolve(styles), setStyle, _wasm: { setMargin } };
    const lift = new Lift({ renderer } as never);
    expect(await lift.raise(0)).toBe(false);
    expect(await lift.raise(40)).toBe(true);
    expect(setStyle.mock.calls).toEqual([
      [{ MarginV: 58 }, 0],
      [{ MarginV: 40 }, 3],
    ]);
    expect(setMargin).toHaveBeenCalledTimes(2);
    expect(await lift.raise(40)).toBe(false);
    expect(await lift.raise(0)).toBe(true);
    expect(setStyle.mock.calls.slice(2)).toEqual([
      [{ MarginV: 18 }, 0],
      [{ MarginV: 0 }, 3],
    ]);
  });
});

describe('fonts of a film', () => {
  const font = (index: number, size: number) => ({
    index,
    name: '',
    mime: 'font/ttf',
    size,
    url: `/${index}`,
  });

  it('are loaded one after another, without those that fail or are too large', async () => {
    const asked: string[] = [];
    vi.stubGlobal('fetch', (url: string) => {
      asked.push(url);
      if (url === '/2') return Promise.reject(new TypeError('offline'));
      return Promise.resolve(new Response(url, { status: url === '/1' ? 404 : 200 }));
    });
    const list = [
      font(0, 2),
      font(1, 2),
      font(2, 2),
      font(3, 200 << 20),
      font(4, 90 << 20),
      font(5, 20 << 20),
    ];
    const loaded = await loadFonts(list, new AbortController().signal);
    expect(loaded.map((bytes) => new TextDecoder().decode(bytes))).toEqual(['/0', '/4']);
    expect(asked).toEqual(['/0', '/1', '/2', '/4']);
  });

  it('are not loaded after the film is left', async () => {
    const left = new AbortController();
    const asked: string[] = [];
    vi.stubGlobal('fetch', (url: string) => {
      asked.push(url);
      left.abort();
      return Promise.reject(left.signal.reason);
    });
    expect(await loadFonts([font(0, 2), font(1, 2)], left.signal)).toEqual([]);
    expect(asked).toEqual(['/0']);
  });
});

describe('lines that leave the bottom by a tag', () => {
  const HEAD = `[V4+ Styles]
Format: Name, Fontname, Alignment, MarginV
Style: Default,Arial,2,36
Style: Edge,Arial,2,0

[Events]
Format: Layer, Style, MarginL, MarginR, MarginV, Effect, Text
`;
  const changed = (line: string) => withOwnMargins(HEAD + line).slice(HEAD.length);

  it('get the margin of their style as their own', () => {
    expect(changed('Dialogue: 0,Default,0,0,0,,{\\an8}Top, and more')).toBe(
      'Dialogue: 0,Default,0,0,36,,{\\an8}Top, and more',
    );
    expect(changed('Dialogue: 0,*Default,0,0,0000,,{\\i1\\an5}Middle')).toContain(',36,,');
    expect(changed('Dialogue: 0,Default,0,0,0,,Late {\\a6}tag')).toContain(',36,,');
    expect(changed('Dialogue: 0,Unknown,0,0,0,,{\\an7}Top')).toContain(',36,,');
  });

  it('get one unit instead of none, because zero stands for the style', () => {
    expect(changed('Dialogue: 0,Edge,0,0,0,,{\\an8}Top')).toContain('0,0,1,,');
  });

  it.each([
    'Dialogue: 0,Default,0,0,0,,Bottom',
    'Dialogue: 0,Default,0,0,0,,{\\an2}Bottom {\\an8}later tags do not count',
    'Dialogue: 0,Default,0,0,0,,{\\a2}Bottom',
    'Dialogue: 0,Default,0,0,0,,{\\alpha&H80&}Glass',
    'Dialogue: 0,Default,0,0,0,,\\an8 outside of a tag',
    'Dialogue: 0,Default,0,0,50,,{\\an8}A margin of its own',
    'Comment: 0,Default,0,0,0,,{\\an8}Top',
  ])('and others stay as they are: %s', (line) => {
    expect(changed(line)).toBe(line);
  });

  it('follow the fields of their script, with lines of Windows', () => {
    const script = `[V4 Styles]\r\nFormat: MarginV, Name\r\nStyle: 12,Default\r\n[Events]\r\nFormat: MarginV, Style, Text\r\nDialogue: 0,Default,{\\a6}Top\r\n`;
    expect(withOwnMargins(script)).toBe(script.replace('Dialogue: 0', 'Dialogue:12'));
    expect(withOwnMargins('Dialogue: 0,Default,0,0,0,,{\\an8}No section')).toContain(',0,0,0,,');
  });
});
