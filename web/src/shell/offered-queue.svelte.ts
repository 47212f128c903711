/** The queue that another device or tab saved, and its continuation on this device. */
import { errorText } from '../api/error-text';
import { t } from '../i18n';
import '../i18n/player';
import type { LazyPlayer } from '../playback/lazy-player.svelte';
import { readOffer, type Offer, type QueueReader } from '../playback/queue/server-offer';

/** Milliseconds before a failed request is repeated. */
const RETRY = 60_000;

export class OfferedQueue {
  offer = $state.raw<Offer | null>(null);
  busy = $state(false);
  problem = $state('');
  /** False while the server is to be asked. */
  isAsked = $state(false);
  #isWithdrawn = false;

  constructor(
    private readonly api: QueueReader,
    private readonly player: Pick<LazyPlayer, 'with' | 'takeTurn'>,
    /** The version that the user declined. */
    private readonly declined: { get(): string | null; set(version: string): void },
  ) {}

  /** Asks the server. A failed request is to be repeated after a minute. */
  async ask(): Promise<void> {
    this.isAsked = true;
    try {
      const offer = await readOffer(this.api);
      if (!this.#isWithdrawn && this.declined.get() !== String(offer.version)) this.offer = offer;
    } catch {
      setTimeout(() => (this.isAsked = false), RETRY);
    }
  }

  /** Ends the offer, because something else plays. */
  withdraw(): void {
    this.#isWithdrawn = true;
    this.offer = null;
  }

  /** Plays the queue. Call it within the click. */
  take(): void {
    this.busy = true;
    this.problem = '';
    const isLatest = this.player.takeTurn();
    const fail = (error: unknown) => this.#end(errorText(error));
    this.player.with((one) => {
      if (!isLatest()) return this.#end();
      one.takeServerQueue().then((isTaken) => {
        this.#end(isTaken ? '' : t('play.cannot'));
        if (isTaken) this.offer = null;
      }, fail);
    }, fail);
  }

  decline(): void {
    this.declined.set(String(this.offer?.version ?? ''));
    this.offer = null;
  }

  #end(problem = ''): void {
    this.busy = false;
    this.problem = problem;
  }
}
