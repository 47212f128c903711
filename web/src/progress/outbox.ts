/** Places that the server has not confirmed yet, kept over reloads: the newest of each file, for one person. */
import type { ProgressWrite } from '../api/client';

export interface Kept extends ProgressWrite {
  item_id: number;
  recorded_at: string;
}

export interface Shelf {
  get(name: string): string | null;
  set(name: string, value: string): void;
}

const CAPACITY = 200;

export class Outbox {
  #name: string | null = null;
  #kept = new Map<number, Kept>();

  constructor(private readonly shelf: Shelf) {}

  /** From here on for this person; nobody's places are sent in another's name. */
  open(user: number | null): void {
    this.#name = user === null ? null : `outbox.${user}`;
    this.#kept = new Map(this.#read().map((write) => [write.file_id, write]));
  }

  get all(): Kept[] {
    return [...this.#kept.values()];
  }

  of(file: number): Kept | undefined {
    return this.#kept.get(file);
  }

  put(write: Kept): void {
    this.#kept.delete(write.file_id);
    this.#kept.set(write.file_id, write);
    const oldest = this.#kept.keys().next();
    if (this.#kept.size > CAPACITY && !oldest.done) this.#kept.delete(oldest.value);
    this.#save();
  }

  /** Takes out what has arrived, unless a newer place stands there by now. */
  remove(write: Kept): void {
    if (this.#kept.get(write.file_id)?.recorded_at !== write.recorded_at) return;
    this.#kept.delete(write.file_id);
    this.#save();
  }

  forget(item: number): void {
    for (const write of this.all) if (write.item_id === item) this.#kept.delete(write.file_id);
    this.#save();
  }

  #save(): void {
    if (this.#name !== null) this.shelf.set(this.#name, JSON.stringify(this.all));
  }

  #read(): Kept[] {
    const text = this.#name === null ? null : this.shelf.get(this.#name);
    try {
      const list: unknown = JSON.parse(text ?? '[]');
      return Array.isArray(list) ? list.filter(isKept) : [];
    } catch {
      return []; // written by something else
    }
  }
}

function isKept(value: unknown): value is Kept {
  const write = value as Partial<Kept> | null;
  return (
    typeof write?.item_id === 'number' &&
    typeof write.file_id === 'number' &&
    typeof write.position === 'number' &&
    typeof write.recorded_at === 'string'
  );
}
