/** Requests about imports of other programs' data, and their undo. */
import { body, type ApiClient } from '../client';
import type { components } from '../schema';

type Api = Pick<ApiClient, 'http'>;

export type ImportRequest = components['schemas']['StartImport'];

export const startImport = ({ http }: Api, request: ImportRequest) =>
  body(http.POST('/api/v1/imports', { body: request }));

export const getImport = ({ http }: Api, id: number, signal?: AbortSignal) =>
  body(http.GET('/api/v1/imports/{id}', { params: { path: { id } }, signal }));

export const listEdits = ({ http }: Api, query: { offset: number; limit: number }, signal?: AbortSignal) =>
  body(http.GET('/api/v1/edits', { params: { query }, signal }));

export const undoEdit = ({ http }: Api, batch: number) =>
  body(http.POST('/api/v1/edits/{batch}/undo', { params: { path: { batch } } }));
