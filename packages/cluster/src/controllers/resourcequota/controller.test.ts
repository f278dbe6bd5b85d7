import { afterEach, beforeEach, expect, test } from 'vitest';
import type { ResourceQuota } from '../../api/generated/core-v1.ts';
import { configmaps, pods, resourcequotas } from '../../api/generated/kinds.ts';
import type { ResourceType } from '../../api/gvk.ts';
import type { KubeObject, New } from '../../api/meta.ts';
import { createTestPlane, type TestPlane } from '../../testing/plane.ts';
import { createQuotaController } from './controller.ts';
import { plan } from './plan.ts';

let plane: TestPlane;

beforeEach(async () => {
  plane = await createTestPlane();
  plane.start(createQuotaController(plane.platform, plane.served));
  await plane.clock.settle();
});

afterEach(async () => {
  expect(plane.problems).toEqual([]);
  await plane.close();
});

const place = { namespace: 'default' };

async function make(type: ResourceType, object: object): Promise<void> {
  const { signal } = plane;
  await plane.client.create<KubeObject>(type, object as New<KubeObject>, { ...place, signal });
  await plane.clock.settle();
}

const limit = (hard: object): Promise<void> =>
  make(resourcequotas, { metadata: { name: 'q', ...place }, spec: { hard } });
const map = (name: string): Promise<void> => make(configmaps, { metadata: { name, ...place } });
const status = async (): Promise<ResourceQuota['status'] | undefined> =>
  (await plane.find<ResourceQuota>(resourcequotas, 'q', 'default'))?.status;
const end = (name: string): Promise<unknown> =>
  plane.client.delete(configmaps, { ...place, name, signal: plane.signal });

function patch(
  type: ResourceType,
  what: { readonly name: string; readonly body: object; readonly subresource?: string },
): Promise<unknown> {
  return plane.client.patch(type, { ...place, ...what, patchType: 'merge', signal: plane.signal });
}

test('what is there is counted, what comes is charged, what ends is given back', async () => {
  await map('a');
  await limit({ configmaps: '2', 'count/widgets.example.com': '1' });
  expect(await status()).toEqual({
    hard: { configmaps: '2', 'count/widgets.example.com': '1' },
    used: { configmaps: '1' },
  });
  await map('b');
  expect((await status())?.used).toEqual({ configmaps: '2' });
  await expect(map('c')).rejects.toThrow(
    'exceeded quota: q, requested: configmaps=1, used: configmaps=2, limited: configmaps=2',
  );
  await end('a');
  await plane.clock.advance(100);
  expect((await status())?.used).toEqual({ configmaps: '1' });
  await map('c');
  // What is new is looked at once more, and nothing is charged twice.
  await plane.clock.advance(10_000);
  expect((await status())?.used).toEqual({ configmaps: '2' });
});

test('a pod that has ended leaves its place', async () => {
  await limit({ pods: '1', 'count/pods': '5' });
  const spec = { containers: [{ name: 'c', image: 'a' }] };
  await make(pods, { metadata: { name: 'a', ...place }, spec });
  expect((await status())?.used).toEqual({ 'count/pods': '1', pods: '1' });
  await patch(pods, { name: 'a', subresource: 'status', body: { status: { phase: 'Succeeded' } } });
  await plane.clock.advance(100);
  expect((await status())?.used).toEqual({ 'count/pods': '1', pods: '0' });
});

test('other limits are counted anew; a wrong count does not last', async () => {
  await map('a');
  await limit({ configmaps: '9' });
  const merge = (body: object, more: { readonly subresource?: string } = {}): Promise<unknown> =>
    patch(resourcequotas, { name: 'q', body, ...more });
  await merge({ spec: { hard: { configmaps: '8', secrets: '3' } } });
  await plane.clock.settle();
  expect(await status()).toEqual({ hard: { configmaps: '8', secrets: '3' }, used: { configmaps: '1', secrets: '0' } });
  await merge({ status: { used: { configmaps: '7' } } }, { subresource: 'status' });
  await plane.clock.advance(5 * 60_000);
  expect((await status())?.used).toEqual({ configmaps: '1', secrets: '0' });
});

test('a quota whose status is right is left alone', () => {
  const quota = {
    metadata: { name: 'q' },
    spec: { hard: { cpu: '1000m' } },
    status: { hard: { cpu: '1' }, used: { cpu: '0' } },
  };
  expect(plan({ quota: quota as unknown as ResourceQuota, objects: [[pods, []]] }, 0)).toEqual([]);
});
