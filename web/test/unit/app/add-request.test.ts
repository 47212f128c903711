import { expect, it } from 'vitest';
import { AddRequests } from '../../../src/app/add-request.svelte';

it('a closed request leaves neither a dialog nor a result', () => {
  const adding = new AddRequests();
  adding.ask({ items: [1] }, 'Emma');
  expect([adding.current?.title, adding.isUsed]).toEqual(['Emma', true]);
  adding.close();
  expect([adding.current, adding.isUsed]).toEqual([null, false]);
});
