/** The subtitles of a film: which there are, which of them is shown, and whether the page or the browser draws them. */
import type { ApiClient } from '../../api/client';
import type { Subtitles } from '../../api/types';
import { keepWish, wish } from './habits';
import { styledUrl, wished } from './subtitles';

/** Milliseconds for which the page tells that styles could not be shown. */
const REMARK = 8000;

export class SubtitleTracks {
  list = $state.raw<Subtitles[]>([]);
  chosen = $state('');
  /** The film is in a window of its own, into which the page cannot draw. */
  isOutside = $state(false);
  /** True for a while after the styles of a track could not be shown. */
  unstyled = $state(false);
  /** The track whose styles could not be shown. */
  #plain = $state('');

  readonly shown = $derived(this.list.find((track) => track.id === this.chosen) ?? null);
  /** The address of the shown track with its styles; null where the track has none, or they cannot be shown. */
  readonly styled = $derived(
    this.shown && this.shown.id !== this.#plain && !this.isOutside ? styledUrl(this.shown) : null,
  );

  /** Reads which tracks a file has; the function returned stops that. */
  load(api: Pick<ApiClient, 'subtitles'>, file: number): () => void {
    const request = new AbortController();
    this.list = [];
    this.chosen = '';
    // A film plays without them, too.
    api.subtitles(file, request.signal).then(
      ({ items }) => {
        this.list = items;
        this.chosen = wished(items, wish(), navigator.languages)?.id ?? '';
      },
      () => {},
    );
    return () => request.abort();
  }

  choose(id: string): void {
    this.chosen = id;
    keepWish(this.list.find((track) => track.id === id) ?? null);
  }

  /** Follows a film into a window of its own and back: picture in picture, and the full screen of an iPhone. */
  follow(video: HTMLVideoElement): () => void {
    const listening = new AbortController();
    const { signal } = listening;
    for (const event of ['enterpictureinpicture', 'webkitbeginfullscreen'])
      video.addEventListener(event, () => (this.isOutside = true), { signal });
    for (const event of ['leavepictureinpicture', 'webkitendfullscreen'])
      video.addEventListener(event, () => (this.isOutside = false), { signal });
    return () => listening.abort();
  }

  /** Shows a track with its styles; where that fails it is shown without. */
  showStyled(address: string, video: HTMLVideoElement, host: HTMLElement): () => void {
    const { chosen } = this;
    const request = new AbortController();
    const fail = () => {
      if (request.signal.aborted) return;
      this.#plain = chosen;
      this.unstyled = true;
      window.setTimeout(() => (this.unstyled = false), REMARK);
    };
    import('./styled/layer')
      .then(({ showStyled }) => showStyled(address, video, host, request.signal, fail))
      .catch(fail);
    return () => request.abort();
  }
}
