import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { KubeObject } from '../../api/meta.ts';
import type { DeleteOptions } from '../../api/operation.ts';
import { fromTimestamp } from '../../base/clock.ts';
import { configmapDefinition } from '../../resources/core/configmap.ts';
import { namespaceDefinition } from '../../resources/core/namespace.ts';
import { podDefinition } from '../../resources/core/pod/pod.ts';
import type { ResourceDefinition } from '../../resources/resource.ts';
import { pod } from '../../testing/api-server.ts';
import { createRegistry } from '../context/registry.ts';
import { planDelete } from './delete-plan.ts';
import { isFinished } from './finish.ts';

const nowMs = 1_767_225_600_000;
const definitions = [
  configmapDefinition,
  namespaceDefinition,
  podDefinition,
] as unknown as readonly ResourceDefinition[];
const served = createRegistry({ definitions }).all();

const options: fc.Arbitrary<DeleteOptions> = fc.record(
  {
    gracePeriodSeconds: fc.nat(100),
    propagationPolicy: fc.constantFrom('Orphan', 'Background', 'Foreground'),
  },
  { requiredKeys: [] },
) as fc.Arbitrary<DeleteOptions>;

const finalizers = fc.subarray(['example.com/a', 'example.com/b', 'orphan', 'foregroundDeletion']);

const worlds = fc.record({
  which: fc.nat(served.length - 1),
  finalizers,
  node: fc.boolean(),
  requests: fc.array(options, { minLength: 1, maxLength: 5 }),
});

function objectOf(
  which: number,
  world: { readonly finalizers: readonly string[]; readonly node: boolean },
): KubeObject {
  const given = pod('a', { ...(world.node && { nodeName: 'n' }), terminationGracePeriodSeconds: 30 }) as object;
  const kind = served[which]?.definition.kind ?? '';
  return {
    ...given,
    ...(kind === 'Namespace' && { spec: { finalizers: ['kubernetes'] } }),
    kind,
    metadata: {
      name: 'a',
      uid: 'u',
      resourceVersion: '1',
      creationTimestamp: '2026-01-01T00:00:00Z',
      finalizers: world.finalizers,
    },
  } as unknown as KubeObject;
}

test('deleting again with the same words changes nothing', () => {
  fc.assert(
    fc.property(worlds, ({ which, requests, ...world }) => {
      const target = served[which];
      const [request] = requests;
      if (target === undefined || request === undefined) return;
      const plan = planDelete(objectOf(which, world), { served: target, options: request, nowMs });
      if (plan.do !== 'mark') return;
      expect(planDelete(plan.next, { served: target, options: request, nowMs: nowMs + 5_000 })).toEqual({ do: 'keep' });
    }),
  );
});

test('deletion never goes back, its end never moves away, and others’ finalizers are never touched', () => {
  fc.assert(
    fc.property(worlds, ({ which, requests, ...world }) => {
      const target = served[which];
      if (target === undefined) return;
      let object = objectOf(which, world);
      const foreign = (each: KubeObject): readonly string[] =>
        (each.metadata.finalizers ?? []).filter((finalizer) => finalizer.includes('/'));
      for (const request of requests) {
        const plan = planDelete(object, { served: target, options: request, nowMs });
        if (plan.do === 'remove') {
          expect(plan.last.metadata.finalizers ?? []).toEqual([]);
          return;
        }
        if (plan.do === 'keep') continue;
        const { next } = plan;
        const [before, after] = [object, next].map(({ metadata }) => fromTimestamp(metadata.deletionTimestamp ?? ''));
        if (!Number.isNaN(before)) expect(after).toBeLessThanOrEqual(before ?? 0);
        expect(Number.isNaN(after)).toBe(false);
        expect(foreign(next)).toEqual(foreign(object));
        expect(isFinished(target.traits, next)).toBe(false);
        object = next;
      }
    }),
  );
});
