/** The signed-in user, and the reason for the end of the session. */
import { ApiError, type ApiClient } from './client';
import type { User } from './models';

export type SessionState = 'unknown' | 'anonymous' | 'ended' | 'in' | 'unreachable';

export class Session {
  #state = $state<SessionState>('unknown');
  #user = $state.raw<User | null>(null);

  /** Called when the user can have changed. All data of the previous user must be dropped. */
  onchange: () => void = () => {};
  /** Called before the session ends: requests that need it are sent now. */
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
    // Another response can report the end of the session before the response to the logout.
    if (state === 'ended' && this.#state !== 'in') return;
    this.#state = state;
    if (state === 'anonymous') {
      this.#user = null;
      this.onchange();
    }
  }
}
