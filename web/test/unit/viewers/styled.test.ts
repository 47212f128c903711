import { describe, expect, it } from 'vitest';
import { looksOf, type Moment } from '../../../src/viewers/video/styled/change';
import { draw } from '../../../src/viewers/video/styled/drawing';
import { parseLine, words } from '../../../src/viewers/video/styled/line';
import { amount, blend, colour, fontName, PLAIN } from '../../../src/viewers/video/styled/look';
import { clipStyle, rgba, textStyles, turnOf } from '../../../src/viewers/video/styled/paint';
import { cellOf, freeTop, pictureIn } from '../../../src/viewers/video/styled/place';
import { MOST_SHOWN, parse, seconds, shownAt } from '../../../src/viewers/video/styled/script';

const HEAD = `[Script Info]
PlayResX: 640
PlayResY: 360
WrapStyle: 2

[V4+ Styles]
Format: Name, Fontname, Fontsize, PrimaryColour, OutlineColour, Bold, Outline, Alignment, MarginL, MarginR, MarginV
Style: Default,DejaVu Sans,20,&H00FFFFFF,&H00000000,0,2,2,10,10,15
Style: *Sign,Georgia,30,&H000000FF,&H80FF0000,-1,0,8,5,5,5
`;
const script = (...lines: string[]) =>
  parse(`${HEAD}\n[Events]\n${lines.map((line) => `Dialogue: ${line}`).join('\r\n')}`);
const texts = (lines: { text: string }[]) => lines.map((line) => line.text);
const moment = (at = 0, own = PLAIN): Moment => ({ at, length: 1000, own, named: () => undefined });
const looks = (text: string, at = 0) => looksOf(parseLine(text).pieces, moment(at));

describe('a subtitle script', () => {
  it('contains its size, styles and lines', () => {
    const read = script(
      '0,0:00:01.00,0:00:02.50,Default,,0,0,0,,One, with a comma',
      '3,0:00:02.00,0:00:03.00,sign,,1,0,9,,Two',
      '0,0:00:02.00,0:00:03.00,Unknown,,0,0,0,,Three',
    );
    expect([read.width, read.height, read.wrap, read.scaled]).toEqual([640, 360, 2, true]);
    const [one, two, three] = read.lines;
    expect(one).toMatchObject({ start: 1, end: 2.5, left: 10, vertical: 15, text: 'One, with a comma' });
    expect(two).toMatchObject({ layer: 3, left: 1, right: 5, vertical: 9 });
    expect(two?.style).toMatchObject({ align: 8 });
    expect(two?.style.look).toMatchObject({
      font: 'Georgia',
      weight: 700,
      fill: [255, 0, 0, 1],
      outline: [0, 0, 255, 1 - 128 / 255],
    });
    expect(three?.style.look.font).toBe('DejaVu Sans');
  });

  it('has the colours and alignments of its older format', () => {
    const { styles, lines } = parse(`[V4 Styles]
Format: Name, Fontsize, PrimaryColour, BackColour, Alignment
Style: Default,24,65535,8421504,6
[Events]
Format: Marked, Start, End, Style, Text
Dialogue: Marked=0,0:00:01.00,0:00:02.00,Default,Hi`);
    expect(styles.get('default')).toMatchObject({ align: 8 });
    expect(lines[0]?.style.look).toMatchObject({ fill: [255, 255, 0, 1], outline: [128, 128, 128, 1] });
  });

  it('has defaults for missing sizes and styles', () => {
    const read = parse('[Events]\nDialogue: 0,0:00:01.00,0:00:02.00,D,,0,0,0,,Hi');
    expect([read.width, read.height, read.lines[0]?.style.look]).toEqual([384, 288, PLAIN]);
    expect(parse('[Script Info]\nPlayResY: 360')).toMatchObject({ width: 480, height: 360 });
    expect(parse('[Script Info]\nPlayResX: 640')).toMatchObject({ width: 640, height: 480 });
    expect(parse('[Script Info]\nPlayResX: 1e-320\nPlayResY: 0.9')).toMatchObject({
      width: 384,
      height: 288,
    });
  });

  it('omits lines that are never shown', () => {
    const never = ['0:00:02.00,0:00:02.00', 'soon,0:00:03.00', '0:00:01.00,', '-1:00:00.00,0:00:03.00'];
    expect(script(...never.map((times) => `0,${times},Default,,0,0,0,,Never`)).lines).toEqual([]);
    expect([seconds('1:02:03.45'), seconds('0:00:01'), seconds('x')]).toEqual([3723.45, 1, null]);
  });

  it('returns the lines of a time by layer and order', () => {
    const read = script(
      '0,0:00:00.00,0:01:00.00,Default,,0,0,0,,long',
      '9,0:00:01.00,0:00:02.00,Default,,0,0,0,,above',
      '0,0:00:01.50,0:00:03.00,Default,,0,0,0,,later',
      '0,0:00:01.00,0:00:02.00,Default,,0,0,0,,last',
    );
    expect(texts(shownAt(read, 1.5))).toEqual(['long', 'later', 'last', 'above']);
    expect(texts(shownAt(read, 2))).toEqual(['long', 'later']);
    expect(texts(shownAt(read, 59.99))).toEqual(['long']);
    expect(texts(shownAt(read, 60))).toEqual([]);
    expect(texts(shownAt(read, -1))).toEqual([]);
    const crowd = Array.from({ length: 9999 }, () => '0,0:00:01.00,0:00:02.00,Default,,0,0,0,,x');
    expect(shownAt(script(...crowd), 1)).toHaveLength(MOST_SHOWN);
    const heavy = crowd.slice(0, 200).map((line) => line + 'x'.repeat(9999));
    expect(shownAt(script(...heavy), 1)).toHaveLength(21);
    const [one = ''] = crowd;
    expect(shownAt(script(one + 'x'.repeat(1_000_000), one), 1)).toHaveLength(1);
  });
});

describe('override tags', () => {
  it('change the style of the following text', () => {
    const [plain, bold, red, back] = looks(
      'a{\\b1\\i1}b{\\c&H0000FF&\\3a&H80&\\fs30\\fnGeorgia\\fscx50}c{\\r}d',
    );
    expect(plain).toEqual(PLAIN);
    expect(bold).toEqual({ ...PLAIN, weight: 700, italic: true });
    expect(red).toMatchObject({
      ...{ weight: 700, fill: [255, 0, 0, 1], size: 30, font: 'Georgia', wide: 50 },
      outline: [0, 0, 0, 1 - 128 / 255],
    });
    expect(back).toEqual(PLAIN);
  });

  describe('karaoke', () => {
    const RED = [255, 0, 0, 1];
    const BLUE = [0, 0, 255, 1];
    const fills = (text: string, at: number) =>
      looks(`{\\c&H0000FF&\\2c&HFF0000&}${text}`, at).map(({ fill }) => fill);

    it('colour one syllable after the other for its duration', () => {
      const text = 'a{\\k20}b{\\k0}{\\k30}c{\\i1}d{\\k10}e';
      expect(parseLine(text).changing).toBe(true);
      expect(fills(text, 0)).toEqual([RED, RED, BLUE, BLUE, BLUE]);
      expect(fills(text, 199)).toEqual([RED, RED, BLUE, BLUE, BLUE]);
      expect(fills(text, 200)).toEqual([RED, RED, RED, RED, BLUE]);
      expect(fills(text, 500)).toEqual([RED, RED, RED, RED, RED]);
    });

    it('colour a syllable while it is sung', () => {
      for (const tag of ['kf', 'K']) {
        const text = `{\\k10}a{\\${tag}20}b`;
        expect(fills(text, 100)[1]).toEqual(BLUE);
        expect(fills(text, 150)[1]).toEqual([63.75, 0, 191.25, 1]);
        expect(fills(text, 300)[1]).toEqual(RED);
      }
    });

    it('outline a syllable while it is sung', () => {
      const [before, after] = [99, 100].map((at) => looks('{\\bord3\\k10}a{\\ko20}b', at)[1]);
      expect(before).toMatchObject({ border: 0, fill: PLAIN.unsung });
      expect(after).toMatchObject({ border: 3, fill: PLAIN.fill });
    });

    it('may set the start of a syllable, and fade text before it', () => {
      expect(fills('{\\k10}a{\\kt50\\k10}b', 499)).toEqual([RED, BLUE]);
      expect(fills('{\\k10}a{\\kt50\\k10}b', 500)).toEqual([RED, RED]);
      expect(fills('{\\2a&HFF&\\k10}a{\\k10}b', 0)[1]).toEqual([0, 0, 255, 0]);
    });

    it('use the second colour of their style', () => {
      const { lines } = parse(
        '[V4+ Styles]\nFormat: Name, SecondaryColour\nStyle: Default,&H00FF0000\n[Events]\n' +
          'Dialogue: 0,0:00:01.00,0:00:02.00,Default,,0,0,0,,{\\k10}a{\\k20}b',
      );
      const [line] = lines;
      expect(line && looksOf(parseLine(line.text).pieces, moment(0, line.style.look))[1]?.fill).toEqual(BLUE);
    });
  });

  it('restore the style if they have no value', () => {
    const changed = '{\\b1\\c&HFF&\\fs40\\bord9\\frz20\\fscx10\\fscy10}a';
    expect(looks(`${changed}{\\b\\c\\fs\\bord\\frz\\fsc}b`)[1]).toEqual(PLAIN);
  });

  it('are distinguished by their full names', () => {
    const [look] = looks('{\\bord3\\be1\\blur4\\shad5\\xshad6\\fsp7\\fs8\\frx9\\fax1\\s1\\alpha&HFF&}a');
    expect(look).toMatchObject({ border: 3, blur: 4, shadeX: 6, shadeY: 5, spacing: 7, size: 8, turnX: 9 });
    expect(look).toMatchObject({ slantX: 1, strike: true, weight: 400 });
    expect(look?.fill[3]).toBe(0);
  });

  it('position a whole line, the first of each type', () => {
    const line = parseLine('{\\an7\\pos(10,20.5)\\org(1,2)}a{\\an3\\pos(9,9)\\move(1,2,3,4)\\q1}b');
    expect(line).toMatchObject({ align: 7, place: { x: 10, y: 20.5 }, origin: { x: 1, y: 2 }, move: null });
    expect(line.wrap).toBe(1);
    expect(parseLine('{\\move(1,2,3,4,100,200)}a').move).toEqual({
      ...{ from: { x: 1, y: 2 }, to: { x: 3, y: 4 } },
      ...{ begin: 100, end: 200 },
    });
    // The names at the end of a film pass for minutes.
    const credits = parseLine('{\\move(1e9,0,0,-1e9,0,150000)\\fade(255,0,255,0,0,150000,160000)}a');
    expect(credits.move).toMatchObject({ from: { x: 1e5 }, to: { y: -1e5 }, end: 150_000 });
    expect([150_000, 155_000].map((at) => credits.fade?.(at, 160_000))).toEqual([1, 0.5]);
    expect([parseLine('{\\a6}a').align, parseLine('{\\a11}a').align]).toEqual([8, 6]);
    expect(parseLine('{\\pos(1)\\move(x,y)}a')).toMatchObject({ place: null, move: null });
  });

  it('fade in and out', () => {
    const { fade } = parseLine('{\\fad(200,100)}a');
    expect([0, 100, 500, 950, 1000].map((at) => fade?.(at, 1000))).toEqual([0, 0.5, 1, 0.5, 0]);
    const staged = parseLine('{\\fade(255,0,255,0,100,200,300)}a').fade;
    expect([0, 50, 150, 250, 999].map((at) => staged?.(at, 1000))).toEqual([0, 0.5, 1, 0.5, 0]);
  });

  it('change over time', () => {
    const text = '{\\fs10\\t(0,1000,\\fs30\\c&H000000&)}a';
    expect(parseLine(text).changing).toBe(true);
    expect([0, 500, 1000].map((at) => looks(text, at)[0]?.size)).toEqual([10, 20, 30]);
    expect(looks(text, 500)[0]?.fill.map(Math.round)).toEqual([128, 128, 128, 1]);
    expect(looks('{\\t(2,\\fs38)}a', 500)[0]?.size).toBe(18 + 20 / 4);
    expect(looks('{\\t(\\t(\\fs99)\\frz90)}a', 1000)[0]).toMatchObject({ turnZ: 90, size: 18 });
  });

  it('are hidden if unknown, and unclosed braces are text', () => {
    expect(texts(parseLine('a{a remark}b{\\k20}c{\\unknown9}d').pieces)).toEqual(['a', 'b', 'c', 'd']);
    expect(texts(parseLine('a{\\i1 b').pieces)).toEqual(['a{\\i1 b']);
    expect(words('a\\Nb\\nc\\hd\\x', 0)).toBe('a\nb c\u00a0d\\x');
    expect(words('a\\nb', 2)).toBe('a\nb');
  });

  it('clip the visible area', () => {
    const scale = { x: 2, y: 2, border: 2 };
    const style = (text: string) => {
      const { clip } = parseLine(text);
      return clip && clipStyle(clip, scale, 200, 100);
    };
    expect(style('{\\clip(1,2,3,4)}a')).toBe('path("M2 4H6V8H2Z")');
    expect(style('{\\iclip(1,2,3,4)}a')).toBe('path(evenodd, "M0 0H200V100H0ZM2 4H6V8H2Z")');
    expect(style('{\\clip(2,m 2 2 l 4 2 4 4)}a')).toBe('path("M2 2L4 2L4 4")');
    expect(style('{\\clip(url(x))}a')).toBeNull();
  });
});

describe('a drawing', () => {
  it('is a path of numbers', () => {
    expect(draw('m 0 0 l 10 0 10 20 b 1 2 3 4 5 6', 1, 2)).toEqual({
      path: 'M0 0L10 0L10 40C1 4 3 8 5 12',
      width: 10,
      height: 40,
    });
    expect(draw('m 0 0 s 0 0 3 0 3 3 0 3 c', 1, 1).path).toMatch(/^M0 0C[\d. ]+Z$/);
  });

  it('is empty for invalid input', () => {
    expect(draw('l 1 1 <svg onload=x> "); url(x)', 1, 1).path).toBe('');
    expect(draw('m 1', 1, 1)).toEqual({ path: '', width: 0, height: 0 });
  });
});

describe('CSS styles', () => {
  const scale = { x: 2, y: 3, border: 1 };
  const styles = (more: Partial<typeof PLAIN>) => textStyles({ ...PLAIN, ...more }, scale, () => 0.5);

  it('scale with the picture', () => {
    expect(styles({ font: 'Georgia', weight: 700, underline: true, spacing: 1 })).toMatchObject({
      'font-family': '"Georgia", Arial, "Liberation Sans", sans-serif',
      'font-size': '27px',
      'line-height': '54px',
      'font-weight': '700',
      'text-decoration-line': 'underline',
      'letter-spacing': '2px',
      color: 'rgb(255 255 255 / 1)',
      filter: 'drop-shadow(2px 2px 0px rgb(0 0 0 / 0.5))',
    });
    expect(styles({ boxed: true })).toMatchObject({ 'background-color': 'rgb(0 0 0 / 1)', padding: '2px' });
    expect(styles({ border: 0, blur: 3, shadeX: 0, shadeY: 0 }).filter).toBe('blur(3px)');
  });

  it('have an outline of shadows, or the browser’s stroke for transparent text', () => {
    const copies = styles({ border: 2 });
    const progressStore = (copies['text-shadow'] ?? '')
      .split(', ')
      .map((copy) => copy.split(' ').map(Number.parseFloat));
    expect(progressStore).toHaveLength(8);
    for (const [x = 0, y = 0] of progressStore) expect(Math.hypot(x, y)).toBeCloseTo(2, 1);
    expect(copies['-webkit-text-stroke']).toBe('0');
    const clear = styles({ border: 2, outline: [0, 0, 0, 0.5] });
    expect([clear['text-shadow'], clear['-webkit-text-stroke']]).toEqual(['none', '4px rgb(0 0 0 / 0.5)']);
    expect(styles({ border: 0 })).toMatchObject({ 'text-shadow': 'none', '-webkit-text-stroke': '0' });
    const hollow = styles({ border: 2, fill: [255, 255, 255, 0] });
    expect([hollow['text-shadow'], hollow['-webkit-text-stroke']]).toEqual(['none', '4px rgb(0 0 0 / 1)']);
  });

  it('are rotated as a whole', () => {
    expect(turnOf(PLAIN, scale)).toBe('');
    expect(turnOf({ ...PLAIN, turnZ: 30, wide: 50 }, scale)).toBe('rotateZ(-30deg) scaleX(0.5)');
    expect(turnOf({ ...PLAIN, turnX: 9 }, scale)).toBe('perspective(937.5px) rotateX(9deg)');
  });

  it('convert colours from blue-green-red bytes', () => {
    expect(colour('&H80FF8000')).toEqual([0, 128, 255, 1 - 128 / 255]);
    expect([colour('255'), colour('-1')?.slice(0, 3)]).toEqual([
      [255, 0, 0, 1],
      [255, 255, 255],
    ]);
    expect([colour(''), colour('red')]).toEqual([null, null]);
    expect(rgba([0, 128, 255, 0.25])).toBe('rgb(0 128 255 / 0.25)');
  });

  it('interpolate', () => {
    const to = { ...PLAIN, size: 38, italic: true, fill: [55, 55, 55, 0] as const };
    expect(blend(PLAIN, to, 0)).toBe(PLAIN);
    expect(blend(PLAIN, to, 1)).toBe(to);
    expect(blend(PLAIN, to, 0.5)).toMatchObject({ size: 28, italic: true, fill: [155, 155, 155, 0.5] });
  });

  it('accept only plain font names', () => {
    expect(fontName('@MS Gothic')).toBe('MS Gothic');
    expect(fontName('源ノ角ゴシック-v1.0')).toBe('源ノ角ゴシック-v1.0');
    expect(fontName('x";background:url(//evil/);position:fixed;a:"')).not.toMatch(/["'();:\\/]/);
    const [look] = looks('{\\fnx"; color: red; } * { display: none}a');
    expect(Object.values(styles(look ?? {})).join()).not.toContain(';');
  });

  it('are limited to values that browsers render', () => {
    const [look] = looks('{\\fs1e9\\bord1e9\\blur1e9\\fscx1e9\\frz1e9\\shad-1e9}a');
    const drawn = textStyles({ ...PLAIN, ...look, shadeY: 0 }, { x: 9, y: 9, border: 9 }, () => 1);
    expect(drawn).toMatchObject({
      'line-height': '4000px',
      '-webkit-text-stroke': '400px rgb(0 0 0 / 1)',
      filter: 'drop-shadow(-1000px 0px 100px rgb(0 0 0 / 0.5))',
    });
    expect(turnOf({ ...PLAIN, wide: 10_000, tall: 0.001 }, scale)).toBe('scaleX(100)');
    expect(draw('m 0 0 l 999999999 -999999999', 9, 9).path).toBe('M0 0L100000 -100000');
    // In a script of fine units the same picture takes large numbers.
    const fine = looks('{\\fs9000\\bord500\\blur250\\fsp2000\\shad1500}a')[0] ?? PLAIN;
    expect(textStyles(fine, { x: 0.01, y: 0.01, border: 0.01 }, () => 1)).toMatchObject({
      'line-height': '90px',
      'letter-spacing': '20px',
      filter: 'drop-shadow(15px 15px 2.5px rgb(0 0 0 / 0.5))',
    });
    expect([amount('x', [0, 1]), amount('NaN', [0, 1]), amount('Infinity', [0, 1])]).toEqual([
      null,
      null,
      null,
    ]);
  });
});

describe('line positions', () => {
  it('are within the picture at every position in the player', () => {
    const film = { width: 160, height: 90 };
    expect(pictureIn({ width: 390, height: 860 }, film)).toMatchObject({
      left: 0,
      width: 390,
      height: 219.375,
    });
    expect(pictureIn({ width: 400, height: 90 }, film)).toEqual({ left: 120, top: 0, ...film });
    expect(pictureIn(film, { width: 0, height: 0 })).toEqual({ left: 0, top: 0, ...film });
    expect([1, 5, 9].map(cellOf)).toEqual([
      { column: 0, row: 2 },
      { column: 1, row: 1 },
      { column: 2, row: 0 },
    ]);
  });

  it('do not overlap: upwards from the bottom, downwards from the top', () => {
    const box = { left: 0, top: 80, width: 100, height: 10 };
    const companions = { ...box, left: 100 };
    expect(freeTop(box, [], 2)).toBe(80);
    expect(freeTop(box, [companions], 2)).toBe(80);
    expect(freeTop(box, [{ ...box, top: 70 }, box], 2)).toBe(60);
    expect(freeTop({ ...box, top: 0 }, [{ ...box, top: 0 }], 0)).toBe(10);
  });
});

describe('hostile scripts', () => {
  const long = 16_000;
  it.each([
    ['braces', '{'.repeat(long)],
    ['blocks', '{\\b1}x'.repeat(long)],
    ['tags', `{${'\\t(0,1,2,\\t('.repeat(long)}}x`],
    ['parentheses', `{\\pos${'('.repeat(long)}}x`],
    ['commas', `{\\pos(${','.repeat(long)})}x`],
    ['spaces', `{\\fn${' '.repeat(long)}\\c&H${' '.repeat(long)}}x`],
    ['a drawing', `{\\p1}${'m 1 1 s 1e99 -1e99 '.repeat(long)}`],
    ['noise', Array.from({ length: long }, (_, n) => String.fromCharCode((n * 7919) % 65_536)).join('')],
  ])('with %s are parsed', (_, text) => {
    const line = parseLine(text);
    expect(line.pieces.length).toBeLessThanOrEqual(500);
    for (const look of looksOf(line.pieces, moment(500))) {
      const css = Object.values(textStyles(look, { x: 1, y: 1, border: 1 }, () => 1)).join(' ');
      expect(css).not.toMatch(/NaN|Infinity|undefined|null|[;<>{}]/);
    }
    const { path } = draw(text, 1, 1);
    expect(path).toMatch(/^[MLCZ\d. -]*$/);
  });

  it('reference only their own styles', () => {
    const read = parse(
      `${HEAD}[Events]\nFormat: __proto__, Start, End, Style, Text\n` +
        'Dialogue: x,0:00:01.00,0:00:02.00,__proto__,{\\rconstructor}a',
    );
    expect(read.lines[0]?.style.look.font).toBe('DejaVu Sans');
    expect(({} as Record<string, unknown>).start).toBeUndefined();
    expect(parse(`${'[Events]\n'.repeat(10_000)}${'Style: '.repeat(9000)}`).lines).toEqual([]);
  });
});
