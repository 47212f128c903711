/** Changes of the owner to a list on its page: moves, removals, their undo, and the messages about them. */
import type { Key } from '../../../i18n';
import { t } from '../../../i18n';
import '../../../i18n/lists/entries';
import { errorText } from '../../../api/error-text';
import type { PagedList } from '../../../api/lists/paged-list';
import type { Query } from '../../../api/query.svelte';
import type { Choice } from '../../ui/Menu.svelte';
import { EntryEditor, type ListApi } from './entry-editor.svelte';

interface Options<Entry, List> {
  entries: PagedList<Entry>;
  /** The list without its entries. */
  query: Query<List>;
  texts: Record<'stale' | 'earlier' | 'later' | 'remove', Key>;
  api: ListApi<Entry, List>;
  /** The server applied a change. */
  saved(): void;
  /** The list is out of date. */
  reload(): void;
  /** Moves the focus to an entry, or, without any entry, to the heading. */
  focus(index: number | null): void;
}

export class ListEditing<Entry extends { id: number; title: string }, List extends { version: number }> {
  /** The latest change, for screen readers. */
  announcement = $state('');
  /** The error of another action. */
  problem = $state('');
  #removed = $state.raw<{ entry: Entry; index: number } | null>(null);
  readonly #editor: EntryEditor<Entry, List>;

  constructor(private readonly options: Options<Entry, List>) {
    const { api, entries, query, saved, reload } = options;
    this.#editor = new EntryEditor<Entry, List>(api, entries, {
      version: () => query.data?.version ?? 0,
      saved: (list) => {
        query.set(list);
        saved();
      },
      added: (version) => {
        if (query.data) query.set({ ...query.data, version });
        reload();
      },
      reload,
    });
  }

  /** The error of the latest change, or of another action. */
  get message(): string {
    const { problem } = this.#editor;
    if (!problem) return this.problem;
    return problem.isStale ? t(this.options.texts.stale) : errorText(problem.error);
  }

  /** The latest removed entry until the next change. An entry whose removal was rejected is still there. */
  get removed(): { entry: Entry; index: number } | null {
    return this.#editor.problem ? null : this.#removed;
  }

  get #total(): number {
    return this.options.entries.first.data?.total ?? 0;
  }

  move(entry: Entry, from: number, to: number): void {
    this.#begin();
    this.#editor.move(entry.id, from, to);
    this.announcement = t('playlist.moved', { title: entry.title, n: to + 1, of: this.#total });
  }

  /** Moves an entry within the list, and keeps the focus on it. */
  moveTo(entry: Entry, from: number, to: number): void {
    if (to < 0 || to >= this.#total || to === from) return;
    this.move(entry, from, to);
    this.options.focus(to);
  }

  remove(entry: Entry, index: number): void {
    this.#begin();
    this.#editor.remove(entry.id, index);
    this.#removed = { entry, index };
    this.announcement = t('playlist.removed', { title: entry.title });
    this.#focusNear(index);
  }

  /** Adds the removed entry again, at its index. */
  async undo(): Promise<void> {
    const { removed } = this;
    if (!removed) return;
    this.#begin();
    const { entry, index } = removed;
    const total = this.#total;
    const at = Math.min(index, total);
    this.#editor.add(entry, at);
    // The button disappears.
    this.#focusNear(index);
    await this.#editor.settled();
    if (this.#editor.problem) return;
    this.announcement = t('playlist.moved', { title: entry.title, n: at + 1, of: total + 1 });
  }

  /** Hides the removed entry. */
  dismiss(): void {
    const { removed } = this;
    this.#removed = null;
    if (removed) this.#focusNear(removed.index);
  }

  /** Returns the moves of an entry and its removal as choices of a menu. */
  choicesOf(entry: Entry, index: number): Choice[] {
    const { texts } = this.options;
    const last = this.#total - 1;
    const moves: [isPossible: boolean, text: Key, to: number][] = [
      [index > 0, texts.earlier, index - 1],
      [index < last, texts.later, index + 1],
      [index > 1, 'playlist.first', 0],
      [index < last - 1, 'playlist.last', last],
    ];
    return [
      ...moves
        .filter(([isPossible]) => isPossible)
        .map(([, text, to]): Choice => ({
          text: t(text),
          icon: to < index ? 'sortUp' : 'sortDown',
          act: () => this.moveTo(entry, index, to),
        })),
      { text: t(texts.remove), icon: 'trash', act: () => this.remove(entry, index) },
    ];
  }

  #begin(): void {
    this.problem = '';
    this.#removed = null;
  }

  #focusNear(index: number): void {
    const total = this.#total;
    this.options.focus(total > 0 ? Math.min(index, total - 1) : null);
  }
}

/** Focuses an entry by `focus`, or the heading of the page without entries. */
export function focusEntry(focus: ((index: number) => unknown) | undefined, index: number | null): void {
  if (index !== null && focus) focus(index);
  else document.querySelector<HTMLElement>('main h1[tabindex]')?.focus({ preventScroll: true });
}
