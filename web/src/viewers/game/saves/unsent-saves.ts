/** Saves that have not reached the server, stored in IndexedDB until they do. */

import { storage } from '../../../lib/env';

export interface UnsentSave {
  user: number;
  item: number;
  slot: string;
  core: string;
  bytes: Uint8Array<ArrayBuffer>;
  /** Checksum of the state that it replaces. */
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

/** Marks that saves wait. Without the mark the next start does not open the database. */
export const WAITING = 'saves.waiting';

export function storeUnsent(save: UnsentSave): Promise<unknown> {
  storage.set(WAITING, 'yes');
  return inStore('readwrite', (store) => store.put(save));
}

/** Opens the database in advance: a closing page has no time for that. */
export class OpenDatabase {
  private constructor(private readonly database: IDBDatabase) {}

  static async open(): Promise<OpenDatabase | null> {
    return open().then(
      (database) => new OpenDatabase(database),
      () => null, // storage is unavailable
    );
  }

  /** Stores a save without waiting. */
  storeUnsent(save: UnsentSave): void {
    storage.set(WAITING, 'yes');
    try {
      const transaction = this.database.transaction(STORE, 'readwrite');
      transaction.objectStore(STORE).put(save);
      transaction.commit();
    } catch {
      // The previous delivered save remains.
    }
  }

  close(): void {
    this.database.close();
  }
}

export const removeUnsent = ({
  user,
  item,
  slot,
}: Pick<UnsentSave, 'user' | 'item' | 'slot'>): Promise<unknown> =>
  inStore('readwrite', (store) => store.delete([user, item, slot]));

/** Returns the saves of one user, of one game or of all; none if storage is unavailable. */
export async function unsentSaves(user: number, item?: number): Promise<UnsentSave[]> {
  const range =
    item === undefined
      ? IDBKeyRange.bound([user], [user, []])
      : IDBKeyRange.bound([user, item], [user, item, []]);
  try {
    return (await inStore('readonly', (store) => store.getAll(range))) as UnsentSave[];
  } catch {
    return [];
  }
}
