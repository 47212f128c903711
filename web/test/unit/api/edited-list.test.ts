/** Saves of a form whose list changes meanwhile. */
import { describe, expect, it, vi } from 'vitest';
import { ApiError } from '../../../src/api/client';
import { EditedList } from '../../../src/api/lists/edited-list';
import { QueryCache } from '../../../src/api/query.svelte';

interface List {
  name: string;
  version: number;
}

/** A server with one list, and a form that opened at its first version. */
async function stand() {
  const server: List = { name: 'First', version: 1 };
  const query = new QueryCache().get('list', async () => ({ ...server }));
  await query.load(0);
  const edited = new EditedList<List>(query, query.data!);
  const change = vi.fn(async (version: number) => {
    if (version !== server.version) throw new ApiError(412, 'precondition_failed', 'Another version.');
    return { ...Object.assign(server, { name: 'Own', version: version + 1 }) };
  });
  return { server, query, edited, save: () => edited.save(change) };
}

describe('a form that edits a list', () => {
  it('does not overwrite the change of another device that a refetch brought', async () => {
    const { server, query, save } = await stand();
    Object.assign(server, { name: 'Other', version: 2 });
    await query.refetch();
    await expect(save()).rejects.toThrow('Another version.');
    expect(server).toEqual({ name: 'Other', version: 2 });
  });

  it('has read the other list after a conflict, and the next attempt replaces that', async () => {
    const { server, query, save } = await stand();
    Object.assign(server, { name: 'Other', version: 2 });
    await expect(save()).rejects.toThrow();
    expect(query.data).toEqual({ name: 'Other', version: 2 });
    await save();
    expect([server, query.data]).toEqual([
      { name: 'Own', version: 3 },
      { name: 'Own', version: 3 },
    ]);
  });

  it('saves on top of a version that the form adopted', async () => {
    const { server, edited, save } = await stand();
    Object.assign(server, { name: 'Other', version: 2 });
    edited.adopt(server);
    expect((await save()).version).toBe(3);
  });
});
