/** Who is logged in, and how that came to an end. */
import { ApiError, type ApiClient } from './client';
import type { User } from './types';

export type SessionState = 'unknown' | 'anonymous' | 'ended' | 'in' | 'unreachable';

export class Session {
  #state = $state<SessionState>('unknown');
  #user = $state.raw<User | null>(null);

  /** Called when another person may sit here: nothing of the last one may stay. */
  onchange: () => void = () => {};
  /** Called while there still is a session: what must be said in it is said now. */
  onleave: () => void = () => {};

  constructor(private readonly api: ApiClient) {
    api.onUnauthenticated = () => this.#end('ended');
  }

  get state(): SessionState {
    return this.#state;
  }
  get user(): User | null {
    return this.#user;
  }
  get admin(): boolean {
    return this.#user?.role === 'admin';
  }

  async resume(): Promise<void> {
    try {
      this.#enter(await this.api.me());
    } catch (error) {
      this.#state = error instanceof ApiError && error.status === 401 ? 'anonymous' : 'unreachable';
    }
  }

  async login(username: string, password: string): Promise<void> {
    const { user } = await this.api.login(username, password);
    this.#enter(user);
  }

  async logout(): Promise<void> {
    this.onleave();
    try {
      await this.api.logout();
    } catch (error) {
      if (!(error instanceof ApiError && error.status === 401)) throw error;
    }
    this.#end('anonymous');
  }

  #enter(user: User): void {
    const other = user.id !== this.#user?.id;
    this.#user = user;
    if (other) this.onchange();
    this.#state = 'in';
  }

  #end(state: 'anonymous' | 'ended'): void {
    // A late answer may tell of the end before the answer to logging out does.
    if (state === 'ended' && this.#state !== 'in') return;
    this.#state = state;
    if (state === 'anonymous') {
      this.#user = null;
      this.onchange();
    }
  }
}
