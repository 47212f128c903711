import { expect, it } from 'vitest';
import { otherForms } from '../../../src/app/continue-as';
import type { App } from '../../../src/app/context';
import type { Card } from '../../../src/api/models';

const label = (name: string) => ({ label: name, icon: `icon of ${name}` });
const subkinds: Record<string, { label: string }> = { audiobook: { label: 'Audiobook' } };
const kinds = {
  describe: (kind: string) => label(kind === 'books' ? 'Book' : 'Recording'),
  subkindOf: ({ subkind }: { subkind: string | null }) => subkinds[subkind ?? ''],
} as unknown as App['kinds'];
const item = (kind: string, subkind: string | null) => ({ id: 1, kind, subkind }) as Card;
const form = (item_id: number, kind: string, subkind: string | null = null) => ({ item_id, kind, subkind });
const found = (...[of, forms]: [Card, ReturnType<typeof form>[]]) =>
  otherForms(kinds, of, forms).map(({ id, label }) => `${label} ${id}`);

it('each form of a title is offered once by its name', () => {
  const forms = [form(2, 'books'), form(3, 'books', 'comic'), form(4, 'books')];
  expect(found(item('audio', 'audiobook'), forms)).toEqual(['Book 2']);
});

it('a form is named after its subkind', () => {
  expect(found(item('books', null), [form(2, 'audio', 'audiobook'), form(3, 'audio')])).toEqual([
    'Audiobook 2',
    'Recording 3',
  ]);
});

it('other copies of the same form are not offered', () => {
  expect(found(item('books', null), [form(2, 'books'), form(3, 'audio', 'audiobook')])).toEqual([
    'Audiobook 3',
  ]);
});
