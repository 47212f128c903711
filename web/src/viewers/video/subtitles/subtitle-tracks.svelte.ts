/** The subtitle tracks of a film, the shown tracks, their delay, and the renderer: the page or the browser. */
import { body, type ApiClient } from '../../../api/client';
import type { AttachedFont, MediaFile } from '../../../api/models';
import { format } from '../../../i18n/locale';
import { PLAIN_STYLE, type FilmSettings, type SubtitleStyle } from '../saved/settings';
import { isPicture, type SubtitleTrack } from '../saved/subtitle-track';
import type { FilmReader } from './pictures/film';
import { styledUrl, preferredSubtitles, similarSubtitles } from './subtitle-choice';

/** Milliseconds for which the failure of styles is shown. */
const REMARK = 8000;

export class SubtitleTracks {
  list = $state.raw<SubtitleTrack[]>([]);
  chosen = $state('');
  /** Id of the second track, at the top of the picture; empty without one. */
  second = $state('');
  /** Seconds by which the subtitles are shown later. */
  delay = $state(0);
  style: SubtitleStyle = $state.raw(PLAIN_STYLE);
  /** True while the film is in a separate window, into which the page cannot draw. */
  isOutside = $state(false);
  /** True for a while after the styles of a track could not be shown. */
  unstyled = $state(false);
  /** The track whose styles could not be shown. */
  #plain = $state('');
  /** The track before subtitles were switched off by a key. */
  #latest = '';
  /** Lists the fonts of the film. */
  #fonts: (signal: AbortSignal) => Promise<readonly AttachedFont[]> = () => Promise.resolve([]);
  /** Draws styled subtitles again. */
  #redraw = () => {};
  /** Height of the visible bars below the subtitles, in pixels. */
  #bars = 0;

  readonly shown = $derived(this.list.find((track) => track.id === this.chosen) ?? null);
  readonly shownSecond = $derived(
    this.list.find((track) => track.id === this.second && track.id !== this.chosen) ?? null,
  );
  /** The tracks of text. */
  readonly texts = $derived(this.list.filter((track) => !isPicture(track)));
  /** The shown track of text; null for none. */
  readonly text = $derived(this.shown && !isPicture(this.shown) ? this.shown : null);
  /** Number of the shown track among the picture subtitles of the file; null for none. */
  readonly picture = $derived(this.shown && isPicture(this.shown) ? this.shown.picture : null);
  /** The address of the shown track with its styles; null if it has none or they failed. */
  readonly styled = $derived(
    this.shown && this.shown.id !== this.#plain && !this.isOutside ? styledUrl(this.shown) : null,
  );

  constructor(private readonly saved: FilmSettings) {
    this.delay = saved.delay;
    this.style = saved.style;
  }

  /** The delay with its sign: `+0.3 s`. */
  get delayText(): string {
    const digits = { minimumFractionDigits: 1, maximumFractionDigits: 1 };
    const number = format(Intl.NumberFormat, { ...digits, signDisplay: 'exceptZero' });
    return `${number.format(this.delay)} s`;
  }

  /** Fetches the tracks of a file. The returned function aborts the request. */
  load(
    { http }: Pick<ApiClient, 'http'>,
    { id, streams }: Pick<MediaFile, 'id' | 'streams'>,
    film: FilmReader,
  ): () => void {
    const request = new AbortController();
    this.list = [];
    this.chosen = '';
    this.second = '';
    const sounds = streams.filter(({ type }) => type === 'audio');
    const spoken = (sounds.find((stream) => stream.default) ?? sounds[0])?.language ?? null;
    this.#fonts = async (signal) => {
      const params = { path: { id } };
      return (await body(http.GET('/api/v1/kinds/video/files/{id}/fonts', { params, signal }))).items;
    };
    // A failure is ignored: a film also plays without subtitles.
    const { signal } = request;
    const texts = body(
      http.GET('/api/v1/kinds/video/files/{id}/subtitles', { params: { path: { id } }, signal }),
    ).then(
      ({ items }) => items,
      () => [],
    );
    const none = { all: [], cheap: [] };
    const pictures = streams.some(({ type }) => type === 'subtitle')
      ? import('./pictures/tracks').then(
          ({ offeredTracks }) => offeredTracks(film, streams),
          () => none,
        )
      : none;
    void Promise.all([texts, pictures]).then(([texts, { all, cheap }]) => {
      if (signal.aborted) return;
      this.list = [...texts, ...all];
      const { subtitles, second } = this.saved;
      this.chosen =
        preferredSubtitles([...texts, ...cheap], subtitles, navigator.languages, spoken)?.id ?? '';
      this.second = similarSubtitles(texts, second)?.id ?? '';
    });
    return () => request.abort();
  }

  choose(id: string): void {
    this.chosen = id;
    this.saved.chooseSubtitles(this.shown);
  }

  chooseSecond(id: string): void {
    this.second = id;
    this.saved.chooseSecond(this.shownSecond);
  }

  /** Switches the subtitles off, or on again. */
  toggle(): void {
    if (this.chosen !== '') {
      this.#latest = this.chosen;
      this.choose('');
      return;
    }
    const latest = this.list.find((track) => track.id === this.#latest);
    const first = latest ?? preferredSubtitles(this.list, this.saved.subtitles, navigator.languages);
    this.choose((first ?? this.list[0])?.id ?? '');
  }

  /** Shows the subtitles later by seconds, or earlier. */
  shift(by: number): void {
    this.delay = Math.round((this.delay + by) * 10) / 10;
    this.saved.delay = this.delay;
    this.#redraw();
  }

  /** Keeps styled subtitles above the bars of this height. */
  rise(bars: number): void {
    this.#bars = bars;
    this.#redraw();
  }

  resetDelay(): void {
    this.shift(-this.delay);
  }

  changeStyle(part: Partial<SubtitleStyle>): void {
    this.saved.style = { ...this.saved.style, ...part };
    this.style = this.saved.style;
  }

  /** Detects picture-in-picture, and the full screen of an iPhone. */
  follow(video: HTMLVideoElement): () => void {
    const listening = new AbortController();
    const { signal } = listening;
    for (const event of ['enterpictureinpicture', 'webkitbeginfullscreen'])
      video.addEventListener(event, () => (this.isOutside = true), { signal });
    for (const event of ['leavepictureinpicture', 'webkitendfullscreen'])
      video.addEventListener(event, () => (this.isOutside = false), { signal });
    return () => listening.abort();
  }

  /** Shows a track without styles: the page draws it, or the browser in a separate window. */
  showPlainSubtitles(
    element: HTMLTrackElement,
    video: HTMLVideoElement,
    host: HTMLElement,
    role: 'main' | 'second',
  ): () => void {
    const { isOutside, delay } = this;
    const showing = new AbortController();
    const { signal } = showing;
    const byBrowser = () => {
      if (role === 'main' && !signal.aborted) element.track.mode = 'showing';
    };
    import('./captions').then(({ showCaptions, delayCues }) => {
      if (signal.aborted) return;
      signal.addEventListener('abort', delayCues(element, delay));
      if (isOutside) byBrowser();
      else signal.addEventListener('abort', showCaptions(video, host, element.track, role));
    }, byBrowser);
    return () => showing.abort();
  }

  /** Shows a track of pictures, by its number. The film reads them from its file. */
  showPictures(picture: number, film: FilmReader, host: HTMLElement): () => void {
    const showing = new AbortController();
    import('./pictures/show').then(
      ({ showPictures }) => showPictures(picture, film, host, () => this.delay, showing.signal),
      () => {}, // the film plays without them
    );
    return () => showing.abort();
  }

  /** Shows a track with its styles, or without them after a failure. The page may draw the film on a canvas. */
  showStyledSubtitles(
    address: string,
    video: HTMLVideoElement,
    host: HTMLElement,
    drawn: () => HTMLCanvasElement | undefined,
  ): () => void {
    const { chosen } = this;
    const fonts = this.#fonts;
    const request = new AbortController();
    const fail = () => {
      if (request.signal.aborted) return;
      this.#plain = chosen;
      this.unstyled = true;
      window.setTimeout(() => (this.unstyled = false), REMARK);
    };
    const options = {
      delay: () => this.delay,
      picture: () => {
        const { width, height } = drawn() ?? { width: video.videoWidth, height: video.videoHeight };
        return { width, height };
      },
      bars: () => this.#bars,
      fonts,
      signal: request.signal,
      onfail: fail,
    };
    import('../styled/layer')
      .then(({ showStyledSubtitles }) => showStyledSubtitles(address, video, host, options))
      .then((redraw) => {
        if (!request.signal.aborted) this.#redraw = redraw;
      })
      .catch(fail);
    return () => {
      request.abort();
      this.#redraw = () => {};
    };
  }
}
