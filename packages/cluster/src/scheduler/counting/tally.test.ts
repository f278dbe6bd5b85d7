/** A count some pods later is what counting anew comes to. */
import fc from 'fast-check';
import { expect, inject, test } from 'vitest';
import { makeNode, makePod } from '../../testing/makers.ts';
import { createNodeAccount, type NodeView } from '../node-view.ts';
import { podView } from '../pod-view.ts';
import type { Counted, TopologyCount } from './live-count.ts';
import { type Tally, tallyOf } from './tally.ts';

const counted: Counted = {
  id: 'x',
  topologyKey: 'rack',
  looksAtNamespaces: false,
  namespace: undefined,
  label: undefined,
  countsPod: ({ pod }) => pod.metadata.labels?.['app'] === 'x',
};

const racks = ['1', '2', '3', '4'];
/** One without the label, and one that is not counted. */
const nodes: readonly NodeView[] = [...racks, undefined, 'uncounted'].map((rack, index) =>
  createNodeAccount(
    makeNode(`n${index}`, rack === undefined ? {} : { labels: { rack: rack === 'uncounted' ? '1' : rack } }),
    { changed: () => undefined },
  ),
);
const [mine, theirs] = ['x', 'y'].map((app) => podView(makePod(app, { labels: { app } })));

function countOf(pods: readonly number[]): TopologyCount {
  const levels = new Map<number, number>();
  for (const number of pods) levels.set(number, (levels.get(number) ?? 0) + 1);
  return {
    domains: new Map(pods.map((number, index) => [racks[index] ?? '', number])),
    levels,
    podsTotal: pods.reduce((sum, number) => sum + number, 0),
    podsOn: () => 0,
    countsOn: (node) => node !== 'n4' && node !== 'n5',
  };
}

function shown(tally: Tally): object {
  return { pods: racks.map((rack) => tally.podsIn(rack)), least: tally.least(), total: tally.podsTotal };
}

test('steps add up, and leave what was before alone', () => {
  const given = fc.record({
    pods: fc.array(fc.nat(2), { maxLength: racks.length }),
    steps: fc.array(fc.record({ node: fc.nat(5), more: fc.boolean(), isMine: fc.integer({ min: 0, max: 4 }) }), {
      maxLength: 8,
    }),
  });
  fc.assert(
    fc.property(given, ({ pods, steps }) => {
      const sums = [...pods, ...racks.slice(pods.length).map(() => 0)];
      const plain = (): object => ({
        pods: [...sums],
        least: Math.min(Number.POSITIVE_INFINITY, ...sums.slice(0, pods.length)),
        total: sums.reduce((sum, number) => sum + number, 0),
      });
      let tally = tallyOf(counted, countOf(pods));
      const before: [Tally, object][] = [[tally, plain()]];
      for (const { node, more, isMine } of steps) {
        const [where, pod] = [nodes[node], isMine > 0 ? mine : theirs];
        // Pods go to domains that there are.
        if (where === undefined || pod === undefined || (node < racks.length && node >= pods.length)) continue;
        tally = more ? tally.with(pod, where) : tally.without(pod, where);
        if (isMine > 0 && node < racks.length) sums[node] = (sums[node] ?? 0) + (more ? 1 : -1);
        before.push([tally, plain()]);
      }
      for (const [each, expected] of before) expect(shown(each)).toEqual(expected);
      expect(tally.domainCount).toBe(pods.length);
    }),
    { numRuns: 200 * inject('thoroughness') },
  );
});
