/** Requests about the forms of a title, and the corresponding position in another form. */
import { body, type ApiClient } from '../client';

type Api = Pick<ApiClient, 'http'>;

/** Links items as forms of one title; their works are merged. */
export const linkForms = ({ http }: Api, items: number[]) =>
  body(http.POST('/api/v1/works', { body: { items } }));

export const unlinkForm = ({ http }: Api, work: number, item: number) =>
  body(http.DELETE('/api/v1/works/{id}/items/{item}', { params: { path: { id: work, item } } }));

/** Returns the position in the form `to` that corresponds to the progress in the item `id`. */
export const handover = ({ http }: Api, id: number, to: number) =>
  body(http.GET('/api/v1/items/{id}/handover', { params: { path: { id }, query: { to } } }));
