/** A backup that this page started: from the request to the end of its job. */
import { ApiError } from '../../../api/client';
import { errorText } from '../../../api/error-text';
import type { Live } from '../../../api/live.svelte';
import type { Job } from '../../../api/models';

interface Requests {
  backUp: () => Promise<{ job_id: number }>;
  /** The newest jobs. */
  jobs: () => Promise<{ items: readonly Job[] }>;
}

export type BackupState =
  | { at: 'idle' }
  | { at: 'running' }
  | { at: 'done' }
  /** No folder for backups is set. */
  | { at: 'unset' }
  | { at: 'failed'; error: string };

/** Milliseconds between two looks at the job, for a page without events. */
const EVERY = 5000;

export class BackupRun {
  state = $state.raw<BackupState>({ at: 'idle' });

  #job: number | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isStopped = false;

  constructor(
    private readonly requests: Requests,
    private readonly live: Pick<Live, 'on'>,
    /** Called when a backup was written. */
    private readonly ondone: () => void,
  ) {}

  get isRunning(): boolean {
    return this.state.at === 'running';
  }

  /** Follows the events of jobs. The returned function stops that. */
  follow(): () => void {
    this.#isStopped = false;
    const off = this.live.on((event) => {
      if (event.type === 'job' && event.data.id === this.#job) void this.#look();
    });
    return () => {
      this.#isStopped = true;
      clearTimeout(this.#timer);
      off();
    };
  }

  async start(): Promise<void> {
    if (this.isRunning) return;
    this.state = { at: 'running' };
    try {
      this.#job = (await this.requests.backUp()).job_id;
      await this.#look();
    } catch (error) {
      const isUnset = error instanceof ApiError && error.status === 409;
      this.state = isUnset ? { at: 'unset' } : { at: 'failed', error: errorText(error) };
    }
  }

  async #look(): Promise<void> {
    clearTimeout(this.#timer);
    if (!this.isRunning) return;
    const known = this.#job;
    const items = await this.requests.jobs().then(
      (page) => page.items,
      () => [],
    );
    if (!this.isRunning || known !== this.#job) return;
    const job = items.find(({ id }) => id === known);
    if (job?.status === 'done') {
      this.state = { at: 'done' };
      this.ondone();
    } else if (job?.status === 'failed') {
      this.state = { at: 'failed', error: job.error ?? '' };
    } else if (!this.#isStopped) {
      this.#timer = setTimeout(() => void this.#look(), EVERY);
    }
  }
}
