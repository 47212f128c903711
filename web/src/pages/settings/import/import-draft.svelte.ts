/** The choices for an import: program, paths, and mappings of folders and users. */
import type { ImportRequest } from '../../../api/requests/imports';
import { SOURCES, sourceOf } from './sources';

interface FolderRow {
  id: number;
  from: string;
  to: string;
}

export class ImportDraft {
  source = $state(SOURCES[0]?.id ?? '');
  path = $state('');
  library = $state('');
  anyVersion = $state(false);
  folders = $state<FolderRow[]>([]);
  /** Chosen users by the name in the other program. An empty name skips a user. */
  users = $state.raw<Readonly<Record<string, string>>>({});
  #last = 0;

  addFolder(): number {
    this.#last += 1;
    this.folders.push({ id: this.#last, from: '', to: '' });
    return this.#last;
  }

  removeFolder(id: number): void {
    this.folders = this.folders.filter((row) => row.id !== id);
  }

  chooseUser(theirs: string, ours: string): void {
    this.users = { ...this.users, [theirs]: ours };
  }

  /** Changes the program. Its users are others. */
  chooseSource(id: string): void {
    this.source = id;
    this.users = {};
  }

  /** Returns the request. Rows of folders without a first part are omitted. */
  request(dryRun: boolean): ImportRequest {
    const { source, path, anyVersion } = this;
    const map = this.folders
      .map(({ from, to }) => ({ from: from.trim(), to: to.trim() }))
      .filter(({ from }) => from !== '');
    const users = Object.entries(this.users).map(([theirs, ours]) => ({ theirs, ours: ours || null }));
    const second = sourceOf(source)?.library === undefined ? {} : { library: this.library.trim() };
    return { source, path: path.trim(), ...second, map, users, dry_run: dryRun, any_version: anyVersion };
  }

  /** A text that changes with the choices. */
  get fingerprint(): string {
    return JSON.stringify(this.request(true));
  }
}
