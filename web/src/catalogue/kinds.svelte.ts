/** The media kinds of this server. All texts and icons of a kind come from here. */
import { translate } from '../i18n';
import { locale } from '../i18n/locale';
import type { ApiClient } from '../api/client';
import type { Query, QueryCache } from '../api/query.svelte';
import type { Card, Libraries, MediaType, MediaTypes, PartName, Subkind } from '../api/models';

/** A kind with its labels in the language of the interface, if available. */
function named(kind: MediaType): MediaType {
  return {
    ...kind,
    label: translate(kind.label),
    label_plural: translate(kind.label_plural),
    verb: translate(kind.verb),
    subkinds: kind.subkinds.map((subkind) => ({ ...subkind, ...subkind.labels[locale()] })),
  };
}

const PLAIN_ICON = 'M4 4h16v16H4zM4 9h16M9 9v11';

export class Kinds {
  #read: { items: readonly MediaType[]; named: MediaType[] } = { items: [], named: [] };

  constructor(
    private readonly api: ApiClient,
    private readonly cache: QueryCache,
  ) {}

  get query(): Query<MediaTypes> {
    return this.cache.get('media-types', this.api.mediaTypes);
  }

  get libraries(): Query<Libraries> {
    return this.cache.get('libraries', this.api.libraries);
  }

  /** True if any library is granted to this user, as far as that is loaded. */
  get isAnyGranted(): boolean | undefined {
    return this.libraries.data?.items.some((library) => library.granted);
  }

  get all(): MediaType[] {
    const items = this.query.data?.items ?? [];
    if (items !== this.#read.items) this.#read = { items, named: items.map(named) };
    return this.#read.named;
  }

  find(id: string): MediaType | undefined {
    return this.all.find((kind) => kind.id === id);
  }

  /** Returns a kind to render with, also for an item whose kind the server no longer declares. */
  describe(id: string): MediaType {
    return (
      this.find(id) ?? {
        id,
        label: id,
        label_plural: id,
        icon: PLAIN_ICON,
        hue: 215,
        shape: 'card',
        aspect: 1,
        verb: '',
        unit: 'none',
        subkinds: [],
        extensions: [],
        viewers: {},
      }
    );
  }

  subkindOf({ kind, subkind }: Pick<Card, 'kind' | 'subkind'>): Subkind | undefined {
    return this.describe(kind).subkinds.find(({ id }) => id === subkind);
  }

  /** Returns the name of one of several parts of an item. */
  partOf(item: Pick<Card, 'kind' | 'subkind'>): PartName {
    return this.subkindOf(item)?.part ?? 'part';
  }

  /** Number of present items of a kind over the libraries of this user. */
  count(id: string): number | null {
    const libraries = this.libraries.data?.items;
    if (!libraries) return null;
    return libraries
      .filter((library) => library.granted)
      .reduce((sum, library) => sum + (library.counts[id] ?? 0), 0);
  }
}
