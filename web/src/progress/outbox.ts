/** Positions that the server has not confirmed: the latest of each file, of one user. They survive reloads. */
import type { ProgressWrite } from '../api/client';
import type { KeyValueStore } from '../lib/env';

export interface PendingWrite extends ProgressWrite {
  item_id: number;
  recorded_at: string;
}

const CAPACITY = 200;

export class Outbox {
  #name: string | null = null;
  #pending = new Map<number, PendingWrite>();

  constructor(private readonly store: KeyValueStore) {}

  /** Switches to another user: positions are never sent for a different user. */
  open(user: number | null): void {
    this.#name = user === null ? null : `outbox.${user}`;
    this.#pending = new Map(this.#read().map((write) => [write.file_id, write]));
  }

  /** The user of these positions. */
  get owner(): string | null {
    return this.#name;
  }

  get all(): PendingWrite[] {
    return [...this.#pending.values()];
  }

  of(file: number): PendingWrite | undefined {
    return this.#pending.get(file);
  }

  put(write: PendingWrite): void {
    this.#pending.delete(write.file_id);
    this.#pending.set(write.file_id, write);
    const oldest = this.#pending.keys().next();
    if (this.#pending.size > CAPACITY && !oldest.done) this.#pending.delete(oldest.value);
    this.#save();
  }

  /** Removes delivered positions of that user, unless a newer one replaced them. */
  remove(write: PendingWrite, owner = this.#name): void {
    if (owner !== this.#name) {
      const others = this.#read(owner).filter((one) => !isSame(one, write));
      return this.#save(owner, others);
    }
    const pending = this.#pending.get(write.file_id);
    if (!pending || !isSame(pending, write)) return;
    this.#pending.delete(write.file_id);
    this.#save();
  }

  forget(item: number): void {
    for (const write of this.all) if (write.item_id === item) this.#pending.delete(write.file_id);
    this.#save();
  }

  #save(owner = this.#name, all = this.all): void {
    if (owner !== null) this.store.set(owner, JSON.stringify(all));
  }

  #read(owner = this.#name): PendingWrite[] {
    const text = owner === null ? null : this.store.get(owner);
    try {
      const list: unknown = JSON.parse(text ?? '[]');
      return Array.isArray(list) ? list.filter(isPendingWrite) : [];
    } catch {
      return []; // not written by this version
    }
  }
}

const isSame = (one: PendingWrite, other: PendingWrite) =>
  one.file_id === other.file_id && one.recorded_at === other.recorded_at;

function isPendingWrite(value: unknown): value is PendingWrite {
  const write = value as Partial<PendingWrite> | null;
  return (
    typeof write?.item_id === 'number' &&
    typeof write.file_id === 'number' &&
    typeof write.position === 'number' &&
    typeof write.recorded_at === 'string'
  );
}
