/** Status of a library's scan from the event stream, with polling if the stream does not cover it. */

import { isAbort } from '../../../api/client';
import { isBusy, type Live, type ScanEvent } from '../../../api/live.svelte';
import type { ScanStatus } from '../../../api/models';
import type { SettingsApi } from '../../../api/admin';

/** Time between two requests about a running scan without events, in milliseconds. */
const EVERY = 3000;
const AFTER_ERROR = 15_000;

export class ScanWatch {
  error = $state.raw<unknown>();

  #timer: ReturnType<typeof setTimeout> | undefined;
  #controller: AbortController | null = null;
  #isStopped = true;
  /** True if events arrive for this library. A library that is not granted to the user has none. */
  #hasEvents = false;
  #asked: ScanEvent | null = null;

  constructor(
    private readonly api: Pick<SettingsApi, 'scan' | 'cancelScan' | 'scanStatus'>,
    private readonly live: Pick<Live, 'scans' | 'listening' | 'note' | 'on'>,
    private readonly library: number,
    private readonly visible: () => boolean = () => document.visibilityState === 'visible',
  ) {}

  get status(): ScanStatus | null {
    return this.live.scans[this.library] ?? null;
  }

  get busy(): boolean {
    return isBusy(this.status);
  }

  /** Starts to follow the scan. The returned function stops that. Call it on mount. */
  start(): () => void {
    this.#isStopped = false;
    const off = this.live.on((event) => {
      if (event.type === 'scan' && event.data.library_id === this.library && event.data !== this.#asked)
        this.#hasEvents = true;
      // The stream was interrupted and dropped its state.
      if (event.type === 'reset' && event.data.reason === 'returned') void this.#ask();
    });
    if (this.status === null || !this.live.listening) void this.#ask();
    else this.#wait();
    return () => {
      this.#isStopped = true;
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
    let failed = false;
    try {
      const status = await this.api.scanStatus(this.library, controller.signal);
      // An event that arrived meanwhile is newer than the response.
      if (this.live.scans[this.library] === before) {
        this.#asked = { ...status, library_id: this.library };
        this.live.note(this.#asked);
      }
      this.error = undefined;
    } catch (error) {
      if (isAbort(error)) return;
      failed = true;
      this.error = error;
    }
    if (!this.#isStopped) this.#wait(failed ? AFTER_ERROR : EVERY);
  }

  /** Polls a running scan without events; an idle page and a hidden tab send nothing. */
  #wait(pause = EVERY): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      if (!this.busy || (this.#hasEvents && this.live.listening)) return;
      if (this.visible()) void this.#ask();
      else this.#wait();
    }, pause);
  }
}
