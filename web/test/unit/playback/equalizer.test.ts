/** The equalizer: nothing is created without need, and nothing is routed to a silent context. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Equalizer, PRESETS } from '../../../src/playback/sound/equalizer';

class Param {
  value = 0;
  setTargetAtTime = (value: number) => (this.value = value);
}
class Node {
  gain = new Param();
  to: Node | null = null;
  connect(to: Node) {
    this.to = to;
    return to;
  }
}
let contexts: Context[] = [];
let allows = true;
class Context {
  state = 'suspended';
  currentTime = 0;
  destination = new Node();
  sources: unknown[] = [];
  volume = new Node();
  constructor() {
    contexts.push(this);
  }
  async resume() {
    if (allows) this.state = 'running';
  }
  async close() {
    this.state = 'closed';
  }
  createGain = () => this.volume;
  createMediaElementSource(element: unknown) {
    this.sources.push(element);
    return new Node();
  }
}

beforeEach(() => {
  contexts = [];
  allows = true;
  vi.stubGlobal('AudioContext', Context);
  vi.stubGlobal('BiquadFilterNode', Node);
});
afterEach(() => vi.unstubAllGlobals());

const elements = ['front', 'back'] as unknown as HTMLMediaElement[];
const settled = () => Promise.resolve().then(() => {});
/** Returns the levels of the bands on the way to the output. */
function levels({ volume, destination }: Context): number[] {
  const found: number[] = [];
  for (let node = volume.to; node && node !== destination; node = node.to) found.push(node.gain.value);
  return found;
}

describe('the equalizer', () => {
  it('creates nothing while it is off', () => {
    const equalizer = new Equalizer(elements);
    equalizer.apply('off');
    expect(contexts).toEqual([]);
  });

  it('routes both elements once, with headroom for the raised bands', async () => {
    const equalizer = new Equalizer(elements);
    for (const preset of ['bass', 'bass', 'voice', 'bass'] as const) {
      equalizer.apply(preset);
      await settled();
    }
    expect(contexts.map(({ sources }) => sources)).toEqual([elements]);
    expect(levels(contexts[0]!)).toEqual([6, 2, 0, 0, 0]);
    expect(contexts[0]!.volume.gain.value).toBeCloseTo(0.5012, 4);
    equalizer.apply('off');
    expect([...levels(contexts[0]!), contexts[0]!.volume.gain.value]).toEqual([0, 0, 0, 0, 0, 1]);
  });

  it('routes nothing to a context that does not run, and does so later', async () => {
    allows = false;
    const equalizer = new Equalizer(elements);
    equalizer.apply('bass');
    await settled();
    expect(contexts[0]!.sources).toEqual([]);
    allows = true;
    equalizer.apply('bass');
    await settled();
    expect([contexts[0]!.sources, levels(contexts[0]!)[0]]).toEqual([elements, 6]);
  });

  it('is not used where a locked screen would silence it', async () => {
    vi.stubGlobal('GestureEvent', class {});
    vi.stubGlobal('navigator', { maxTouchPoints: 5 });
    const equalizer = new Equalizer(elements);
    equalizer.apply('bass');
    await settled();
    expect(contexts).toEqual([]);
  });

  it('releases its context, and never exceeds the level of the recording', async () => {
    for (const preset of PRESETS) {
      const equalizer = new Equalizer(elements);
      equalizer.apply(preset);
      await settled();
      equalizer.close();
    }
    expect(contexts.map(({ state }) => state)).toEqual(contexts.map(() => 'closed'));
    for (const context of contexts)
      expect(20 * Math.log10(context.volume.gain.value) + Math.max(...levels(context))).toBeCloseTo(0, 6);
  });
});
