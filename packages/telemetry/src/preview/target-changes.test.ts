import { expect, test } from 'vitest';
import { defaultComponents } from '../components.ts';
import { prometheuses } from '../resources/prometheus.ts';
import { freshManifests } from '../testing/world.ts';
import { storedManifests, withEdits } from './edits.ts';
import { foretell } from './foretell.ts';
import { planChanges } from './plan-changes.ts';
import type { TargetChanges } from './target-changes.ts';

const options = { components: defaultComponents(), nowMs: 0, imagines: true };

const pod = (index: number, ip = `10.0.0.${index}`): string => `
apiVersion: v1
kind: Pod
metadata: { name: web-${index}, namespace: shop, labels: { app: web } }
spec: { containers: [{ name: web, image: web, ports: [{ name: http, containerPort: 80 }] }] }
status: { phase: Running, podIP: ${ip}, conditions: [{ type: Ready, status: 'True' }] }
`;

const monitor = (fields: string): string => `
apiVersion: monitoring.coreos.com/v1
kind: PodMonitor
metadata: { name: web, namespace: shop }
spec: { selector: { matchLabels: { app: web } }, podMetricsEndpoints: [{ ${fields} }] }
`;

const root = (annotations = ''): string => `
apiVersion: monitoring.coreos.com/v1
kind: Prometheus
metadata: { name: main, namespace: shop, annotations: { ${annotations} } }
spec: { shards: 2, podMonitorSelector: {} }
`;

const pods = Array.from({ length: 40 }, (_, index) => pod(index + 1));
const base = (annotations = ''): string => [root(annotations), monitor('port: http'), ...pods].join('---');

function planned(yaml: string, edits: string, shards?: number): readonly TargetChanges[] {
  const before = foretell(storedManifests(freshManifests(yaml), 'shop').objects, options).objects;
  const manifests = edits === '' ? [] : freshManifests(edits);
  const scales = shards === undefined ? [] : [{ type: prometheuses, name: 'main', shards }];
  const { objects } = withEdits(before, { manifests, scales, namespace: 'shop' });
  return planChanges(before, objects, options).targets;
}

const counted = (all: readonly TargetChanges[]): Readonly<Record<string, number>> => {
  const counts: Record<string, number> = {};
  for (const { change } of all.flatMap(({ changes }) => changes)) counts[change] = (counts[change] ?? 0) + 1;
  return counts;
};

test('with hashmod most targets move when a shard is added, with slots a third', () => {
  const hashmod = planned(base(), '', 3);
  const slots = planned(base('signalbox.dev/sharding: slots'), '', 3);
  expect(counted(hashmod)['moved']).toBeGreaterThan(20);
  expect(counted(slots)['moved']).toBeLessThan(20);
  expect(slots[0]?.looked).toBe(40);
  // With slots targets move to the new shard and nowhere else.
  expect(slots[0]?.shards.map(({ movedIn }) => movedIn > 0)).toEqual([false, false, true]);
});

test('a shard that is lost gives its targets to the others, none of them is lost', () => {
  const [changes] = planned(base(), '', 1);
  const { shards = [] } = changes ?? {};
  expect(counted(changes === undefined ? [] : [changes])).toEqual({ moved: shards[1]?.movedOut });
  expect(shards[0]).toEqual({ shard: 0, gained: 0, lost: 0, movedIn: shards[1]?.movedOut, movedOut: 0 });
});

test('targets that come and go are told by what they stand for', () => {
  expect(planned(base(), pod(41))).toMatchObject([
    { root: { name: 'main' }, changes: [{ change: 'gained', address: '10.0.0.41:80', of: 'Pod shop/web-41' }] },
  ]);
  expect(counted(planned(base(), monitor('port: other')))).toEqual({ lost: 40 });
});

test('a job that loses its last target is named, one that keeps some is not', () => {
  expect(planned(base(), monitor('port: other'))).toMatchObject([{ emptied: ['podMonitor/shop/web/0'] }]);
  const fewer = pods.slice(1).map((text) => text.replace('app: web', 'app: other'));
  expect(planned(base(), fewer.join('---'))).toMatchObject([{ emptied: [] }]);
  expect(
    planned(base(), root().replace('podMonitorSelector: {}', 'podMonitorSelector: { matchLabels: { a: b } }')),
  ).toMatchObject([{ emptied: ['podMonitor/shop/web/0'] }]);
});

test('other labels for the same targets are told as such', () => {
  const labels = 'port: http, relabelings: [{ targetLabel: team, replacement: a }]';
  expect(counted(planned(base(), monitor(labels)))).toEqual({ relabelled: 40 });
});

test('of what is not discovered nothing is claimed', () => {
  const alone = [root(), monitor('port: http')].join('---');
  expect(planned(alone, '', 3)).toMatchObject([
    { changes: [], unknown: [{ job: 'podMonitor/shop/web/0', why: expect.stringContaining('there are no Pods') }] },
  ]);
});

test('where nothing changes nothing is told, and agents that go on as they are have all their targets', () => {
  expect(planned(base(), monitor('port: http'))).toEqual([]);
  const paused = root().replace('shards: 2', 'shards: 3, paused: true');
  expect(planned(base(), paused)).toEqual([]);
});

test('manifests without pods have imagined ones, and those stay where they are', () => {
  const workload = (name: string): string => `
apiVersion: apps/v1
kind: Deployment
metadata: { name: ${name}, namespace: shop }
spec:
  selector: { matchLabels: { app: web, name: ${name} } }
  template:
    metadata: { labels: { app: web, name: ${name} } }
    spec: { containers: [{ name: web, image: web, ports: [{ name: http, containerPort: 80 }] }] }
`;
  const alone = [root(), monitor('port: http'), workload('b')].join('---');
  const [changes] = planned(alone, workload('a'));
  expect(changes?.isImagined).toBe(true);
  expect(changes?.changes).toMatchObject([{ change: 'gained', of: 'Pod shop/a-x' }]);
});
