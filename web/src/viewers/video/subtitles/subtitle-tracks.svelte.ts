/** The subtitle tracks of a film, the shown track, and its renderer: the page or the browser. */
import { body, type ApiClient } from '../../../api/client';
import type { Subtitles } from '../../../api/models';
import { saveSubtitleChoice, savedSubtitleChoice } from '../saved/settings';
import { styledUrl, preferredSubtitles } from './subtitle-choice';

/** Milliseconds for which the failure of styles is shown. */
const REMARK = 8000;

export class SubtitleTracks {
  list = $state.raw<Subtitles[]>([]);
  chosen = $state('');
  /** True while the film is in a separate window, into which the page cannot draw. */
  isOutside = $state(false);
  /** True for a while after the styles of a track could not be shown. */
  unstyled = $state(false);
  /** The track whose styles could not be shown. */
  #plain = $state('');

  readonly shown = $derived(this.list.find((track) => track.id === this.chosen) ?? null);
  /** The address of the shown track with its styles; null if it has none or they failed. */
  readonly styled = $derived(
    this.shown && this.shown.id !== this.#plain && !this.isOutside ? styledUrl(this.shown) : null,
  );

  /** Fetches the tracks of a file. The returned function aborts the request. */
  load({ http }: Pick<ApiClient, 'http'>, id: number): () => void {
    const request = new AbortController();
    this.list = [];
    this.chosen = '';
    // A failure is ignored: a film also plays without subtitles.
    const { signal } = request;
    body(http.GET('/api/v1/kinds/video/files/{id}/subtitles', { params: { path: { id } }, signal })).then(
      ({ items }) => {
        this.list = items;
        this.chosen = preferredSubtitles(items, savedSubtitleChoice(), navigator.languages)?.id ?? '';
      },
      () => {},
    );
    return () => request.abort();
  }

  choose(id: string): void {
    this.chosen = id;
    saveSubtitleChoice(this.list.find((track) => track.id === id) ?? null);
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

  /** Shows a track with its styles, or without them after a failure. */
  showStyledSubtitles(address: string, video: HTMLVideoElement, host: HTMLElement): () => void {
    const { chosen } = this;
    const request = new AbortController();
    const fail = () => {
      if (request.signal.aborted) return;
      this.#plain = chosen;
      this.unstyled = true;
      window.setTimeout(() => (this.unstyled = false), REMARK);
    };
    import('../styled/layer')
      .then(({ showStyledSubtitles }) => showStyledSubtitles(address, video, host, request.signal, fail))
      .catch(fail);
    return () => request.abort();
  }
}
