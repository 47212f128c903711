/** A library's scan as it goes: told of by events, asked for where none come in. */
import type { ApiClient } from '../../api/client';
import { isAbort } from '../../api/client';
import { isBusy, type Live, type ScanEvent } from '../../api/live.svelte';
import type { ScanStatus } from '../../api/types';

const EVERY = 1000;
const SELDOM = 15_000;

export class ScanWatch {
  error = $state.raw<unknown>();

  #timer: ReturnType<typeof setTimeout> | undefined;
  #controller: AbortController | null = null;
  #stopped = true;
  /** Whether events tell of this library: of one that is not shared with the person they do not. */
  #told = false;
  #asked: ScanEvent | null = null;

  constructor(
    private readonly api: Pick<ApiClient, 'scan' | 'cancelScan' | 'scanStatus'>,
    private readonly live: Pick<Live, 'scans' | 'listening' | 'note' | 'on'>,
    private readonly library: number,
  ) {}

  get status(): ScanStatus | null {
    return this.live.scans[this.library] ?? null;
  }

  get busy(): boolean {
    return isBusy(this.status);
  }

  start(): () => void {
    this.#stopped = false;
    const off = this.live.on((event) => {
      if (event.type === 'scan' && event.data.library_id === this.library && event.data !== this.#asked)
        this.#told = true;
    });
    void this.#ask();
    return () => {
      this.#stopped = true;
      off();
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
    const before = this.live.scans[this.library];
    try {
      const status = await this.api.scanStatus(this.library, controller.signal);
      // What an event told meanwhile is newer than the answer.
      if (this.live.scans[this.library] === before) {
        this.#asked = { ...status, library_id: this.library };
        this.live.note(this.#asked);
      }
    } catch (error) {
      if (isAbort(error)) return;
      this.error = error;
    }
    if (this.#stopped) return;
    this.#timer = setTimeout(() => void this.#ask(), this.#pause());
  }

  /** Also while events come in one asks now and then: a page that slept may have missed the last one. */
  #pause(): number {
    if (!this.busy || (this.#told && this.live.listening)) return SELDOM;
    return this.error === undefined ? EVERY : EVERY * 5;
  }
}
