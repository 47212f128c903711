/** Decoded pictures on a canvas: known samples are drawn in Chromium, and the pixels are read back. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { launchBrowser, openPage } from '../../harness.mjs';

const web = fileURLToPath(new URL('../../../../web/', import.meta.url));
const BAR = 16;
const HEIGHT = 16;

let browser;
let page;
let complaints;

before(async () => {
  const { build } = await import(join(web, 'node_modules/vite/dist/node/index.js'));
  const [{ output }] = await build({
    configFile: false,
    logLevel: 'error',
    build: {
      write: false,
      lib: {
        entry: join(web, 'src/playback/decode/picture/renderer.ts'),
        formats: ['iife'],
        name: 'pictures',
        fileName: 'pictures',
      },
    },
  });
  browser = await launchBrowser(['--enable-unsafe-swiftshader']);
  ({ page, complaints } = await openPage(browser));
  await page.addScriptTag({ content: output[0].code });
  await page.evaluate(() => {
    globalThis.decoded = (picture) => ({
      ...picture,
      planes: picture.planes.map(({ samples, ...plane }) => ({
        ...plane,
        data: (picture.depth > 8 ? Uint16Array : Uint8Array).from(samples).buffer,
      })),
    });
    globalThis.read = (canvas, places) => {
      const copy = document.createElement('canvas');
      Object.assign(copy, { width: canvas.width, height: canvas.height });
      const context = copy.getContext('2d', { willReadFrequently: true });
      context.drawImage(canvas, 0, 0);
      return places.map(([x, y]) => [...context.getImageData(x, y, 1, 1).data].slice(0, 3));
    };
  });
});
after(() => browser?.close());

/** Draws a picture, and returns the size of the canvas and the colours at some places. */
const drawn = (picture, places, { plain = false, field } = {}) =>
  page.evaluate(
    ([picture, places, plain, field]) => {
      // Browsers have few graphics contexts.
      const canvas = plain
        ? document.createElement('canvas')
        : (globalThis.screen1 ??= document.createElement('canvas'));
      if (plain) {
        const real = canvas.getContext.bind(canvas);
        canvas.getContext = (kind, ...more) => (kind === 'webgl2' ? null : real(kind, ...more));
      }
      const renderer = globalThis.pictures.rendererOf(canvas);
      const isDrawn = renderer.draw(globalThis.decoded(picture), field);
      const colours = globalThis.read(canvas, places);
      renderer.close();
      return { kind: renderer.constructor.name, isDrawn, size: [canvas.width, canvas.height], colours };
    },
    [picture, places, plain, field],
  );

const COLOURS = [
  [255, 255, 255],
  [191, 191, 0],
  [0, 191, 191],
  [0, 191, 0],
  [191, 0, 191],
  [191, 0, 0],
  [0, 0, 191],
  [0, 0, 0],
];

const SHARES = {
  bt601: [0.299, 0.587, 0.114],
  bt709: [0.2126, 0.7152, 0.0722],
  bt2020: [0.2627, 0.678, 0.0593],
};

/** Codes a colour as the recommendations of the ITU define it. */
function coded([red, green, blue], matrix, depth, fullRange) {
  const [r, g, b] = [red, green, blue].map((value) => value / 255);
  const [kr, kg, kb] = SHARES[matrix];
  const y = kr * r + kg * g + kb * b;
  const cb = (b - y) / (2 * (1 - kb));
  const cr = (r - y) / (2 * (1 - kr));
  const unit = 2 ** (depth - 8);
  const peak = 2 ** depth - 1;
  const clip = (value) => Math.min(peak, Math.max(0, Math.round(value)));
  return fullRange
    ? [clip(y * peak), clip(cb * peak + 128 * unit), clip(cr * peak + 128 * unit)]
    : [clip((219 * y + 16) * unit), clip((224 * cb + 128) * unit), clip((224 * cr + 128) * unit)];
}

/** A plane of bars, with unused samples at the end of each line. */
function plane(values, barWidth, height, depth) {
  const width = values.length * barWidth;
  const stride = width + 8;
  const line = [...values.flatMap((value) => Array(barWidth).fill(value)), ...Array(8).fill(0)];
  const samples = Array.from({ length: height }, () => line).flat();
  return { samples, stride: stride * (depth > 8 ? 2 : 1), width, height };
}

const usual = {
  time: 0,
  width: COLOURS.length * BAR,
  height: HEIGHT,
  layout: 'planar',
  depth: 8,
  fullRange: false,
  matrix: 'bt709',
  transfer: 'sdr',
  interlaced: 'no',
  pixelAspect: 1,
  rotation: 0,
};

const SUBSAMPLING = { 444: [1, 1], 422: [2, 1], 420: [2, 2] };

function bars({ matrix, depth, fullRange, sampling }) {
  const samples = COLOURS.map((colour) => coded(colour, matrix, depth, fullRange));
  const [across, down] = SUBSAMPLING[sampling];
  const planes = [0, 1, 2].map((index) =>
    plane(
      samples.map((sample) => sample[index]),
      index === 0 ? BAR : BAR / across,
      index === 0 ? HEIGHT : HEIGHT / down,
      depth,
    ),
  );
  return { ...usual, matrix, depth, fullRange, planes };
}

const MIDDLES = COLOURS.map((_, index) => [index * BAR + BAR / 2, HEIGHT / 2]);

function assertNear(actual, expected, tolerance, message) {
  const difference = Math.max(
    ...actual.flatMap((colour, at) =>
      colour.map((value, channel) => Math.abs(value - expected[at][channel])),
    ),
  );
  assert.ok(
    difference <= tolerance,
    `${message}: ${JSON.stringify(actual)} is not ${JSON.stringify(expected)}`,
  );
}

/** BT.2020 colours on a screen of BT.709, by way of light. */
function narrowed(colour) {
  const [r, g, b] = colour.map((value) => (value / 255) ** 2.4);
  const light = [
    1.660491 * r - 0.587641 * g - 0.07285 * b,
    -0.124551 * r + 1.1329 * g - 0.008349 * b,
    -0.018151 * r - 0.100579 * g + 1.11873 * b,
  ];
  return light.map((value) => 255 * Math.min(1, Math.max(0, value)) ** (1 / 2.4));
}

describe('colour bars', () => {
  for (const matrix of ['bt601', 'bt709', 'bt2020'])
    for (const fullRange of [false, true])
      for (const [depth, sampling] of [
        [8, '420'],
        [8, '422'],
        [8, '444'],
        [10, '420'],
        [10, '422'],
        [12, '444'],
        [16, '420'],
      ])
        it(`${matrix}, ${fullRange ? 'full' : 'limited'} range, ${depth} bit, 4:${sampling.slice(1).split('').join(':')}`, async () => {
          const { kind, isDrawn, size, colours } = await drawn(
            bars({ matrix, depth, fullRange, sampling }),
            MIDDLES,
          );
          assert.ok(isDrawn);
          assert.notEqual(kind, 'PlainRenderer');
          assert.deepEqual(size, [usual.width, HEIGHT]);
          const expected = matrix === 'bt2020' ? COLOURS.map(narrowed) : COLOURS;
          // Light turns one step of dark limited 8 bit samples into several.
          assertNear(colours, expected, matrix === 'bt2020' && depth === 8 ? 14 : 3, 'bars');
        });

  it('wrong matrix is visible, so the comparison can fail', async () => {
    const picture = bars({ matrix: 'bt601', depth: 8, fullRange: false, sampling: '420' });
    const { colours } = await drawn({ ...picture, matrix: 'bt709' }, MIDDLES);
    assert.throws(() => assertNear(colours, COLOURS, 3, 'bars'));
  });

  it('without WebGL 2 they are drawn on a plain canvas', async () => {
    for (const [depth, sampling] of [
      [8, '420'],
      [10, '422'],
    ]) {
      const picture = bars({ matrix: 'bt709', depth, fullRange: false, sampling });
      const { kind, colours } = await drawn(picture, MIDDLES, { plain: true });
      assert.notEqual(kind, 'WebGlRenderer');
      assertNear(colours, COLOURS, 3, 'bars');
    }
  });
});

describe('other layouts', () => {
  it('gray has one plane', async () => {
    for (const depth of [8, 10]) {
      const values = [16, 60, 126, 235].map((value) => value * 2 ** (depth - 8));
      const picture = { ...usual, depth, width: 64, planes: [plane(values, BAR, HEIGHT, depth)] };
      const { colours } = await drawn(picture, MIDDLES.slice(0, 4));
      const expected = [0, 51, 128, 255].map((value) => [value, value, value]);
      assertNear(colours, expected, 2, `gray in ${depth} bit`);
    }
  });

  it('RGBA is drawn as it is', async () => {
    const samples = COLOURS.flatMap((colour) => Array(BAR).fill([...colour, 255])).flat();
    const lines = Array.from({ length: HEIGHT }, () => samples).flat();
    const rgba = { samples: lines, stride: samples.length, width: usual.width, height: HEIGHT };
    const { colours } = await drawn({ ...usual, layout: 'rgba', planes: [rgba] }, MIDDLES);
    assert.deepEqual(colours, COLOURS);
  });

  it('pixels that are not square widen the picture', async () => {
    const picture = bars({ matrix: 'bt709', depth: 10, fullRange: false, sampling: '420' });
    const { size, colours } = await drawn(
      { ...picture, pixelAspect: 1.5 },
      MIDDLES.map(([x, y]) => [x * 1.5, y]),
    );
    assert.deepEqual(size, [usual.width * 1.5, HEIGHT]);
    assertNear(colours, COLOURS, 3, 'bars');
  });

  it('interlaced lines are blended', async () => {
    const line = (value) => Array(64).fill(value);
    const samples = Array.from({ length: HEIGHT }, (_, row) => line(row % 2 ? 235 : 16)).flat();
    const gray = { samples, stride: 64, width: 64, height: HEIGHT };
    const places = [4, 5, 6, 7].map((y) => [8, y]);
    const picture = { ...usual, width: 64, planes: [gray] };
    assertNear(
      (await drawn({ ...picture, interlaced: 'top' }, places)).colours,
      Array(4).fill([128, 128, 128]),
      2,
      'lines',
    );
    const sharp = (await drawn(picture, places)).colours.map(([red]) => red);
    assert.deepEqual(sharp, [0, 255, 0, 255]);
  });

  it('the lines of one field are drawn without those of the other', async () => {
    const line = (value) => Array(64).fill(value);
    // A ramp from above to below, and one from below to above.
    const values = Array.from({ length: HEIGHT }, (_, row) => (row % 2 ? 226 - 10 * row : 16 + 10 * row));
    const gray = { samples: values.flatMap(line), stride: 64, width: 64, height: HEIGHT };
    const picture = { ...usual, width: 64, interlaced: 'top', planes: [gray] };
    const rows = [2, 3, 4, 5, 6, 7, 8];
    const places = rows.map((y) => [8, y]);
    const screen = (sample) => Array(3).fill(((sample - 16) * 255) / 219);
    for (const [field, ramp] of [
      ['top', (row) => 16 + 10 * row],
      ['bottom', (row) => 226 - 10 * row],
    ]) {
      const { colours } = await drawn(picture, places, { field });
      const expected = rows.map((row) => screen(ramp(row)));
      assertNear(colours, expected, 2, field);
    }
  });

  it('the colours of one field are drawn without those of the other, in pictures of odd heights, too', async () => {
    const names = { top: [191, 0, 0], bottom: [0, 0, 191] };
    for (const height of [16, 15, 2]) {
      const rows = (index, count) =>
        Array.from({ length: count }, (_, row) =>
          Array(32).fill(coded(names[row % 2 ? 'bottom' : 'top'], 'bt709', 8, false)[index]),
        ).flat();
      const planes = [0, 1, 2].map((index) => {
        const [width, lines] = index === 0 ? [32, height] : [16, Math.ceil(height / 2)];
        return { samples: rows(index, lines), stride: 32, width, height: lines };
      });
      const picture = { ...usual, width: 32, height, interlaced: 'top', planes };
      const places = [0, 1, height - 1].map((y) => [16, y]);
      for (const field of height === 2 ? [] : ['top', 'bottom']) {
        const { colours } = await drawn(picture, places, { field });
        assertNear(colours, Array(3).fill(names[field]), 3, `${field} of ${height} lines`);
      }
      const { isDrawn } = await drawn(picture, places, { field: 'bottom' });
      assert.ok(isDrawn);
    }
  });

  for (const [rotation, corners] of [
    [0, ['white', 'red', 'green', 'blue']],
    [90, ['green', 'white', 'blue', 'red']],
    [180, ['blue', 'green', 'red', 'white']],
    [270, ['red', 'blue', 'white', 'green']],
  ])
    for (const plain of [false, true])
      it(`rotation by ${rotation} degrees is clockwise${plain ? ' on a plain canvas' : ''}`, async () => {
        const names = { white: [255, 255, 255], red: [255, 0, 0], green: [0, 255, 0], blue: [0, 0, 255] };
        const half = (left, right) =>
          [...Array(16).fill([...left, 255]), ...Array(16).fill([...right, 255])].flat();
        const rows = [
          ...Array(8).fill(half(names.white, names.red)),
          ...Array(8).fill(half(names.green, names.blue)),
        ];
        const rgba = { samples: rows.flat(), stride: 128, width: 32, height: 16 };
        const picture = { ...usual, width: 32, layout: 'rgba', rotation, planes: [rgba] };
        const [width, height] = rotation % 180 === 0 ? [32, 16] : [16, 32];
        const places = [
          [2, 2],
          [width - 3, 2],
          [2, height - 3],
          [width - 3, height - 3],
        ];
        const { size, colours } = await drawn(picture, places, { plain });
        assert.deepEqual(size, [width, height]);
        assert.deepEqual(
          colours,
          corners.map((name) => names[name]),
        );
      });
});

describe('high dynamic range', () => {
  /** Codes light in nits by SMPTE ST 2084. */
  const pq = (nits) => {
    const power = (nits / 10_000) ** 0.1593017578125;
    return ((0.8359375 + 18.8515625 * power) / (1 + 18.6875 * power)) ** 78.84375;
  };
  const gray = async (values, transfer) => {
    const samples = values.map((value) => Math.round((219 * value + 16) * 4));
    const colour = () => plane(Array(values.length).fill(512), BAR, HEIGHT, 10);
    const planes = [plane(samples, BAR, HEIGHT, 10), colour(), colour()];
    const picture = { ...usual, width: values.length * BAR, depth: 10, matrix: 'bt2020', transfer, planes };
    const { colours } = await drawn(picture, MIDDLES.slice(0, values.length));
    for (const [red, green, blue] of colours)
      assert.ok(
        Math.max(red, green, blue) - Math.min(red, green, blue) <= 2,
        `${[red, green, blue]} is gray`,
      );
    return colours.map(([red]) => red);
  };
  const screen = (nits) => 255 * (nits / 203) ** (1 / 2.4);

  it('PQ keeps shadows and middle, and rolls highlights off up to 1,000 nits', async () => {
    const [black, dark, middle, paper, bright, top, more] = await gray(
      [0, 1, 50, 203, 500, 1000, 4000].map(pq),
      'pq',
    );
    assert.ok(black <= 1);
    assert.ok(Math.abs(dark - screen(1)) <= 4, `1 nit is ${dark}, not ${screen(1)}`);
    assert.ok(Math.abs(middle - screen(50)) <= 3, `50 nits are ${middle}, not ${screen(50)}`);
    assert.ok(middle < paper && paper < bright && bright <= top, `${[middle, paper, bright, top]} rise`);
    assert.ok(paper > 200 && paper < 250, `203 nits are ${paper}`);
    assert.ok(top >= 253 && more >= 253);
  });

  it('HLG is shown as on a screen of 1,000 nits', async () => {
    const [black, middle, top] = await gray([0, 0.5, 1], 'hlg');
    const nits = 1000 * (1 / 12) ** 1.2;
    assert.ok(black <= 1);
    assert.ok(Math.abs(middle - screen(nits)) <= 3, `${middle} is not ${screen(nits)}`);
    assert.ok(top >= 253);
  });
});

it('a lost graphics context is restored, and the picture is drawn again', async () => {
  const picture = bars({ matrix: 'bt709', depth: 8, fullRange: false, sampling: '420' });
  const answers = await page.evaluate(
    async ([picture, places]) => {
      const canvas = document.createElement('canvas');
      const renderer = globalThis.pictures.rendererOf(canvas);
      const event = (name) => new Promise((done) => canvas.addEventListener(name, done, { once: true }));
      const first = renderer.draw(globalThis.decoded(picture));
      const extension = canvas.getContext('webgl2').getExtension('WEBGL_lose_context');
      const lost = event('webglcontextlost');
      extension.loseContext();
      await lost;
      // The context can be restored only after all receivers of the event have returned.
      await new Promise((done) => setTimeout(done));
      const meanwhile = renderer.draw(globalThis.decoded(picture));
      const restored = event('webglcontextrestored');
      extension.restoreContext();
      await restored;
      const again = renderer.draw(globalThis.decoded(picture));
      return { drawn: [first, meanwhile, again], colours: globalThis.read(canvas, places) };
    },
    [picture, MIDDLES],
  );
  assert.deepEqual(answers.drawn, [true, false, true]);
  assertNear(answers.colours, COLOURS, 3, 'bars');
});

it('has heard no complaint from the browser', () => assert.deepEqual(complaints, []));
