/** The selected items of the visible list: single ids, or all items of its filter. */
import type { ItemQuery } from '../../api/client';
import type { Card } from '../../api/models';
import { t } from '../../i18n';
import '../../i18n/lists/select';
import { Refused } from './refused';

/** Limit of ids in one edit. */
export const MOST_IDS = 1000;
/** Limit of items that a filter may select in one edit. */
export const MOST_FILTERED = 10_000;
/** Page size of requests for ids. */
const CHUNK = 500;
/** Parameters of a list that are no filters. */
const ORDER = ['sort', 'order', 'seed', 'offset', 'limit'];

/** A list in pages, some of which are loaded. */
export interface ItemPages {
  readonly first: { data?: { total: number } | undefined };
  /** Returns the item at `index` if its page is loaded. */
  at(index: number): Card | undefined;
  fetch(window: { offset: number; limit: number }): Promise<{ items: Card[] }>;
  /** Selects all items of the list in an edit. Lists without a filter are selected by ids only. */
  readonly filter?: ItemQuery;
}

/** A list whose items can be selected: pages, or all cards. */
export type List = ItemPages | readonly Card[];

export function isPaged(list: List): list is ItemPages {
  return !Array.isArray(list);
}

/** Items of an edit, as the API expects them. */
export type Selected = { ids: number[] } | { filter: Record<string, unknown>; expected: number };

export class Selection {
  /** True while clicks select items instead of opening them. */
  active = $state(false);
  #ids = $state.raw<ReadonlySet<number>>(new Set());
  #all = $state.raw<{ filter: ItemQuery; total: number } | null>(null);
  #list: List | null = null;
  #total = $state(0);
  /** The last selected item of the list, from which a range begins. */
  #anchor: { index: number; id: number | null } | null = null;
  /** True if other lists contain some of the selected items. */
  #isMixed = $state(false);
  /** Changes with each selection, so that an older range that arrives late is ignored. */
  #turn = 0;

  /** Called with the error of a failed request, or with a refusal. */
  onerror: (error: unknown) => void = () => {};

  /** Number of selected items. */
  get count(): number {
    return this.#all?.total ?? this.#ids.size;
  }

  /** Number of items of the list, or 0 if it is unknown. */
  get total(): number {
    return this.#total;
  }

  get isAll(): boolean {
    if (this.#all) return true;
    return !this.#isMixed && this.#total > 0 && this.#ids.size === this.#total;
  }

  has(id: number): boolean {
    return this.#all !== null || this.#ids.has(id);
  }

  /** Selects an item, or removes it from the selection. */
  toggle(list: List, total: number, index: number, id: number): void {
    if (this.#isFixed()) return;
    this.#enter(list, total);
    this.#turn += 1;
    this.#anchor = { index, id };
    const ids = new Set(this.#ids);
    if (!ids.delete(id)) ids.add(id);
    this.#ids = ids;
  }

  /** Selects all items from the last selected one to this one. */
  async extend(list: List, total: number, index: number): Promise<void> {
    if (this.#isFixed()) return;
    this.#enter(list, total);
    const anchor = (this.#anchor ??= { index, id: isPaged(list) ? null : (list[index]?.id ?? null) });
    const [from, to] = anchor.index < index ? [anchor.index, index] : [index, anchor.index];
    if (to - from >= MOST_IDS) {
      this.onerror(new Refused(t('select.tooMany', { count: MOST_IDS })));
      return;
    }
    const found = await this.#request(list, from, to);
    if (found) this.#ids = new Set([...this.#ids, ...found]);
  }

  /** Selects the whole list: its ids if they fit into one edit, otherwise its filter. */
  async selectAll(list: List | null = this.#list, total = this.#total) {
    if (!list || total === 0) return;
    const filter = isPaged(list) ? list.filter : undefined;
    if (total > MOST_IDS && !filter) {
      this.onerror(new Refused(t('select.tooMany', { count: MOST_IDS })));
      return;
    }
    this.#enter(list, total);
    if (filter && total > MOST_IDS) {
      this.#turn += 1;
      this.#all = { filter, total };
      this.#ids = new Set();
      return;
    }
    const found = await this.#request(list, 0, total - 1);
    if (!found) return;
    this.#ids = new Set(found);
    this.#all = null;
    this.#isMixed = false;
  }

  /** Ends select mode. */
  end(): void {
    this.#turn += 1;
    this.active = false;
    this.#ids = new Set();
    this.#all = null;
    this.#list = null;
    this.#total = 0;
    this.#anchor = null;
    this.#isMixed = false;
  }

  /** Returns the selected items for an edit. */
  get request(): Selected {
    if (!this.#all) return { ids: [...this.#ids] };
    const filter = Object.entries(this.#all.filter).filter(
      ([name, value]) => value != null && value !== '' && !ORDER.includes(name),
    );
    return { filter: Object.fromEntries(filter), expected: this.#all.total };
  }

  #enter(list: List, total: number): void {
    this.active = true;
    if (!this.#isSame(list)) {
      this.#anchor = null;
      this.#isMixed = this.#ids.size > 0;
    }
    this.#list = list;
    this.#total = total;
  }

  /** Returns true for the current list. Cards that were fetched again are another array with the same items. */
  #isSame(list: List): boolean {
    if (list === this.#list) return true;
    const anchor = this.#anchor;
    if (!this.#list || !anchor || isPaged(list) || isPaged(this.#list)) return false;
    return list[anchor.index]?.id === anchor.id;
  }

  /** Returns true after the selection of a filter, which has no single items to change. */
  #isFixed(): boolean {
    if (this.#all) this.onerror(new Refused(t('select.fixed')));
    return this.#all !== null;
  }

  /** Returns the ids of a range, or null after an error or a later selection. */
  async #request(list: List, from: number, to: number): Promise<number[] | null> {
    const turn = (this.#turn += 1);
    try {
      const found = await idsOf(list, from, to);
      return turn === this.#turn ? found : null;
    } catch (error) {
      if (turn === this.#turn) this.onerror(error);
      return null;
    }
  }
}

/** Returns the ids of a range of a list. Both ends are inclusive. Missing pages are requested. */
async function idsOf(list: List, from: number, to: number): Promise<number[]> {
  if (!isPaged(list)) return list.slice(from, to + 1).map(({ id }) => id);
  const loaded = Array.from({ length: to - from + 1 }, (_, n) => list.at(from + n)?.id);
  if (loaded.every((id) => id !== undefined)) return loaded;
  const ids: number[] = [];
  for (let offset = from; offset <= to; offset += CHUNK) {
    const limit = Math.min(CHUNK, to - offset + 1);
    const page = await list.fetch({ offset, limit });
    ids.push(...page.items.map(({ id }) => id));
  }
  return ids;
}

/** The selection of the visible page: at most one list is being selected. */
export const selection = new Selection();
