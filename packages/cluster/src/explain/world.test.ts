import { expect, test } from 'vitest';
import { nodes, pods } from '../api/generated/kinds.ts';
import type { ResourceType } from '../api/gvk.ts';
import { defaultPlugins } from '../scheduler/default-plugins.ts';
import { consultsOf, readsOf } from '../scheduler/reads.ts';
import { type Listing, readWorld, worldOf } from './world.ts';

test('all that the scheduler’s plugins look at is there', () => {
  const { caches } = worldOf([], 0);
  for (const type of [...readsOf(defaultPlugins), ...consultsOf(defaultPlugins)]) expect(caches.of(type).size).toBe(0);
});

test('of a node only its own pods are listed, of others all', async () => {
  const podListings = async (type: ResourceType): Promise<readonly Listing[]> => {
    const asked: Listing[] = [];
    const list = async (each: ResourceType, listing: Listing): Promise<readonly []> => {
      if (each === pods) asked.push(listing);
      return [];
    };
    await readWorld({ type, name: 'a' }, { source: { list }, nowMs: 0 });
    return asked;
  };
  expect(await podListings(nodes)).toEqual([{ namespace: undefined, fieldSelector: 'spec.nodeName=a' }]);
  expect(await podListings(pods)).toEqual([{ namespace: undefined }]);
});
