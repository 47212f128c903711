/** The current entry of the queue that the server saved, to continue it on this device. */
import type { ListEntry, Queue } from '../../api/models';

export interface Offer {
  /** Null if the queue is empty, or its current entry is not visible. */
  entry: ListEntry | null;
  /** Seconds in the current entry. */
  position: number;
  version: number;
}

export interface QueueReader {
  get(query: { offset: number; limit: number }): Promise<Queue>;
}

/** Seconds before the end of the last entry in which the queue has nothing left to continue. */
const END = 10;

/** Reads the current entry, with one or two small requests. */
export async function readOffer(api: QueueReader): Promise<Offer> {
  const { items, current, position, total, version } = await api.get({ offset: 0, limit: 1 });
  if (current === null) return { entry: null, position: 0, version };
  const page = current === 0 ? items : (await api.get({ offset: current, limit: 1 })).items;
  const entry = page[0] ?? null;
  const isOver =
    current === total - 1 && entry?.duration != null && position >= Math.max(1, entry.duration - END);
  return { entry: isOver || entry?.missing ? null : entry, position, version };
}
