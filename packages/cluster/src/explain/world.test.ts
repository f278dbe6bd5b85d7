import { describe, expect, test } from 'vitest';
import type { Pod } from '../api/generated/core-v1.ts';
import { cronjobs, events, jobs, nodes, pods } from '../api/generated/kinds.ts';
import type { ResourceType } from '../api/gvk.ts';
import type { KubeObject } from '../api/meta.ts';
import { defaultPlugins } from '../scheduler/default-plugins.ts';
import { consultsOf, readsOf } from '../scheduler/reads.ts';
import { makePod } from '../testing/makers.ts';
import { type Listing, readWorld, worldOf } from './world.ts';

test('all that the scheduler’s plugins look at is there', () => {
  const { caches } = worldOf([], 0);
  for (const type of [...readsOf(defaultPlugins), ...consultsOf(defaultPlugins)]) expect(caches.of(type).size).toBe(0);
});

describe('pods are listed', () => {
  const podListings = async (type: ResourceType, near: readonly Pod[], node?: string): Promise<readonly Listing[]> => {
    const asked: Listing[] = [];
    const list = async (each: ResourceType, listing: Listing): Promise<readonly KubeObject[]> => {
      if (each !== pods) return [];
      asked.push(listing);
      return listing.namespace === undefined ? [] : near;
    };
    const namespace = type === nodes ? undefined : 'shop';
    await readWorld({ type, namespace, name: 'a' }, { source: { list }, nowMs: 0, node });
    return asked;
  };

  test('of a node only its own, and those that it is cleared for', async () => {
    const fields = ['spec.nodeName=a', 'status.nominatedNodeName=a'];
    expect(await podListings(nodes, [])).toEqual(
      fields.map((fieldSelector) => ({ namespace: undefined, fieldSelector })),
    );
  });

  test('of the namespace alone, while each has a node', async () => {
    const bound = makePod('web', { node: 'node-1' });
    expect(await podListings(pods, [bound])).toEqual([{ namespace: 'shop' }]);
  });

  test('of all namespaces when one waits for a node: whatever takes room counts', async () => {
    const waiting = makePod('web');
    const others = 'metadata.namespace!=shop,status.phase!=Succeeded,status.phase!=Failed';
    expect(await podListings(pods, [waiting])).toEqual([
      { namespace: 'shop' },
      { namespace: undefined, fieldSelector: others },
    ]);
  });

  test('of all namespaces when one is asked about with another node than its own', async () => {
    const bound = makePod('a', { node: 'node-1' });
    expect(await podListings(pods, [bound], 'node-1')).toHaveLength(1);
    expect(await podListings(pods, [bound], 'node-2')).toHaveLength(2);
  });
});

test('what was told of its Jobs is listed for a CronJob alone', async () => {
  const asked: (string | undefined)[] = [];
  const list = async (each: ResourceType, { fieldSelector }: Listing): Promise<readonly KubeObject[]> => {
    if (each === events) asked.push(fieldSelector);
    return [];
  };
  for (const type of [cronjobs, jobs])
    await readWorld({ type, namespace: 'shop', name: 'a' }, { source: { list }, nowMs: 0 });
  const own = 'involvedObject.name=a,type=Warning';
  expect(asked).toEqual([own, 'reason=FailedCreate,type=Warning', own]);
});
