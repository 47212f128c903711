import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { book, file, listen } from './fake-player';

beforeEach(() => {
  vi.useFakeTimers({ now: 0 });
  vi.stubGlobal('window', globalThis);
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

vi.mock('../../../src/playback/decode/session/port', () => ({
  openPort: () => ({ open: () => {}, post: () => {}, close: () => {} }),
}));

describe('a decoded recording', () => {
  beforeEach(() => {
    vi.stubGlobal('MediaSource', class {});
    Object.assign(MediaSource, { isTypeSupported: () => true });
  });
  /** Ends the first file of an album at a position. */
  function endedAt(time: number, container = 'ape', acodec = 'ape') {
    const files = [1, 2].map((id) => file(id, { container, acodec }));
    const all = listen(book(files, 'album'), files[0]!, 0);
    const [element] = all.elements;
    element.arrive(60);
    element.run(time);
    element.duration = time;
    element.finish();
    return all;
  }

  it('that ends long before its length is damaged, and neither finished nor followed', () => {
    const { player, noted } = endedAt(20);
    expect([player.trouble, player.index, player.playing]).toEqual(['damaged', 0, false]);
    expect(noted).toEqual([[1, { position: 20 }]]);
    player.skipFile();
    expect([player.trouble, player.index]).toEqual([null, 1]);
  });

  it('whose length is only estimated can end early', () => {
    expect(endedAt(20, 'amr', 'amr_nb').player.trouble).toBeNull();
  });

  it('that ends near its length is finished, and followed', () => {
    const { player, noted } = endedAt(58);
    expect([player.trouble, player.index]).toEqual([null, 1]);
    expect(noted.at(-1)).toEqual([1, { position: 60, finished: true }]);
  });
});

describe('a book in several files', () => {
  const files = [file(1), file(2), file(3)];

  it('has one timeline, and starts at the requested position', () => {
    const { player, elements } = listen(book(files), files[1]!, 20);
    elements[0].arrive(60);
    expect(elements[0].currentTime).toBe(20);
    elements[0].run(21);
    expect([player.at, player.length, player.heading, player.playing]).toEqual([81, 180, 'Part 2', true]);
  });

  it('preloads the next file, and continues in the other element at once', () => {
    const { player, elements, noted } = listen(book(files), files[0]!, 0);
    const [first, second] = elements;
    first.arrive(60);
    first.run(20);
    expect(second.src).toBe('');
    first.run(31);
    expect(second.src).toBe('/files/2');
    second.arrive(60);
    player.setSpeed(1.5);
    first.finish();
    expect([second.paused, second.playbackRate, second.currentTime]).toEqual([false, 1.5, 0]);
    expect([player.index, player.playing]).toEqual([1, true]);
    expect(noted.at(-1)).toEqual([1, { position: 60, finished: true }]);
    expect(first.src).toBe('');
    second.run(2);
    expect(noted.at(-1)).toEqual([2, { position: 2 }]);
  });

  it('ignores events of the preloading element', () => {
    const { player, elements } = listen(book(files), files[0]!, 0);
    elements[0].arrive(60);
    elements[0].run(40);
    elements[1].arrive(60);
    elements[1].run(7);
    elements[1].say('error');
    expect([player.time, player.trouble]).toEqual([40, null]);
  });

  it('loads the next file again if its preload failed', () => {
    const { player, elements } = listen(book(files), files[0]!, 0);
    const [first, second] = elements;
    first.arrive(60);
    first.run(40);
    second.error = { code: 2 };
    first.finish();
    expect([player.index, first.src]).toEqual([1, '/files/2']);
  });

  it('seeks and skips across the borders of its files', () => {
    const { player, elements } = listen(book(files), files[0]!, 0);
    elements[0].arrive(60);
    elements[0].run(50);
    player.skip(30);
    expect([player.index, player.at]).toEqual([1, 80]);
    player.seek(179);
    expect([player.index, player.time]).toEqual([2, 59]);
    player.seek(-5);
    expect([player.index, player.time]).toEqual([0, 0]);
  });

  it('goes back to the start of the chapter first, then to the previous one', () => {
    const { player, elements } = listen(book(files), files[1]!, 30);
    elements[0].arrive(60);
    elements[0].run(31);
    player.previous();
    expect([player.index, player.time]).toEqual([1, 0]);
    player.previous();
    expect(player.index).toBe(0);
    player.next();
    player.next();
    expect([player.index, player.hasNext]).toEqual([2, false]);
  });

  it('keeps its speed for the next book; music has its own', () => {
    const { player } = listen(book(files), files[0]!, 0);
    player.setSpeed(1.5);
    player.play({ ...book(files, 'album'), id: 10 }, files[0]!);
    expect(player.speed).toBe(1);
    player.play({ ...book(files), id: 11 }, files[0]!);
    expect(player.speed).toBe(1.5);
  });

  it('continues at the newer position of another device, but never jumps during playback', () => {
    const { player, elements, progressStore } = listen(book(files), files[0]!, 10);
    elements[0].arrive(60);
    elements[0].run(12);
    progressStore.resume.mockReturnValue(45);
    player.play(book(files), files[0]!);
    expect(elements[0].currentTime).toBe(12);
    player.pause();
    player.play(book(files), files[0]!);
    expect([elements[0].currentTime, elements[0].paused]).toEqual([45, false]);
  });

  it('handles a second press before the element reports the first one', () => {
    const { player, elements } = listen(book(files), files[0]!, 10);
    const [element] = elements;
    element.arrive(60);
    const told: string[] = [];
    element.say = (type) => void told.push(type);
    player.toggle();
    expect([element.paused, told]).toEqual([true, ['pause']]);
    player.toggle();
    expect([element.paused, told]).toEqual([false, ['pause', 'play']]);
    player.toggle();
    expect(element.paused).toBe(true);
  });

  it('ends once, without a restart', () => {
    const { player, elements, noted } = listen(book(files), files[2]!, 0);
    elements[0].arrive(60);
    elements[0].finish();
    expect([player.playing, player.index]).toEqual([false, 2]);
    expect(noted.at(-1)).toEqual([3, { position: 60, finished: true }]);
  });
});

describe('the sleep timer', () => {
  const files = [
    file(1, {
      chapters: [
        { title: 'A', start: 0 },
        { title: 'B', start: 30 },
      ],
    }),
    file(2),
  ];

  it('stops after its minutes with a fade-out, and restores the volume', () => {
    const { player, elements } = listen(book(files), files[0]!, 0);
    elements[0].arrive(60);
    player.sleep.inMinutes(5);
    vi.setSystemTime(298_000);
    elements[0].run(10);
    expect(elements[0].volume).toBeCloseTo(0.25);
    vi.setSystemTime(300_100);
    elements[0].run(12);
    expect([elements[0].paused, elements[0].volume, player.sleep.on]).toEqual([true, 1, false]);
  });

  it('stops at the end of the chapter, positioned at the start of the next one', () => {
    const { player, elements } = listen(book(files), files[0]!, 0);
    elements[0].arrive(60);
    player.sleep.afterMark(player.mark);
    elements[0].run(29.5);
    expect(player.playing).toBe(true);
    elements[0].run(30.2);
    expect([elements[0].paused, elements[0].currentTime, player.sleep.on]).toEqual([true, 30, false]);
  });

  it('stops where the chapter ends with its file', () => {
    const { player, elements } = listen(book(files), files[0]!, 40);
    elements[0].arrive(60);
    elements[0].run(45);
    elements[1].arrive(60);
    player.sleep.afterMark(player.mark);
    elements[0].finish();
    expect([player.index, player.playing, elements[1].paused]).toEqual([1, false, true]);
    player.toggle();
    expect(elements[1].paused).toBe(false);
  });

  it('waits for the end of the current chapter after a seek', () => {
    const { player, elements } = listen(book(files), files[0]!, 0);
    elements[0].arrive(60);
    player.sleep.afterMark(player.mark);
    player.seek(40);
    elements[0].run(41);
    expect([player.playing, player.sleep.mark]).toEqual([true, 1]);
  });
});

describe('playback errors', () => {
  const files = [file(1), file(2)];
  const settled = () => vi.advanceTimersByTimeAsync(0);

  it('are reported by their cause, and the next file is still playable', async () => {
    const { player, elements, api } = listen(book(files, 'album'), files[0]!, 0);
    elements[0].say('error');
    await settled();
    expect([player.trouble, player.playing]).toEqual(['refused', false]);
    api.probe.mockResolvedValue(404);
    player.retry();
    elements[0].say('error');
    await settled();
    expect(player.trouble).toBe('missing');
    player.skipFile();
    expect([player.index, player.trouble]).toEqual([1, null]);
  });

  it('end by themselves at the same position after the server returns', async () => {
    const { player, elements, api } = listen(book(files), files[0]!, 0);
    elements[0].arrive(60);
    elements[0].run(33);
    api.probe.mockResolvedValue(0);
    elements[0].say('error');
    await settled();
    expect(player.trouble).toBe('unreachable');
    await vi.advanceTimersByTimeAsync(5000);
    expect(player.trouble).toBe('unreachable');
    api.probe.mockResolvedValue(206);
    await vi.advanceTimersByTimeAsync(5000);
    expect(player.trouble).toBeNull();
    elements[0].arrive(60);
    expect([elements[0].currentTime, elements[0].paused]).toEqual([33, false]);
  });
});

describe('a dragged slider', () => {
  const files = [file(1), file(2), file(3), file(4)];

  it('loads none of the files that it passes, only the final one', () => {
    const { player, elements } = listen(book(files), files[0]!);
    elements[0].arrive(60);
    const asked: string[] = [];
    for (const element of elements) {
      const load = element.load.bind(element);
      element.load = () => {
        if (element.src) asked.push(element.src);
        load();
      };
    }
    for (const place of [70, 110, 130, 170, 200]) player.scrub(place);
    expect(player.at).toBe(200);
    expect(asked).toEqual([]);
    player.release();
    expect(asked).toEqual(['/files/4']);
    expect(player.index).toBe(3);
    expect(player.at).toBe(200);
  });

  it('seeks when the pointer rests, and within a file at once', () => {
    const { player, elements } = listen(book(files), files[0]!);
    elements[0].arrive(60);
    player.scrub(30);
    expect(elements[0].currentTime).toBe(30);
    player.scrub(90);
    expect(player.index).toBe(0);
    vi.advanceTimersByTime(500);
    expect(player.index).toBe(1);
  });
});

describe('a broken transfer', () => {
  it('is resumed once at its position, then reported with a retry button', async () => {
    const { player, elements } = listen(book([file(1)]), file(1));
    elements[0].arrive(60);
    elements[0].say('playing');
    elements[0].run(20);
    const breakOff = async () => {
      elements[0].error = { code: 2 };
      elements[0].say('error');
      await vi.advanceTimersByTimeAsync(1000);
    };
    await breakOff();
    expect(player.trouble).toBeNull();
    expect(elements[0].error).toBeNull();
    elements[0].arrive(60);
    expect(elements[0].currentTime).toBe(20);
    elements[0].say('playing');
    await breakOff();
    expect(player.trouble).toBe('interrupted');
    player.retry();
    expect(player.trouble).toBeNull();
  });
});
