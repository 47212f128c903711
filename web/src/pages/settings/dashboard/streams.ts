/** Rows of the activity: a player reads a file by several requests, which are one row. */
import type { Stream } from '../../../api/reports/dashboard';

export interface StreamRow extends Pick<Stream, 'user' | 'device' | 'kind' | 'item_id' | 'title'> {
  key: string;
  /** Sent bytes of all requests. */
  sent: number;
  /** Bytes per second of the requests that are not idle. */
  rate: number;
  /** True if nothing was sent since the previous response. */
  isIdle: boolean;
  /** Start of the first request. */
  started_at: string;
}

/** Sent bytes by request. */
export type Sent = ReadonlyMap<string, number>;

const keyOf = ({ user, device, kind, file_id }: Stream) => [user.id, device, kind, file_id].join(' ');
const requestOf = (stream: Stream) => `${keyOf(stream)} ${stream.started_at}`;

/** Returns the sent bytes, for the comparison with the next response. */
export function sentOf(streams: readonly Stream[]): Sent {
  return new Map(streams.map((stream) => [requestOf(stream), stream.sent]));
}

/** Returns one row for each file that a device of a user reads. `before` is the previous response. */
export function rowsOf(streams: readonly Stream[], before: Sent): StreamRow[] {
  const rows = new Map<string, StreamRow>();
  for (const stream of streams) {
    const { user, device, kind, item_id, title, sent, started_at } = stream;
    const isIdle = stream.rate === 0 || before.get(requestOf(stream)) === sent;
    const rate = isIdle ? 0 : stream.rate;
    const key = keyOf(stream);
    const row = rows.get(key);
    if (!row) {
      rows.set(key, { key, user, device, kind, item_id, title, sent, rate, isIdle, started_at });
      continue;
    }
    row.sent += sent;
    row.rate += rate;
    row.isIdle &&= isIdle;
    if (started_at < row.started_at) row.started_at = started_at;
  }
  return [...rows.values()];
}
