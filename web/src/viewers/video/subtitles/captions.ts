/**
 * Plain subtitles over a film. The page draws them, because browsers place their own at the foot of the player, below
 * the controls, and take their size from the window. These are at the foot of the picture and scale with it.
 */
import { pictureIn } from '../styled/place';

/** Font size as a share of the picture's height, and the minimum in pixels. */
const SHARE = 0.045;
const LEAST = 15;
/** WebVTT 1.0, 7.2: the height of a line as a share of the picture's height, for `line` settings that count lines. */
const LINE = 5.33;
/** Cues below this share of the picture count as bottom cues, which move above the controls. */
const FOOT = 60;

/** Position of a track: the main one, or the second one at the opposite edge. */
type Role = 'main' | 'second';

/** Shows a track over its film, in an element of the size of the player. The returned function removes it. */
export function showCaptions(
  video: HTMLVideoElement,
  host: HTMLElement,
  track: TextTrack,
  role: Role = 'main',
): () => void {
  const picture = document.createElement('div');
  picture.className = 'captions';
  picture.dataset.role = role;
  const foot = document.createElement('div');
  foot.dataset.foot = '';

  function measure() {
    const { clientWidth: width, clientHeight: height } = host;
    const box = pictureIn({ width, height }, { width: video.videoWidth, height: video.videoHeight });
    const styles = {
      left: `${box.left}px`,
      top: `${box.top}px`,
      width: `${box.width}px`,
      height: `${box.height}px`,
      '--letters': `${Math.max(LEAST, box.height * SHARE)}px`,
      '--below': `${height - box.top - box.height}px`,
    };
    for (const [name, value] of Object.entries(styles)) picture.style.setProperty(name, value);
  }
  function draw() {
    const cues = [...(track.activeCues ?? [])].filter((cue) => cue instanceof VTTCue);
    foot.replaceChildren();
    picture.replaceChildren(foot);
    for (const cue of cues) {
      // The position of a second line could be that of the first one.
      const top = role === 'second' ? null : topOf(cue);
      const line = lineOf(cue);
      if (top === null) foot.append(line);
      else {
        line.style.top = `${top}%`;
        picture.append(line);
      }
    }
  }

  const listening = new AbortController();
  const { signal } = listening;
  const observer = new ResizeObserver(measure);
  track.mode = 'hidden'; // loaded, but not drawn by the browser
  host.append(picture);
  track.addEventListener('cuechange', draw, { signal });
  video.addEventListener('loadedmetadata', measure, { signal });
  video.addEventListener('resize', measure, { signal });
  observer.observe(host);
  measure();
  draw();
  return () => {
    listening.abort();
    observer.disconnect();
    picture.remove();
  };
}

/**
 * Shifts the cues of a track by a delay in seconds, also those that load later. The returned function restores their
 * times. The browser then selects the active cues itself, also in its own window.
 */
export function delayCues(element: HTMLTrackElement, delay: number): () => void {
  const shifted = new Set<TextTrackCue>();
  const shift = (by: number, cues: Iterable<TextTrackCue>) => {
    for (const cue of cues) {
      cue.startTime += by;
      cue.endTime += by;
    }
  };
  const apply = () => {
    const fresh = [...(element.track.cues ?? [])].filter((cue) => !shifted.has(cue));
    for (const cue of fresh) shifted.add(cue);
    shift(delay, fresh);
  };
  if (delay === 0) return () => {};
  apply();
  element.addEventListener('load', apply);
  return () => {
    element.removeEventListener('load', apply);
    shift(-delay, shifted);
  };
}

/** Returns the distance of a cue from the top of the picture in per cent; null for a bottom cue. */
function topOf({ line, snapToLines }: VTTCue): number | null {
  if (typeof line !== 'number') return null;
  const top = snapToLines ? (line < 0 ? 100 : line * LINE) : line;
  return top > FOOT ? null : top;
}

const SIDES: Partial<Record<AlignSetting, 'left' | 'right'>> = {
  start: 'left',
  left: 'left',
  end: 'right',
  right: 'right',
};

function lineOf(cue: VTTCue): HTMLElement {
  const line = document.createElement('p');
  const text = document.createElement('span');
  // The browser creates elements for the allowed tags of a cue; everything else is text.
  text.append(cue.getCueAsHTML());
  line.append(text);
  line.dir = 'auto';
  const side = SIDES[cue.align];
  if (side) line.style.textAlign = side;
  const position = typeof cue.position === 'number' ? cue.position : null;
  if (position !== null && position !== 50) {
    // The line extends from its position to the farther edge, or equally to both sides.
    if (side === 'left') line.style.paddingLeft = `${position}%`;
    else if (side === 'right') line.style.paddingRight = `${100 - position}%`;
    else line.style[position < 50 ? 'paddingRight' : 'paddingLeft'] = `${Math.abs(100 - 2 * position)}%`;
  }
  return line;
}
