import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Node, Pod } from '../api/generated/core-v1.ts';
import { nodes as nodesType, pods as podsType } from '../api/generated/kinds.ts';
import { seededRandom } from '../base/random.ts';
import { defaultPlugins } from '../scheduler/default-plugins.ts';
import { fits, rejects, type SchedulerPlugin } from '../scheduler/plugin.ts';
import { podView } from '../scheduler/pod-view.ts';
import { schedule } from '../scheduler/schedule.ts';
import { createSnapshot } from '../scheduler/snapshot.ts';
import { makeNode, makePod } from '../testing/makers.ts';
import { explainFrom } from './explain.ts';
import { schedulingBy, worldOf } from './world.ts';

const taint = { key: 'k', effect: 'NoSchedule' };
const someNode = fc.record({
  cpu: fc.constantFrom('1', '4'),
  labels: fc.constantFrom({}, { disk: 'ssd' }),
  unschedulable: fc.boolean(),
  taints: fc.constantFrom([], [taint]),
});
const somePod = fc.record({
  cpu: fc.constantFrom('500m', '1', '3'),
  hostPort: fc.constantFrom(80, 81, 90),
  priority: fc.constantFrom(0, 5),
  place: fc.nat(5),
});
const someSpec = fc.constantFrom(
  {},
  { nodeSelector: { disk: 'ssd' } },
  { tolerations: [{ operator: 'Exists' as const }] },
);

test('a node is said to fit exactly when the scheduler would take it, and every node is said once', () => {
  const worlds = fc.record({
    nodes: fc.array(someNode, { maxLength: 5 }),
    pods: fc.array(somePod, { maxLength: 6 }),
    asked: somePod,
    spec: someSpec,
  });
  fc.assert(
    fc.property(worlds, ({ nodes: parts, pods: others, asked, spec }) => {
      const nodes = parts.map((each, index) => makeNode(`n${index}`, each));
      const pod = makePod('asked', { ...asked, spec });
      const pods = [pod, ...others.map(({ place, ...each }, index) => bound(makePod(`p${index}`, each), place))];
      const fitting = nodes.filter((node) => placed(pod, { node, pods })).map(({ metadata }) => metadata.name);
      const lists = [
        { type: nodesType, objects: nodes },
        { type: podsType, objects: pods },
      ];
      const subject = { type: podsType, namespace: 'default', name: 'asked' };
      const told = explainFrom(subject, { world: worldOf(lists, 0) });
      const groups = told?.groups ?? [];
      expect(groups.flatMap(({ names }) => names).toSorted()).toEqual(
        nodes.map(({ metadata }) => metadata.name).toSorted(),
      );
      expect(groups.filter(({ state }) => state === 'fits').flatMap(({ names }) => names)).toEqual(fitting);
      for (const { state, why } of groups) expect(why === '').toBe(state === 'fits');
    }),
    { numRuns: 100 },
  );
});

test('a plugin of one’s own may fail wherever it likes: it is told, and nobody throws', () => {
  const moods = fc.array(fc.constantFrom('fits', 'rejects', 'fails'), { minLength: 3, maxLength: 9 });
  const worlds = fc.record({ moods, prepares: fc.boolean(), details: fc.boolean(), only: fc.option(fc.nat(3)) });
  fc.assert(
    fc.property(worlds, ({ moods: given, prepares, details, only }) => {
      let turn = 0;
      const fail = (): never => {
        throw new Error('oops');
      };
      const moody: SchedulerPlugin = {
        name: 'Moody',
        wakesOn: [],
        ...(prepares && { prepare: () => (given[0] === 'fails' ? fail() : { state: undefined }) }),
        filter() {
          const mood = given[turn++ % given.length];
          return mood === 'fails' ? fail() : mood === 'fits' ? fits : rejects('not now');
        },
        ...(details && { details: fail }),
      };
      const lists = [
        { type: nodesType, objects: ['n0', 'n1', 'n2'].map((name) => makeNode(name)) },
        {
          type: podsType,
          objects: [makePod('asked', { cpu: '1', priority: 5 }), bound(makePod('low', { cpu: '3' }), 1)],
        },
      ];
      const world = worldOf(lists, 0, { scheduling: schedulingBy({ plugins: [moody] }) });
      const subject = { type: podsType, namespace: 'default', name: 'asked' };
      const told = explainFrom(subject, { world, ...(only !== null && { node: `n${only}` }) });
      expect(told?.causes.length).toBeGreaterThan(0);
      const isFailing = told?.groups.some(({ state }) => state === 'cannot be judged') === true;
      if (isFailing) expect(JSON.stringify(told)).toContain('it fails: oops');
    }),
    { numRuns: 200 },
  );
});

function bound(pod: Pod, place: number): Pod {
  const nodeName = `n${place}`;
  return { ...pod, spec: { ...pod.spec, nodeName }, status: { phase: 'Running' } };
}

/** With no other node the scheduler takes this one, or none. */
function placed(pod: Pod, { node, pods }: { readonly node: Node; readonly pods: readonly Pod[] }): boolean {
  const snapshot = createSnapshot();
  snapshot.setNode(node);
  for (const other of pods) snapshot.setPod(other);
  const options = { plugins: defaultPlugins, random: seededRandom('law'), startAt: 0 };
  return schedule(podView(pod), snapshot, options).node !== undefined;
}
