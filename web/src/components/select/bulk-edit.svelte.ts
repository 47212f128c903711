/** Edits of the selection, with one undo at a time. */
import { ApiError } from '../../api/client';
import { BulkApi } from '../../api/bulk';
import { errorText } from '../../api/error-text';
import { expireItems } from '../../api/items/item-keys';
import type { BulkSet } from '../../api/models';
import type { App } from '../../app/context';
import { t } from '../../i18n';
import '../../i18n/lists/select';
import { Refused } from './refused';
import { MOST_FILTERED, MOST_IDS, type Selection } from './selection.svelte';

/** A message, and the edit that it offers to undo. */
export interface Notice {
  text: string;
  batch: number | null;
  isError: boolean;
}

/** The result of a request. */
interface Done {
  text: string;
  batch?: number | null;
  /** True if cached items are out of date. */
  changes: boolean;
}

export class BulkEdit {
  notice = $state.raw<Notice | null>(null);
  busy = $state(false);
  readonly #api: BulkApi;
  /** Changes with the user, so that the result of an older edit is ignored. */
  #turn = 0;

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
      const text = changed === 0 ? t('select.unchanged') : t('select.done', { count: changed });
      return { text, batch, changes: true };
    });
  }

  /** Queries the metadata providers about the selected items. */
  refresh(): Promise<boolean> {
    return this.#run(async () => {
      const items = this.#items();
      if (!('ids' in items)) throw new Refused(t('select.tooMany', { count: MOST_IDS }));
      await this.#api.refresh(items.ids);
      return { text: t('select.refreshing', { count: items.ids.length }), changes: false };
    });
  }

  /** Undoes the edit of the notice. */
  undo(batch: number): Promise<boolean> {
    return this.#run(async () => {
      const { restored, skipped } = await this.#api.undo(batch);
      const parts = [t('select.undone', { count: restored })];
      if (skipped > 0) parts.push(t('select.skipped', { count: skipped }));
      return { text: parts.join(' '), changes: true };
    });
  }

  dismiss(): void {
    this.notice = null;
  }

  /** Forgets the message, its undo, and the result of an edit in flight. */
  reset(): void {
    this.#turn += 1;
    this.notice = null;
    this.busy = false;
  }

  /** Shows the message of an error. */
  report(error: unknown): void {
    const text = error instanceof Refused ? error.message : errorText(error);
    this.notice = { text, batch: null, isError: true };
  }

  #items() {
    const items = this.selection.request;
    if ('ids' in items && items.ids.length > MOST_IDS)
      throw new Refused(t('select.tooMany', { count: MOST_IDS }));
    if ('expected' in items && items.expected > MOST_FILTERED)
      throw new Refused(t('select.tooManyByFilter', { count: MOST_FILTERED }));
    return items;
  }

  /** Shows the message of the work, or its error. Returns true if it succeeded for the current user. */
  async #run(work: () => Promise<Done>): Promise<boolean> {
    if (this.busy) return false;
    const turn = this.#turn;
    this.busy = true;
    try {
      const { text, batch = null, changes } = await work();
      if (turn !== this.#turn) return false;
      if (changes) expireItems(this.app.cache);
      this.notice = { text, batch, isError: false };
      return true;
    } catch (error) {
      if (turn !== this.#turn) return false;
      const isStale = error instanceof ApiError && error.status === 412;
      if (isStale) expireItems(this.app.cache);
      this.report(isStale ? new Refused(t('select.changedList')) : error);
      return false;
    } finally {
      if (turn === this.#turn) this.busy = false;
    }
  }
}
