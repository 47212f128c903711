/** Marks of episodes as watched or unwatched, with an undo of the last one. */
import { errorText } from '../../api/error-text';
import type { Item, MarkFiles, MediaFile } from '../../api/models';
import { ShowsApi } from '../../api/items/shows';
import type { App } from '../../app/context';
import { t } from '../../i18n';
import '../../i18n/lists/shows';
import { ManualProgress } from '../../progress/manual';
import type { LocalProgress } from '../../progress/progress-store.svelte';

/** Files to mark: some, those of a season, or all up to one. */
export type Marked = { files: number[] } | { season: number } | { until: number };

export interface Notice {
  text: string;
  undo: (() => Promise<void>) | null;
  isError: boolean;
}

/** Limit of the files of a request. */
const MOST = 1000;

export class EpisodeMarks {
  notice = $state.raw<Notice | null>(null);
  busy = $state(false);
  readonly #api: ShowsApi;

  constructor(private readonly app: Pick<App, 'api' | 'cache' | 'progressStore'>) {
    this.#api = new ShowsApi(app.api);
  }

  /** Marks files. A second call during a request has no effect. */
  mark(item: Item, what: Marked, finished: boolean): Promise<void> {
    return this.#run(async () => {
      const files = selectedFiles(item, what);
      const before = files.map((file) => ({ file, place: this.app.progressStore.of(file) }));
      const changed = before.filter(({ place }) => (finished ? !place?.finished : place !== null));
      await this.#send(item, { ...what, finished }, files);
      const count = changed.length;
      this.notice = {
        text: t(finished ? 'show.marked' : 'show.unmarked', { count }),
        undo: count === 0 ? null : () => this.#undo(item, changed, finished),
        isError: false,
      };
    });
  }

  dismiss(): void {
    this.notice = null;
  }

  #undo(item: Item, changed: readonly Before[], finished: boolean): Promise<void> {
    return this.#run(async () => {
      const back = changed.filter(({ place }) => finished || place?.finished);
      for (let at = 0; at < back.length; at += MOST) {
        const files = back.slice(at, at + MOST).map(({ file }) => file);
        await this.#send(item, { files: files.map(({ id }) => id), finished: !finished }, files);
      }
      const hand = new ManualProgress(this.app.api, this.app.progressStore);
      for (const { file, place } of changed) {
        if (place === null || place.finished) continue;
        await hand.put(item, file, { position: place.position });
      }
      this.notice = { text: t('show.undone'), undo: null, isError: false };
    });
  }

  async #send(item: Item, what: MarkFiles, files: readonly MediaFile[]): Promise<void> {
    await this.#api.mark(item.id, what);
    this.app.progressStore.drop(item, files);
  }

  async #run(work: () => Promise<void>): Promise<void> {
    if (this.busy) return;
    this.busy = true;
    try {
      await work();
    } catch (error) {
      this.notice = { text: errorText(error), undo: null, isError: true };
    } finally {
      this.busy = false;
    }
  }
}

interface Before {
  file: MediaFile;
  place: LocalProgress | null;
}

/** Returns the files that the server selects: specials precede a regular file, but do not belong to it. */
export function selectedFiles({ files }: Pick<Item, 'files'>, what: Marked): MediaFile[] {
  if ('files' in what) return files.filter(({ id }) => what.files.includes(id));
  if ('season' in what) return files.filter(({ season }) => season === what.season);
  const at = files.findIndex(({ id }) => id === what.until);
  const isSpecial = files[at]?.season === 0;
  return files.slice(0, at + 1).filter(({ season }) => isSpecial || season !== 0);
}
