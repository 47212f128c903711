/** The selected items of the visible list: single ids, or all items of its filter. */
import type { ApiClient, ItemQuery } from '../../api/client';
import type { Card } from '../../api/models';
import type { PagedItems } from '../../catalogue/paged-items.svelte';

/** Limit of ids in one edit. */
export const MOST_IDS = 1000;
/** Limit of items that a filter may select in one edit. */
export const MOST_FILTERED = 10_000;
/** Page size of requests for ids. */
const CHUNK = 500;
/** Parameters of a list that are no filters. */
const ORDER = ['sort', 'order', 'seed', 'offset', 'limit'];

/** A list whose items can be selected: pages, or all cards. */
export type List = PagedItems | readonly Card[];

/** Returns true for a list in pages. An import of the class would move it into a part of its own. */
export function isPaged(list: List): list is PagedItems {
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
  /** Index of the last selected item, from which a range begins. */
  #anchor: number | null = null;
  /** Changes with each selection, so that an older range that arrives late is ignored. */
  #turn = 0;

  /** Number of selected items. */
  get count(): number {
    return this.#all?.total ?? this.#ids.size;
  }

  /** Number of items of the list, or 0 if it is unknown. */
  get total(): number {
    return this.#total;
  }

  get isAll(): boolean {
    return this.#all !== null || (this.#total > 0 && this.#ids.size === this.#total);
  }

  has(id: number): boolean {
    return this.#all !== null || this.#ids.has(id);
  }

  /** Selects an item, or removes it from the selection. */
  toggle(list: List, total: number, index: number, id: number): void {
    this.#enter(list, total);
    this.#turn += 1;
    this.#anchor = index;
    const ids = new Set(this.#all ? [] : this.#ids);
    if (!this.#all && ids.delete(id)) this.#ids = ids;
    else this.#ids = ids.add(id);
    this.#all = null;
  }

  /** Selects all items from the last selected one to this one. */
  async extend(api: Pick<ApiClient, 'items'>, list: List, total: number, index: number): Promise<void> {
    this.#enter(list, total);
    const anchor = this.#anchor ?? index;
    const [from, to] = anchor < index ? [anchor, index] : [index, anchor];
    const turn = (this.#turn += 1);
    const found = await idsOf(api, list, from, Math.min(to, from + MOST_IDS));
    if (turn !== this.#turn) return;
    this.#ids = new Set([...(this.#all ? [] : this.#ids), ...found]);
    this.#all = null;
    this.#anchor ??= index;
  }

  /** Selects the whole list: its ids if they fit into one edit, otherwise its filter. */
  async selectAll(api: Pick<ApiClient, 'items'>, list: List | null = this.#list, total = this.#total) {
    if (!list || total === 0) return;
    this.#enter(list, total);
    const turn = (this.#turn += 1);
    if (isPaged(list) && total > MOST_IDS) {
      this.#all = { filter: list.filter, total };
      this.#ids = new Set();
      return;
    }
    const found = await idsOf(api, list, 0, total - 1);
    if (turn !== this.#turn) return;
    this.#ids = new Set(found);
    this.#all = null;
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
    this.#list = list;
    this.#total = total;
  }
}

/** Returns the ids of a range of a list. Both ends are inclusive. Missing pages are requested. */
async function idsOf(api: Pick<ApiClient, 'items'>, list: List, from: number, to: number): Promise<number[]> {
  if (!isPaged(list)) return list.slice(from, to + 1).map(({ id }) => id);
  const loaded = Array.from({ length: to - from + 1 }, (_, n) => list.at(from + n)?.id);
  if (loaded.every((id) => id !== undefined)) return loaded;
  const ids: number[] = [];
  for (let offset = from; offset <= to; offset += CHUNK) {
    const limit = Math.min(CHUNK, to - offset + 1);
    const page = await api.items({ ...list.filter, offset, limit });
    ids.push(...page.items.map(({ id }) => id));
  }
  return ids;
}

/** The selection of the visible page: at most one list is being selected. */
export const selection = new Selection();
