/** Processor time of the decoder's thread, from the system. */
import { readdirSync, readFileSync } from 'node:fs';

/** Names of the threads of workers in Chromium and Firefox. */
const WORKER = /DedicatedWorker|DOM Worker|decoder/;
/** Ticks of a second, for `utime` and `stime`. */
const TICKS = 100;

const numbers = (path) => readdirSync(path).filter((name) => /^\d+$/.test(name));

/** Fields of a `stat` file after the name, which can contain spaces. */
function fieldsOf(path) {
  const text = readFileSync(path, 'utf8');
  const end = text.lastIndexOf(')');
  return { name: text.slice(text.indexOf('(') + 1, end), fields: text.slice(end + 2).split(' ') };
}

/** Returns the processes that this one has started, directly or not. */
function descendants() {
  const parents = new Map();
  for (const id of numbers('/proc')) {
    try {
      parents.set(id, fieldsOf(`/proc/${id}/stat`).fields[1]);
    } catch {
      // It has just ended.
    }
  }
  const isBelow = (id) =>
    id !== undefined && id !== '0' && (id === `${process.pid}` || isBelow(parents.get(id)));
  return [...parents.keys()].filter((id) => isBelow(parents.get(id)));
}

/** Returns the processes of browsers that this process has started. */
export function browserProcesses() {
  const isServer = (id) => fieldsOf(`/proc/${id}/stat`).name === 'ledge';
  return descendants()
    .filter((id) => !isServer(id))
    .map(Number);
}

/** Returns the seconds that workers of the browser have used by thread; empty on systems without `/proc`. */
export function workerTimes() {
  const times = new Map();
  try {
    for (const id of descendants())
      for (const thread of numbers(`/proc/${id}/task`)) {
        const { name, fields } = fieldsOf(`/proc/${id}/task/${thread}/stat`);
        if (WORKER.test(name)) times.set(thread, (Number(fields[11]) + Number(fields[12])) / TICKS);
      }
  } catch {
    // A thread has ended, or the system has no such files.
  }
  return times;
}

/** Returns the seconds that the busiest worker has used since `before`. */
export function usedSince(before) {
  const used = [...workerTimes()].map(([thread, time]) => time - (before.get(thread) ?? 0));
  return Math.max(0, ...used);
}
