/** Saves that did not reach the server yet, kept in the browser's own database until they do. */

import { storage } from '../../lib/env';

export interface KeptSave {
  user: number;
  item: number;
  slot: string;
  core: string;
  bytes: Uint8Array<ArrayBuffer>;
  /** The state of the slot it was made over. */
  over: string | null;
  at: string;
}

const NAME = 'ledge-saves';
const STORE = 'kept';

function open(): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(NAME, 1);
    request.onupgradeneeded = () =>
      request.result.createObjectStore(STORE, { keyPath: ['user', 'item', 'slot'] });
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error ?? new Error('The browser keeps nothing.'));
  });
}

async function inStore<T>(
  mode: IDBTransactionMode,
  work: (store: IDBObjectStore) => IDBRequest<T>,
): Promise<T> {
  const database = await open();
  try {
    return await new Promise((resolve, reject) => {
      const transaction = database.transaction(STORE, mode);
      const request = work(transaction.objectStore(STORE));
      transaction.oncomplete = () => resolve(request.result);
      transaction.onerror = () => reject(transaction.error ?? new Error('The browser keeps nothing.'));
      transaction.onabort = transaction.onerror;
    });
  } finally {
    database.close();
  }
}

/** Tells the next start of the page that something waits: it does not look into the database otherwise. */
export const WAITING = 'saves.waiting';

export function keep(save: KeptSave): Promise<unknown> {
  storage.set(WAITING, 'yes');
  return inStore('readwrite', (store) => store.put(save));
}

/** The database, opened ahead: a page that goes away has no time left for opening it. */
export class StandBy {
  private constructor(private readonly database: IDBDatabase) {}

  static async open(): Promise<StandBy | null> {
    return open().then(
      (database) => new StandBy(database),
      () => null, // a browser that keeps nothing
    );
  }

  /** Hands a save over and waits for nothing. */
  keep(save: KeptSave): void {
    storage.set(WAITING, 'yes');
    try {
      const transaction = this.database.transaction(STORE, 'readwrite');
      transaction.objectStore(STORE).put(save);
      transaction.commit();
    } catch {
      // The last save that arrived has to do.
    }
  }

  close(): void {
    this.database.close();
  }
}

export const forget = ({ user, item, slot }: Pick<KeptSave, 'user' | 'item' | 'slot'>): Promise<unknown> =>
  inStore('readwrite', (store) => store.delete([user, item, slot]));

/** All of one person's, of one game or of all; none where the browser keeps nothing. */
export async function keptSaves(user: number, item?: number): Promise<KeptSave[]> {
  const range =
    item === undefined
      ? IDBKeyRange.bound([user], [user, []])
      : IDBKeyRange.bound([user, item], [user, item, []]);
  try {
    return (await inStore('readonly', (store) => store.getAll(range))) as KeptSave[];
  } catch {
    return [];
  }
}
