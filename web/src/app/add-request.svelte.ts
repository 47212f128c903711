/** The request of any page to add something to a list. The shell shows its dialog. */
import type { Additions } from '../api/lists/playlists';

export type AddTarget = 'playlist' | 'collection';

export interface AddRequest {
  what: Additions;
  /** The name of the item or the file. */
  title: string;
  to: AddTarget;
  /** True if the user can choose the other type of list. */
  canSwitch: boolean;
}

export class AddRequests {
  /** The open request. */
  current = $state.raw<AddRequest | null>(null);
  /** True after the first request: the code of the dialog is loaded. */
  isUsed = $state(false);

  ask(what: Additions, title: string, to: AddTarget = 'playlist', canSwitch = false): void {
    this.current = { what, title, to, canSwitch };
    this.isUsed = true;
  }

  /** Closes the dialog, and removes it with the result that it shows. */
  close(): void {
    this.current = null;
    this.isUsed = false;
  }
}
