/** What only readers ask the server for. */
import type { ApiClient } from '../../api/client';
import type { Annotation, List } from '../../api/types';
import type { ComicPage } from '../comic/spreads';

/** A mark to be made. */
export type NewAnnotation = Pick<Annotation, 'file_id' | 'position' | 'locator' | 'type' | 'text'> & {
  color?: string;
  note?: string;
};

export class ReadingApi {
  constructor(private readonly api: Pick<ApiClient, 'ask'>) {}

  pages = (kind: string, file: number, signal?: AbortSignal) =>
    this.api.ask<List<ComicPage>>('GET', `/kinds/${kind}/files/${file}/pages`, { signal });
  annotations = (item: number, signal?: AbortSignal) =>
    this.api.ask<List<Annotation>>('GET', `/items/${item}/annotations`, { signal });
  annotate = (item: number, body: NewAnnotation) =>
    this.api.ask<Annotation>('POST', `/items/${item}/annotations`, { body });
  changeAnnotation = (item: number, id: number, body: { note?: string | null; color?: string }) =>
    this.api.ask<Annotation>('PATCH', `/items/${item}/annotations/${id}`, { body });
  removeAnnotation = (item: number, id: number) =>
    this.api.ask<void>('DELETE', `/items/${item}/annotations/${id}`);
}
