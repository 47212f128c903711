/** Styled subtitles over a film. They consist of elements and text only, and follow the film's clock. */
import { looksOf, type Moment } from './change';
import { draw } from './drawing';
import { ratio } from './fonts';
import { parseLine, words, type Parsed } from './line';
import { share, type Look } from './look';
import { clipStyle, edges, rgba, textStyles, turnOf, type Scale, type Styles } from './paint';
import { cellOf, freeTop, pictureIn, type Box } from './place';
import { parse, shownAt, styleNamed, type Line, type Script } from './script';

const SVG = 'http://www.w3.org/2000/svg';
/** Events of a film that change its position or its size. */
const EVENTS = 'play playing pause seeking seeked timeupdate ended loadedmetadata resize'.split(' ');

/** A visible line and its elements. */
interface Shown {
  line: Line;
  parsed: Parsed;
  /** The element in the picture: the line, or its clip. */
  outer: HTMLElement;
  box: HTMLElement;
  pieces: (HTMLElement | SVGSVGElement)[];
  /** Vertical position of a line that has only an alignment. */
  stands: Box | null;
}

function element(styles: Styles): HTMLDivElement {
  const made = document.createElement('div');
  dress(made, styles);
  return made;
}

function dress(target: HTMLElement | SVGElement, styles: Styles): void {
  for (const [name, value] of Object.entries(styles)) target.style.setProperty(name, value);
}

interface Options {
  /** Returns the time of the script: that of the film without the delay of the subtitles. */
  time: () => number;
  signal: AbortSignal;
  onfail: () => void;
}

/** Fetches a track's script and shows it over its film until the signal aborts. */
export async function showStyledSubtitles(
  url: string,
  video: HTMLVideoElement,
  host: HTMLElement,
  { time, signal, onfail }: Options,
): Promise<void> {
  const response = await fetch(url, { signal });
  if (!response.ok) throw new Error(`the script was answered with ${response.status}`);
  const script = await response.text();
  if (signal.aborted) return;
  const layer = new StyledLayer(video, host, script, time, onfail);
  signal.addEventListener('abort', () => layer.stop());
}

class StyledLayer {
  #video: HTMLVideoElement;
  #host: HTMLElement;
  #script: Script;
  #time: () => number;
  #onfail: () => void;
  #picture = element({ position: 'absolute', overflow: 'hidden', isolation: 'isolate' });
  #size: Box = { left: 0, top: 0, width: 0, height: 0 };
  #scale: Scale = { x: 1, y: 1, border: 1 };
  #shown = new Map<Line, Shown>();
  #parsed = new WeakMap<Line, Parsed>();
  #frame = 0;
  #observer = new ResizeObserver(() => this.#guard(() => this.#measure()));
  #listening = new AbortController();

  /** Shows a script over a film, in an element of the same size. The first failure is reported and ends it. */
  constructor(
    video: HTMLVideoElement,
    host: HTMLElement,
    script: string,
    time: () => number,
    onfail: () => void,
  ) {
    this.#video = video;
    this.#host = host;
    this.#script = parse(script);
    if (this.#script.lines.length === 0) throw new Error('the script has no line that can be shown');
    this.#time = time;
    this.#onfail = onfail;
    host.append(this.#picture);
    const { signal } = this.#listening;
    for (const event of EVENTS) {
      const react = event === 'loadedmetadata' || event === 'resize' ? this.#measure : this.#tick;
      video.addEventListener(event, () => this.#guard(() => react.call(this)), { signal });
    }
    this.#observer.observe(host);
    this.#guard(() => this.#measure());
  }

  stop(): void {
    this.#listening.abort();
    this.#observer.disconnect();
    cancelAnimationFrame(this.#frame);
    this.#frame = 0;
    this.#shown.clear();
    this.#picture.remove();
  }

  #guard(act: () => void): void {
    if (this.#listening.signal.aborted) return;
    try {
      act();
    } catch {
      this.stop();
      this.#onfail();
    }
  }

  /** Rebuilds all lines: sizes are in pixels of the picture. */
  #measure(): void {
    const { clientWidth: width, clientHeight: height } = this.#host;
    const film = { width: this.#video.videoWidth, height: this.#video.videoHeight };
    const box = (this.#size = pictureIn({ width, height }, film));
    const y = box.height / this.#script.height;
    const border = this.#script.scaled || film.height === 0 ? y : box.height / film.height;
    this.#scale = { x: box.width / this.#script.width, y, border };
    dress(this.#picture, {
      left: `${box.left}px`,
      top: `${box.top}px`,
      width: `${box.width}px`,
      height: `${box.height}px`,
      // Space of the player below the picture.
      '--below': `${height - box.top - box.height}px`,
    });
    for (const { outer } of this.#shown.values()) outer.remove();
    this.#shown.clear();
    this.#tick();
  }

  #tick(): void {
    this.#update(this.#time());
    cancelAnimationFrame(this.#frame);
    this.#frame = 0;
    if (this.#video.paused || this.#video.ended) return;
    this.#frame = requestAnimationFrame(() => this.#guard(() => this.#tick()));
  }

  #update(time: number): void {
    const now = shownAt(this.#script, time);
    const wanted = new Set(now);
    for (const [line, { outer }] of this.#shown) {
      if (wanted.has(line)) continue;
      outer.remove();
      this.#shown.delete(line);
    }
    // The stacking order is that of the script, not that of appearance.
    let before: HTMLElement | null = null;
    for (const line of now) {
      let shown = this.#shown.get(line);
      const isNew = shown === undefined;
      shown ??= this.#build(line);
      if (isNew) {
        this.#picture.insertBefore(shown.outer, before ? before.nextSibling : this.#picture.firstChild);
        this.#shown.set(line, shown);
      }
      if (isNew || shown.parsed.changing) this.#paint(shown, time);
      if (isNew) this.#settle(shown);
      if (isNew || shown.parsed.move || shown.parsed.fade) this.#move(shown, time);
      before = shown.outer;
    }
  }

  #build(line: Line): Shown {
    let parsed = this.#parsed.get(line);
    if (!parsed) this.#parsed.set(line, (parsed = parseLine(line.text)));
    const wrap = parsed.wrap ?? this.#script.wrap;
    const { column, row } = cellOf(parsed.align ?? line.style.align);
    const room = this.#size.width - (line.left + line.right) * this.#scale.x;
    const box = element({
      position: 'absolute',
      width: 'max-content',
      'max-width': wrap === 2 ? 'none' : `${Math.max(0, room)}px`,
      'font-size': '0',
      'line-height': '0',
      'text-align': ['left', 'center', 'right'][column] ?? 'center',
      'white-space': wrap === 2 ? 'pre' : 'pre-wrap',
      ...(wrap === 0 || wrap === 3 ? { 'text-wrap': 'balance' } : {}),
      'overflow-wrap': 'break-word',
      'unicode-bidi': 'plaintext',
    });
    let outer = box;
    if (parsed.clip) {
      const { width, height } = this.#size;
      const path = clipStyle(parsed.clip, this.#scale, width, height);
      outer = element({ position: 'absolute', inset: '0', 'clip-path': path });
      outer.append(box);
    }
    // Moves lines at the bottom, and their clips, above the player's bars.
    if (row === 2 && !parsed.place && !parsed.move) outer.dataset.foot = '';
    const shown: Shown = { line, parsed, outer, box, pieces: [], stands: null };
    const looks = this.#looks(shown, line.start);
    parsed.pieces.forEach((piece, index) => {
      const isDrawn = (looks[index]?.drawing ?? 0) > 0;
      const made = isDrawn ? document.createElementNS(SVG, 'svg') : document.createElement('span');
      if (isDrawn) made.append(document.createElementNS(SVG, 'path'));
      else made.textContent = words(piece.text, wrap);
      shown.pieces.push(made as HTMLElement | SVGSVGElement);
      box.append(made);
    });
    return shown;
  }

  #looks({ line, parsed }: Shown, time: number): Look[] {
    const moment: Moment = {
      at: (time - line.start) * 1000,
      length: (line.end - line.start) * 1000,
      own: line.style.look,
      named: (style) => styleNamed(this.#script.styles, style)?.look,
    };
    return looksOf(parsed.pieces, moment);
  }

  #paint(shown: Shown, time: number): void {
    const looks = this.#looks(shown, time);
    shown.pieces.forEach((piece, index) => {
      const look = looks[index];
      if (!look) return;
      if (piece instanceof SVGSVGElement)
        this.#paintDrawing(piece, shown.parsed.pieces[index]?.text ?? '', look);
      else dress(piece, textStyles(look, this.#scale, ratio));
    });
    const { column, row } = cellOf(shown.parsed.align ?? shown.line.style.align);
    const anchor = `${column * 50}% ${row * 50}%`;
    const [x, y] = anchor.split(' ');
    const turn = looks[0] ? turnOf(looks[0], this.#scale) : '';
    dress(shown.box, { transform: `translate(-${x}, -${y}) ${turn}` });
    const { origin, place, move } = shown.parsed;
    const stands = place ?? move?.from;
    if (!origin || !stands) return dress(shown.box, { 'transform-origin': anchor });
    const away = { x: (origin.x - stands.x) * this.#scale.x, y: (origin.y - stands.y) * this.#scale.y };
    dress(shown.box, { 'transform-origin': `calc(${x} + ${away.x}px) calc(${y} + ${away.y}px)` });
  }

  #paintDrawing(svg: SVGSVGElement, text: string, look: Look): void {
    const fine = 2 ** (look.drawing - 1);
    const across = (this.#scale.x * look.tall) / 100 / fine;
    const { path, width, height } = draw(text, across, (this.#scale.y * look.tall) / 100 / fine);
    svg.setAttribute('width', String(width));
    svg.setAttribute('height', String(height));
    dress(svg, { overflow: 'visible', 'vertical-align': 'baseline' });
    const { border, blur } = edges(look, this.#scale);
    const shape = svg.firstElementChild as SVGPathElement;
    shape.setAttribute('d', path);
    dress(shape, {
      fill: rgba(look.fill),
      stroke: border > 0 ? rgba(look.outline) : 'none',
      'stroke-width': `${border * 2}px`,
      'stroke-linejoin': 'round',
      'paint-order': 'stroke',
      filter: blur > 0 ? `blur(${blur}px)` : 'none',
    });
  }

  /** Finds space for a line that has only an alignment. */
  #settle(shown: Shown): void {
    const { line, parsed, box } = shown;
    if (parsed.place || parsed.move) return;
    const { column, row } = cellOf(parsed.align ?? line.style.align);
    const [width, height] = [box.offsetWidth, box.offsetHeight];
    const { x, y } = this.#scale;
    const from = line.left * x;
    const to = this.#size.width - line.right * x;
    const left = [from, (from + to - width) / 2, to - width][column] ?? from;
    const away = line.vertical * y;
    const foot = this.#size.height - height;
    const top = [away, foot / 2, foot - away][row] ?? 0;
    // Only lines of the same layer avoid each other.
    const taken = [...this.#shown.values()].flatMap((other) =>
      other.stands && other.line.layer === line.layer ? [other.stands] : [],
    );
    const wanted = { left, top, width, height };
    shown.stands = { ...wanted, top: freeTop(wanted, taken, row) };
  }

  #move({ line, parsed, box, stands }: Shown, time: number): void {
    const at = (time - line.start) * 1000;
    const length = (line.end - line.start) * 1000;
    if (parsed.fade) dress(box, { opacity: String(parsed.fade(at, length)) });
    const { column, row } = cellOf(parsed.align ?? line.style.align);
    let place = parsed.place;
    if (parsed.move) {
      const { from, to, begin, end } = parsed.move;
      const part = share(at, begin, end || length, 1);
      place = { x: from.x + (to.x - from.x) * part, y: from.y + (to.y - from.y) * part };
    }
    const [left, top] = place
      ? [place.x * this.#scale.x, place.y * this.#scale.y]
      : stands
        ? [stands.left + (stands.width * column) / 2, stands.top + (stands.height * row) / 2]
        : [0, 0];
    dress(box, { left: `${left}px`, top: `${top}px` });
  }
}
