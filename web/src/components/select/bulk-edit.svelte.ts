/** Edits of the selection, with one undo at a time. */
import { ApiError } from '../../api/client';
import { BulkApi } from '../../api/bulk';
import { errorText } from '../../api/error-text';
import type { BulkSet } from '../../api/models';
import type { App } from '../../app/context';
import { t } from '../../i18n';
import '../../i18n/lists/select';
import { MOST_FILTERED, MOST_IDS, type Selection } from './selection.svelte';

/** Keys of cached responses that an edit changes. */
const CHANGED = ['item', 'letters', 'home', 'search', 'history', 'facets', 'tags:', 'genres'];

/** A message, and the edit that it offers to undo. */
export interface Notice {
  text: string;
  batch: number | null;
  isError: boolean;
}

export class BulkEdit {
  notice = $state.raw<Notice | null>(null);
  busy = $state(false);
  readonly #api: BulkApi;

  constructor(
    private readonly app: Pick<App, 'api' | 'cache'>,
    private readonly selection: Pick<Selection, 'request' | 'count' | 'isAll'>,
  ) {
    this.#api = new BulkApi(app.api);
  }

  /** Applies values to the selected items. Returns true if the server accepted them. */
  apply(set: BulkSet, lock = true): Promise<boolean> {
    return this.#run(async () => {
      const { batch, changed } = await this.#api.edit(this.#items(), set, lock);
      this.#refresh();
      this.#say(changed === 0 ? t('select.unchanged') : t('select.done', { count: changed }), batch);
    });
  }

  /** Queries the metadata providers about the selected items. */
  refresh(): Promise<boolean> {
    return this.#run(async () => {
      const items = this.#items();
      if (!('ids' in items)) throw new TypeError(t('select.tooMany', { count: MOST_IDS }));
      await this.#api.refresh(items.ids);
      this.#say(t('select.refreshing', { count: items.ids.length }));
    });
  }

  /** Undoes the edit of the notice. */
  undo(batch: number): Promise<boolean> {
    return this.#run(async () => {
      const { restored, skipped } = await this.#api.undo(batch);
      this.#refresh();
      const parts = [t('select.undone', { count: restored })];
      if (skipped > 0) parts.push(t('select.skipped', { count: skipped }));
      this.#say(parts.join(' '));
    });
  }

  dismiss(): void {
    this.notice = null;
  }

  #items() {
    const items = this.selection.request;
    if ('ids' in items && items.ids.length > MOST_IDS)
      throw new TypeError(t('select.tooMany', { count: MOST_IDS }));
    if ('expected' in items && items.expected > MOST_FILTERED)
      throw new TypeError(t('select.tooManyByFilter', { count: MOST_FILTERED }));
    return items;
  }

  async #run(work: () => Promise<void>): Promise<boolean> {
    if (this.busy) return false;
    this.busy = true;
    try {
      await work();
      return true;
    } catch (error) {
      const isStale = error instanceof ApiError && error.status === 412;
      if (isStale) this.#refresh();
      const text = isStale
        ? t('select.changedList')
        : error instanceof TypeError
          ? error.message
          : errorText(error);
      this.notice = { text, batch: null, isError: true };
      return false;
    } finally {
      this.busy = false;
    }
  }

  #say(text: string, batch: number | null = null): void {
    this.notice = { text, batch, isError: false };
  }

  #refresh(): void {
    for (const prefix of CHANGED) this.app.cache.expire(prefix);
  }
}
