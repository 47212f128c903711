/** Places that the server has not confirmed yet, kept over reloads: the newest of each file, for one person. */
import type { ProgressWrite } from '../api/client';

export interface Kept extends ProgressWrite {
  item_id: number;
  recorded_at: string;
}

export interface Store {
  get(name: string): string | null;
  set(name: string, value: string): void;
}

const CAPACITY = 200;

export class Outbox {
  #name: string | null = null;
  #kept = new Map<number, Kept>();

  constructor(private readonly store: Store) {}

  /** From here on for this person; nobody's places are sent in another's name. */
  open(user: number | null): void {
    this.#name = user === null ? null : `outbox.${user}`;
    this.#kept = new Map(this.#read().map((write) => [write.file_id, write]));
  }

  /** Whose places these are. */
  get owner(): string | null {
    return this.#name;
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

  /** Takes out what has arrived, unless a newer place stands there by now: of whom it is, whoever sits here. */
  remove(write: Kept, owner = this.#name): void {
    if (owner !== this.#name) {
      const others = this.#read(owner).filter((one) => !isSame(one, write));
      return this.#save(owner, others);
    }
    const kept = this.#kept.get(write.file_id);
    if (!kept || !isSame(kept, write)) return;
    this.#kept.delete(write.file_id);
    this.#save();
  }

  forget(item: number): void {
    for (const write of this.all) if (write.item_id === item) this.#kept.delete(write.file_id);
    this.#save();
  }

  #save(owner = this.#name, all = this.all): void {
    if (owner !== null) this.store.set(owner, JSON.stringify(all));
  }

  #read(owner = this.#name): Kept[] {
    const text = owner === null ? null : this.store.get(owner);
    try {
      const list: unknown = JSON.parse(text ?? '[]');
      return Array.isArray(list) ? list.filter(isKept) : [];
    } catch {
      return []; // written by something else
    }
  }
}

const isSame = (one: Kept, other: Kept) =>
  one.file_id === other.file_id && one.recorded_at === other.recorded_at;

function isKept(value: unknown): value is Kept {
  const write = value as Partial<Kept> | null;
  return (
    typeof write?.item_id === 'number' &&
    typeof write.file_id === 'number' &&
    typeof write.position === 'number' &&
    typeof write.recorded_at === 'string'
  );
}
