/** An import on the server: starts it, and asks for its state until it ends. */
import { Unreachable } from '../../../api/client';
import type { RunningImport } from '../../../api/models';

/** Milliseconds between two requests for the state. */
const PAUSE = 1000;

interface Requests<Request> {
  start: (request: Request) => Promise<{ job_id: number }>;
  get: (job: number, signal: AbortSignal) => Promise<RunningImport>;
}

export class ImportRun<Request extends { dry_run?: boolean }> {
  /** The latest result, also while the next import runs. */
  result = $state.raw<RunningImport | null>(null);
  /** The import that runs: a dry run, or one that writes. */
  running = $state.raw<'check' | 'import' | null>(null);
  /** The error of a request, or the reason of the server. */
  failure = $state.raw<unknown>();
  /** The choices that belong to the result. */
  of = $state('');
  #stop = new AbortController();

  constructor(private readonly requests: Requests<Request>) {}

  /** Runs an import, and resolves at its end. */
  async run(request: Request, fingerprint: string): Promise<void> {
    this.close();
    const { signal } = (this.#stop = new AbortController());
    this.failure = undefined;
    this.running = request.dry_run ? 'check' : 'import';
    try {
      const { job_id } = await this.requests.start(request);
      const result = await this.#ended(job_id, signal);
      if (result.status === 'failed') this.failure = new ImportFailed(result.error ?? '');
      else [this.result, this.of] = [result, fingerprint];
    } catch (error) {
      if (!signal.aborted) this.failure = error ?? true;
    } finally {
      if (!signal.aborted) this.running = null;
    }
  }

  /** Stops asking for the state. The import itself goes on. */
  close(): void {
    this.#stop.abort();
    this.running = null;
  }

  async #ended(job: number, signal: AbortSignal): Promise<RunningImport> {
    for (;;) {
      const state = await this.#ask(job, signal);
      if (state && (state.status === 'done' || state.status === 'failed')) return state;
      await pause(PAUSE, signal);
    }
  }

  /** Returns null while the server is unreachable: the import goes on. */
  async #ask(job: number, signal: AbortSignal): Promise<RunningImport | null> {
    try {
      return await this.requests.get(job, signal);
    } catch (error) {
      if (error instanceof Unreachable && !signal.aborted) return null;
      throw error;
    }
  }
}

/** The server refused the import, or it failed. The message is its reason. */
export class ImportFailed extends Error {}

function pause(length: number, signal: AbortSignal): Promise<void> {
  return new Promise((done, fail) => {
    if (signal.aborted) return fail(signal.reason);
    const timer = setTimeout(done, length);
    signal.addEventListener('abort', () => (clearTimeout(timer), fail(signal.reason)), { once: true });
  });
}
