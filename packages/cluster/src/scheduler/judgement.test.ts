import { expect, test } from 'vitest';
import { makeNode, makePod } from '../testing/makers.ts';
import { judgePod } from './judgement.ts';
import { isResolvable } from './plugin.ts';

const nodes = [
  makeNode('full'),
  makeNode('tainted', { taints: [{ key: 'k', effect: 'NoSchedule' }], cpu: '1' }),
  makeNode('free'),
];
const pods = [makePod('there', { node: 'full', cpu: '3' })];

test('every plugin says what it thinks of every node', () => {
  const judged = judgePod(makePod('p', { cpu: '2' }), { nodes, pods });
  const against = (node: string): readonly string[] =>
    judged
      .on(node)
      .flatMap(({ plugin, verdict }) =>
        verdict.fits ? [] : [`${plugin}: ${verdict.reasons[0]?.text} ${isResolvable(verdict)}`],
      );
  expect(against('full')).toEqual(['NodeResourcesFit: Insufficient cpu true']);
  expect(against('tainted')).toEqual([
    'TaintToleration: node(s) had untolerated taint {k: } false',
    'NodeResourcesFit: Insufficient cpu false',
  ]);
  expect(against('free')).toEqual([]);
  expect(judged.on('nowhere')).toEqual([]);
  expect(judged.on('free').map(({ plugin }) => plugin)).toContain('InterPodAffinity');
  expect(judged.scores(['full', 'free']).find(({ plugin }) => plugin === 'NodeResourcesFit')).toEqual({
    plugin: 'NodeResourcesFit',
    weight: 1,
    scores: [48, 74],
  });
});

test('a pod that is rejected whatever the node has one reason', () => {
  const pod = makePod('p', { spec: { volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'data' } }] } });
  expect(judgePod(pod, { nodes, pods }).rejected).toEqual({
    plugin: 'VolumeBinding',
    message: 'persistentvolumeclaim "data" not found',
  });
});

test('a pod that is pinned is kept from the others by the rule that pins it', () => {
  const term = { matchFields: [{ key: 'metadata.name', operator: 'In', values: ['full'] }] };
  const affinity = { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [term] } } };
  const judged = judgePod(makePod('p', { spec: { affinity } }), { nodes, pods });
  expect(
    judged
      .on('free')
      .filter(({ verdict }) => !verdict.fits)
      .map(({ plugin }) => plugin),
  ).toEqual(['NodeAffinity']);
});
