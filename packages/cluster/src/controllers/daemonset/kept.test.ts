/** Whoever keeps sites from look to look plans what somebody plans who sees everything for the first time. */
import fc from 'fast-check';
import { expect, inject, test } from 'vitest';
import type { DaemonSet } from '../../api/generated/apps-v1.ts';
import type { Pod } from '../../api/generated/core-v1.ts';
import { daemonsets, nodes, pods } from '../../api/generated/kinds.ts';
import type { KubeObject } from '../../api/meta.ts';
import { createWorld, daemonset, node, podSpec, ready, unready, type World } from '../../testing/plan-world.ts';
import { edited } from '../../testing/workloads/lives.ts';
import { daemonsetController } from './controller.ts';
import { type Memory, observe } from './observe.ts';
import { plan } from './plan.ts';
import { targetNode } from './pod.ts';

const key = 'default/ds';
const nodeNumbers = fc.integer({ min: 1, max: 6 });

type Step =
  | {
      readonly node: number;
      readonly as: 'plain' | 'tainted' | 'evicting' | 'labelled' | 'gone' | 'another' | 'not ready';
    }
  | { readonly pod: number; readonly does: (typeof doings)[number] }
  | { readonly edit: (typeof edits)[number] }
  | { readonly passMs: number }
  | { readonly look: 'looks' | 'acts' | 'dies' };

const doings = [
  'serves',
  'fails',
  'succeeds',
  'stutters',
  'ends',
  'is gone',
  'loses its label',
  'loses its owner',
  'loses its revision',
  'moves',
] as const;
const edits = ['image', 'selector', 'set again', 'surge', 'min ready', 'ends'] as const;

const steps: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    node: nodeNumbers,
    as: fc.constantFrom('plain', 'plain', 'tainted', 'evicting', 'labelled', 'gone', 'another', 'not ready'),
  }),
  fc.record({ pod: fc.nat(9), does: fc.constantFrom(...doings, 'serves', 'serves') }),
  fc.record({ edit: fc.constantFrom(...edits) }),
  fc.record({ passMs: fc.constantFrom(1_000, 10_000) }),
  fc.record({ look: fc.constantFrom('looks', 'acts', 'acts', 'acts', 'dies') }),
);

let uids = 0;

function happen(world: World, step: Step): void {
  if ('node' in step) changeNode(world, step);
  else if ('pod' in step) changePod(world, step);
  else if ('edit' in step) edit(world, step.edit);
  else if ('passMs' in step) world.nowMs += step.passMs;
}

function changeNode(world: World, { node: number, as }: Extract<Step, { node: number }>): void {
  const name = `node-${number}`;
  const known = world.of(nodes).get(name);
  if ((as === 'gone' || as === 'another') && known !== undefined) world.remove(nodes, known);
  if (as === 'gone') return;
  const uid = as === 'another' || known === undefined ? `node-${uids++}` : known.metadata.uid;
  const made = node(name, {
    labels: as === 'labelled' ? { disk: 'ssd' } : {},
    taints:
      as === 'tainted'
        ? [{ key: 'a', effect: 'NoSchedule' }]
        : as === 'evicting'
          ? [{ key: 'a', effect: 'NoExecute' }]
          : [],
  });
  const status = { conditions: [{ type: 'Ready', status: as === 'not ready' ? 'Unknown' : 'True' }] };
  world.put(nodes, { ...made, status, metadata: { ...made.metadata, uid } });
}

function changePod(world: World, { pod: number, does }: Extract<Step, { pod: number }>): void {
  const all = world.list(pods);
  const pod = all[number % Math.max(1, all.length)];
  if (pod === undefined) return;
  if (does === 'is gone') world.remove(pods, pod);
  else world.put(pods, changed(pod, { does, world }));
}

function changed(pod: Pod, { does, world }: { readonly does: (typeof doings)[number]; readonly world: World }): Pod {
  const { metadata, spec } = pod;
  switch (does) {
    case 'serves':
      return ready(pod, { sinceMs: world.nowMs, nodeName: targetNode(pod) ?? '' });
    case 'fails':
    case 'succeeds':
      return { ...pod, status: { phase: does === 'fails' ? 'Failed' : 'Succeeded' } };
    case 'stutters':
      return unready(pod);
    case 'ends':
      return { ...pod, metadata: { ...metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } };
    case 'loses its label':
      return { ...pod, metadata: { ...metadata, labels: { ...metadata.labels, app: 'other' } } };
    case 'loses its owner':
      return { ...pod, metadata: { ...metadata, ownerReferences: [] } };
    case 'loses its revision':
      return { ...pod, metadata: { ...metadata, labels: { app: 'ds' } } };
    case 'moves':
      return { ...pod, spec: { ...spec, nodeName: 'node-1' } };
    case 'is gone':
      return pod;
    default:
      return does satisfies never;
  }
}

function edit(world: World, what: (typeof edits)[number]): void {
  const set = world.of(daemonsets).get(key);
  if (set !== undefined) world.put(daemonsets, editedAs(set, what));
}

function editedAs(set: DaemonSet, what: (typeof edits)[number]): DaemonSet {
  const { template } = set.spec;
  switch (what) {
    case 'image':
      return edited(set, {
        template: { ...template, spec: { ...podSpec, containers: [{ name: 'app', image: `app:${uids++ % 3}` }] } },
      });
    case 'selector':
      return edited(set, {
        template: { ...template, spec: { ...podSpec, nodeSelector: uids++ % 2 === 0 ? { disk: 'ssd' } : {} } },
      });
    case 'surge':
      return edited(set, {
        updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 0, maxSurge: '50%' } },
      });
    case 'min ready':
      return edited(set, { minReadySeconds: 5 });
    case 'set again':
      return { ...set, metadata: { ...set.metadata, uid: `set-${uids++}` } };
    case 'ends':
      return { ...set, metadata: { ...set.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } };
    default:
      return what satisfies never;
  }
}

/** Plans with what was kept and without, and returns what there is to remember. */
function look(world: World, before: Memory | undefined): { readonly memory: Memory | undefined; act(): void } {
  const kept = observe(key, world, before);
  const anew = observe(key, world, before && { backoffs: before.backoffs });
  if (kept === undefined || anew === undefined) throw new Error('it is there');
  const planned = plan(kept, world.nowMs);
  const { actions, againInMs, memory } = plan(anew, world.nowMs);
  expect({ actions: planned.actions, againInMs: planned.againInMs, backoffs: planned.memory?.backoffs }).toEqual({
    actions,
    againInMs,
    backoffs: memory?.backoffs,
  });
  return {
    memory: planned.memory,
    act() {
      for (const action of planned.actions)
        if (action.do !== 'create' || !exists(world, action.object)) world.apply(action);
    },
  };
}

/** A revision in other hands. */
function exists(world: World, object: { readonly metadata: { readonly name?: string } }): boolean {
  return world
    .list<KubeObject>(daemonsetController.watches[3]?.type ?? pods)
    .some(({ metadata }) => metadata.name === object.metadata.name);
}

test('what is kept comes to what a first look sees, whatever happens in between', () => {
  let looks = 0;
  fc.assert(
    fc.property(fc.boolean(), fc.array(steps, { minLength: 20, maxLength: 60, size: 'max' }), (graceful, story) => {
      const world = createWorld();
      world.graceful = graceful;
      for (let number = 1; number <= 4; number++) changeNode(world, { node: number, as: 'plain' });
      world.put(
        daemonsets,
        daemonset('ds', { updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 2 } } }),
      );
      let memory: Memory | undefined;
      for (const step of story) {
        happen(world, step);
        if (!('look' in step)) continue;
        if (step.look === 'dies') memory = undefined;
        const seen = look(world, memory);
        memory = seen.memory;
        looks++;
        if (step.look === 'acts') seen.act();
      }
      look(world, memory);
    }),
    { numRuns: 60 * inject('thoroughness') },
  );
  expect(looks).toBeGreaterThan(100);
});
