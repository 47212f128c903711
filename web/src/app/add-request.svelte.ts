/** The request of any page to add something to a playlist. The shell shows its dialog. */
import type { Additions } from '../api/lists/playlists';

export interface AddRequest {
  what: Additions;
  /** The name of the item or the file. */
  title: string;
}

export class AddRequests {
  /** The open request. */
  current = $state.raw<AddRequest | null>(null);
  /** True after the first request: the code of the dialog is loaded. */
  isUsed = $state(false);

  ask(what: Additions, title: string): void {
    this.current = { what, title };
    this.isUsed = true;
  }
}
