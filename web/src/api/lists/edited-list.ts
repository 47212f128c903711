/** The version of a list that a form edits. Refetches do not raise it: a save then detects changes of other devices. */
import { ApiError } from '../client';
import type { Query } from '../query.svelte';

export const isStale = (error: unknown): boolean => error instanceof ApiError && error.status === 412;

export class EditedList<List extends { version: number }> {
  #version: number;

  /** `list` is the content of the form, and `query` its response in the cache. */
  constructor(
    private readonly query: Query<List>,
    list: List,
  ) {
    this.#version = list.version;
  }

  /** Sends a change. A 412 is thrown after the current list was read, and the next attempt replaces that. */
  async save(change: (version: number) => Promise<List>): Promise<List> {
    try {
      const saved = await change(this.#version);
      this.query.set(saved);
      return saved;
    } catch (error) {
      if (isStale(error)) await this.#reread();
      throw error;
    }
  }

  /** The form shows another version now. */
  adopt({ version }: List): void {
    this.#version = version;
  }

  async #reread(): Promise<void> {
    await this.query.refetch();
    this.#version = this.query.data?.version ?? this.#version;
  }
}
