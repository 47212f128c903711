/** The shapes of the HTTP contract that the interface reads; test/unit/contract.test.ts holds them to the generated schema. */

export type Role = 'admin' | 'user';

export interface Page<T> {
  items: T[];
  total: number;
  offset: number;
  limit: number;
}

export interface List<T> {
  items: T[];
}

export interface User {
  id: number;
  username: string;
  role: Role;
  disabled: boolean;
  created_at: string;
  last_seen_at: string | null;
}

export interface UserDetail extends User {
  libraries: number[];
}

export interface Library {
  id: number;
  name: string;
  path: string | null;
  kinds: string[] | null;
  created_at: string;
  granted: boolean;
  available: boolean;
  /** Whether changes in its folder are noticed at once. */
  watch: 'on' | 'off' | 'unavailable';
  watch_error: string | null;
  counts: Record<string, number>;
  missing: number;
}

export interface Grant {
  user_id: number;
  username: string;
}

export interface Directory {
  name: string;
  path: string;
  readable: boolean;
}

export interface DirectoryListing {
  path: string;
  parent: string | null;
  items: Directory[];
}

export type ScanState = 'never' | 'queued' | 'running' | 'done' | 'failed' | 'cancelled';

export interface ScanStatus {
  status: ScanState;
  job_id: number | null;
  scanned: number;
  total: number | null;
  added: number;
  updated: number;
  moved: number;
  missing: number;
  restored: number;
  errors: string[];
  errors_overflow: number;
  started_at: string | null;
  finished_at: string | null;
  error: string | null;
}

export interface MediaType {
  id: string;
  label: string;
  label_plural: string;
  icon: string;
  hue: number;
  shape: string;
  aspect: number;
  verb: string;
  unit: Unit;
  subkinds: Subkind[];
  extensions: string[];
  viewers: Record<string, string>;
}

/** A sort of items within a kind; `labels` are by language. */
export interface Subkind {
  id: string;
  label: string;
  label_plural: string;
  labels: Record<string, { label: string; label_plural: string }>;
  part: PartName;
}

/** Name of one of several files that are played one after another. */
export type PartName = 'part' | 'chapter' | 'track' | 'episode';

export interface SubkindCount {
  kind: string;
  subkind: string;
  items: number;
}

export interface Cover {
  url: string;
  width: number;
  height: number;
  tint: string | null;
}

/** How far one file was read, heard or watched. */
export interface Progress {
  file_id: number;
  position: number;
  extent: number | null;
  fraction: number | null;
  finished: boolean;
  updated_at: string;
}

/** The newest place in an item, and how far that brings the whole of it. */
export interface CardProgress extends Progress {
  item_fraction: number | null;
  item_finished: boolean;
}

/** A place as it is stored; `applied` is false where a newer one was there already. */
export interface ProgressRow extends Progress {
  locator: string | null;
}

/** A place that was overwritten, or came too late to count, by the id that puts it back. */
export interface PastPlace extends ProgressRow {
  id: number;
  replaced_at: string;
}

/** A bookmark or a highlight of one's own. */
export interface Annotation {
  id: number;
  file_id: number;
  position: number;
  locator: string | null;
  type: 'bookmark' | 'highlight';
  /** The words that are marked. */
  text: string | null;
  note: string | null;
  color: string | null;
  created_at: string;
}

/** A person or a series, and how much there is. */
export interface Name {
  id: number;
  name: string;
  items: number;
}

export interface ItemCard {
  id: number;
  library_id: number;
  kind: string;
  subkind: string | null;
  title: string;
  year: number | null;
  /** Empty where nobody is known. */
  authors: string;
  cover: Cover | null;
  missing: boolean;
  added_at: string;
  favourite: boolean;
  progress: CardProgress | null;
}

/** What the server adds where a client names its engines. */
export interface Playability {
  plays?: boolean | null;
  plays_reason?: string | null;
}

export type Card = ItemCard & Playability;

export interface Person {
  id: number;
  name: string;
  role: string;
}

export interface Chapter {
  title: string;
  /** In seconds. */
  start: number;
}

export interface MediaFile {
  id: number;
  name: string;
  path: string;
  size: number;
  mtime: string | null;
  mime: string;
  viewer: string;
  missing: boolean;
  missing_since: string | null;
  container: string | null;
  vcodec: string | null;
  acodec: string | null;
  width: number | null;
  height: number | null;
  duration: number | null;
  part: number | null;
  season: number | null;
  episode: number | null;
  title: string | null;
  unit: Unit;
  extent: number | null;
  chapters: Chapter[];
  progress: Progress | null;
  content_url: string;
}

export type Unit = 'page' | 'section' | 'second' | 'none';

export interface ItemRecord extends ItemCard {
  description: string | null;
  people: Person[];
  series_id: number | null;
  missing_since: string | null;
  files: MediaFile[];
  facts: Record<string, unknown>;
  /** Who said what each field says. */
  sources: Record<Field, Source>;
  /** Fields that were set by hand. */
  locked: Field[];
}

export type Item = ItemRecord & Playability;

export type Field = 'title' | 'year' | 'authors' | 'description' | 'series' | 'cover';
export type Source = 'name' | 'file' | 'provider' | 'person';

/** What an administrator may change by hand; what is changed is locked against scans and providers. */
export interface ItemChange {
  title?: string;
  year?: number | null;
  authors?: string[];
  description?: string | null;
  series?: string | null;
  series_index?: number | null;
  unlock?: Field[];
}

export interface ContinueEntry {
  item: Card;
  file_id: number;
  progress: Progress | null;
  file: ContinueFile;
}

/** The file to continue with: its place among the parts, the chapter, and what is left in its unit. */
export interface ContinueFile {
  unit: Unit;
  season: number | null;
  episode: number | null;
  part: number | null;
  parts: number | null;
  chapter: { number: number; count: number; title: string } | null;
  left: number | null;
  item_left: number | null;
}

export interface Suggestion {
  item: Card;
  reason: string;
  reason_code: string;
  reason_arg: string | null;
}

export interface HomeShelves {
  continue: ContinueEntry[];
  most_viewed: { item: Card; views: number }[];
  suggestions: Suggestion[];
  recently_added: { kind: string; items: Card[] }[];
  explore: Card[];
}

export interface SearchGroup {
  kind: string;
  total: number;
  items: Card[];
}

export interface SearchAnswer {
  query: string;
  total: number;
  groups: SearchGroup[];
}

export interface HistoryEntry {
  item: Card;
  file_id: number;
  progress: Progress;
}

export interface Letter {
  letter: string;
  offset: number;
}

export interface MissingItem {
  item_id: number;
  title: string;
  kind: string;
  library: { id: number; name: string };
  path: string;
  missing_since: string | null;
}

export type JobState = 'queued' | 'running' | 'done' | 'failed';

export interface Job {
  id: number;
  kind: string;
  ref_id: number | null;
  status: JobState;
  attempts: number;
  result: unknown;
  error: string | null;
  run_at: string | null;
  created_at: string;
  started_at: string | null;
  finished_at: string | null;
}

export interface Version {
  name: string;
  version: string;
  commit: string | null;
  api: string;
  schema: number;
}

/** A track of subtitles, beside a film or in it. */
export interface Subtitles {
  id: string;
  label: string;
  language: string | null;
  format: string;
  /** What it is served as, each by an ending of `url`. */
  formats: string[];
  forced: boolean;
  default: boolean;
  hearing_impaired: boolean;
  embedded: boolean;
  url: string;
}

/** The words of a recording, from one place. */
export interface Lyrics {
  source: string;
  synced: boolean;
  lines: LyricsLine[];
}

export interface LyricsLine {
  /** In seconds; null where no time is told. */
  start: number | null;
  /** Empty where there is a pause. */
  text: string;
}
