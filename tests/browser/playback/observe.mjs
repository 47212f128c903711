/** Opens one file in the page, and observes its playback. */
import { setTimeout as pause } from 'node:timers/promises';

/** Milliseconds in which a file has to play. */
const LIMIT = 12_000;
/** Milliseconds after an error, or after the end of a file, in which playback in another way can begin. */
const GRACE = 2000;
/** Seconds of playback that prove the start of a file. Shorter files have to reach their end. */
const ENOUGH = 1;

export const NO_SOUND = 'no sound was decoded';

/** Runs in the page before its own scripts. Many files are shorter than the time between two questions from outside. */
export function recorder() {
  if (location.protocol !== 'http:') return; // an empty page
  const { getContext } = HTMLCanvasElement.prototype;
  // Without the first option, the pixels of a WebGL canvas exist until the end of the frame. Without the second one, an
  // empty canvas equals a black picture.
  HTMLCanvasElement.prototype.getContext = function (type, options) {
    const kept = { ...options, preserveDrawingBuffer: true, alpha: true };
    return getContext.call(this, type, type.startsWith('webgl') ? kept : options);
  };
  // Speeds that earlier files measured must not decide.
  localStorage.removeItem('ledge.decoding');

  const seen = { ways: [], bytes: 0, width: 0, frames: 0, time: 0, colours: 0, ended: false };
  globalThis.ledgePlayback = seen;

  const wayOf = (element, canvas) => {
    if (!element.src.startsWith('blob:')) return 'native';
    return element.videoWidth > 0 && !canvas ? 'transmux' : 'decode';
  };
  /** Number of colours; 0 if nothing is drawn. */
  const coloursOf = (canvas) => {
    const copy = new OffscreenCanvas(32, 24);
    const context = copy.getContext('2d', { willReadFrequently: true });
    context.drawImage(canvas, 0, 0, 32, 24);
    const pixels = new Uint32Array(context.getImageData(0, 0, 32, 24).data.buffer);
    return new Set(pixels.filter((pixel) => pixel !== 0)).size;
  };
  /** Bytes of decoded sound of elements whose browser does not count them. */
  const heard = new WeakMap();
  let context;
  /** Counts the samples of captured sound that are not silent, as numbers of four bytes. */
  const count = (element, track) => {
    context ??= new AudioContext();
    const tap = context.createScriptProcessor(512, 2, 1);
    tap.onaudioprocess = ({ inputBuffer }) => {
      for (let channel = 0; channel < inputBuffer.numberOfChannels; channel += 1) {
        const loud = inputBuffer.getChannelData(channel).filter((sample) => sample !== 0).length;
        heard.set(element, (heard.get(element) ?? 0) + 4 * loud);
      }
    };
    context
      .createMediaStreamSource(new MediaStream([track]))
      .connect(tap)
      .connect(context.destination);
    // Without a reference from outside, a node can be collected.
    taps.push(tap);
  };
  const taps = [];
  const listen = ({ target: element }) => {
    if (!element.mozCaptureStream || heard.has(element)) return;
    heard.set(element, 0);
    const stream = element.mozCaptureStream();
    stream.addEventListener('addtrack', ({ track }) => track.kind === 'audio' && count(element, track));
    for (const track of stream.getAudioTracks()) count(element, track);
  };
  document.addEventListener('loadstart', listen, true);

  const look = () => {
    const canvas = document.querySelector('canvas.drawn');
    if (canvas && canvas.width > 0) seen.colours = Math.max(seen.colours, coloursOf(canvas));
    if (seen.ended) return; // the next file of the item follows
    for (const element of document.querySelectorAll('audio, video')) {
      if (!element.src || (element.paused && !element.ended && !element.error)) continue;
      const way = wayOf(element, canvas);
      // The kind of a media source is known once it has data.
      if (way !== 'native' && element.readyState < 2) continue;
      // Another way begins from the start.
      if (seen.ways.at(-1) !== way)
        Object.assign(seen, { ways: [...seen.ways, way], bytes: 0, frames: 0, time: 0 });
      seen.bytes = Math.max(seen.bytes, element.webkitAudioDecodedByteCount ?? heard.get(element) ?? 0);
      seen.isCaptured ||= heard.has(element);
      seen.width = element.videoWidth ?? 0;
      seen.frames = Math.max(seen.frames, element.getVideoPlaybackQuality?.().totalVideoFrames ?? 0);
      seen.time = Math.max(seen.time, element.currentTime);
      if (element.ended) seen.ended = true;
    }
  };
  for (const type of ['playing', 'timeupdate', 'ended', 'error']) document.addEventListener(type, look, true);
  setInterval(look, 50);
}

/** The observations, and the message that the page shows. Runs in the page. */
function state() {
  const text = (selector) =>
    [...document.querySelectorAll(selector)]
      .map((one) => one.innerText.trim())
      .join(' ')
      .replace(/\s+/g, ' ');
  const alert = text('[role=alert] p');
  const mute = text('.banner[role=status] span');
  return { ...globalThis.ledgePlayback, alert, message: alert || mute };
}

/** Returns the missing proofs of playback. */
function missing(seen, { hasPicture, hasSound, duration }) {
  const found = [];
  const enough = Math.min(ENOUGH, 0.6 * (duration ?? ENOUGH));
  if (seen.time === 0 && !seen.ended) found.push('playback did not begin');
  else if (!seen.ended && seen.time < enough) found.push(`the position stopped at ${seen.time.toFixed(2)} s`);
  if (hasSound && seen.bytes === 0) found.push(NO_SOUND);
  if (hasPicture) {
    if (seen.ways.at(-1) === 'decode') {
      if (seen.colours === 0) found.push('no picture was drawn');
    } else if (seen.width === 0 || seen.frames === 0) found.push('no picture was decoded');
  }
  return found;
}

/** Opens a file through the address of its viewer, and returns its way and the missing proofs. */
export async function observe(page, address, expected) {
  const begin = Date.now();
  await page.goto(address, { waitUntil: 'commit' });
  let since = null;
  for (;;) {
    await pause(150);
    const seen = await page.evaluate(state);
    const lacks = missing(seen, expected);
    const now = Date.now();
    const isOver = seen.ended || (seen.alert !== '' && !seen.alert.startsWith('No data yet'));
    since = isOver ? (since ?? now) : null;
    const isFinal = now - begin > LIMIT || (since !== null && now - since > GRACE);
    if (lacks.length === 0 && !seen.alert) return { ...seen, lacks, took: now - begin };
    if (isFinal)
      return { ...seen, lacks: lacks.length > 0 ? lacks : ['an error is shown'], took: now - begin };
  }
}
