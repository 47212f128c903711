/** A library's scan as it goes: asked every second while one is queued or running. */
import type { ApiClient } from '../../api/client';
import { isAbort } from '../../api/client';
import type { ScanStatus } from '../../api/types';

const EVERY = 1000;

export class ScanWatch {
  status = $state.raw<ScanStatus | null>(null);
  error = $state.raw<unknown>();

  #timer: ReturnType<typeof setTimeout> | undefined;
  #controller: AbortController | null = null;
  #stopped = true;

  constructor(
    private readonly api: ApiClient,
    private readonly library: number,
    /** Called when a scan that was watched comes to its end. */
    private readonly onfinished: () => void,
  ) {}

  get busy(): boolean {
    return this.status?.status === 'queued' || this.status?.status === 'running';
  }

  start(): () => void {
    this.#stopped = false;
    void this.#ask();
    return () => {
      this.#stopped = true;
      clearTimeout(this.#timer);
      this.#controller?.abort();
    };
  }

  async begin(acceptMissing = false): Promise<void> {
    await this.#act(() => this.api.scan(this.library, acceptMissing));
  }

  async cancel(): Promise<void> {
    await this.#act(() => this.api.cancelScan(this.library));
  }

  async #act(action: () => Promise<unknown>): Promise<void> {
    try {
      await action();
      this.error = undefined;
    } catch (error) {
      this.error = error;
    }
    await this.#ask();
  }

  async #ask(): Promise<void> {
    clearTimeout(this.#timer);
    this.#controller?.abort();
    const controller = new AbortController();
    this.#controller = controller;
    const wasBusy = this.busy;
    try {
      this.status = await this.api.scanStatus(this.library, controller.signal);
      if (wasBusy && !this.busy) this.onfinished();
    } catch (error) {
      if (isAbort(error)) return;
      this.error = error;
    }
    if (this.#stopped || (!this.busy && this.error === undefined)) return;
    this.#timer = setTimeout(() => void this.#ask(), this.error === undefined ? EVERY : EVERY * 5);
  }
}
