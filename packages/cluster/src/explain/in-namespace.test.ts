import { expect, test } from 'vitest';
import {
  cronjobs,
  deployments,
  jobs,
  nodes,
  persistentvolumeclaims,
  pods,
  replicasets,
  statefulsets,
  storageclasses,
} from '../api/generated/kinds.ts';
import type { ResourceType } from '../api/gvk.ts';
import type { KubeObject, StoredMeta } from '../api/meta.ts';
import { asked } from '../testing/asked.ts';
import { makeNode, makePod } from '../testing/makers.ts';
import { createWorld, meta, podSpec, type World } from '../testing/plan-world.ts';
import { inNamespace } from './in-namespace.ts';

test('the namespace that everybody asks by himself goes without saying', () => {
  expect([{ namespace: 'shop' }, { namespace: 'default' }, {}].map(inNamespace)).toEqual([' -n shop', '', '']);
});

let world: World;
const put = (type: ResourceType, name: string, spec: object): KubeObject =>
  world.put(type, {
    apiVersion: type.version,
    kind: type.kind,
    metadata: meta(name, { namespace: 'shop', finalizers: ['kubernetes.io/pvc-protection'] }),
    spec,
    status: { phase: 'Pending' },
  } as KubeObject);
const labels = { app: 'x' };
const template = { metadata: { labels }, spec: podSpec };
const selector = { matchLabels: labels };
const cron = { schedule: '*/10 * * * *', jobTemplate: { spec: { template } } };

test.each<[string, ResourceType, object, string]>([
  ['Job', jobs, { suspend: true, selector, template }, `kubectl patch job x -n shop -p '{"spec":{"suspend":false}}'`],
  [
    'Job of none',
    jobs,
    { parallelism: 0, selector, template },
    `kubectl patch job x -n shop -p '{"spec":{"parallelism":1}}'`,
  ],
  ['CronJob', cronjobs, { ...cron, suspend: true }, `kubectl patch cronjob x -n shop -p '{"spec":{"suspend":false}}'`],
  [
    'CronJob out of order',
    cronjobs,
    { ...cron, schedule: '?' },
    'kubectl edit cronjob x -n shop: mend spec.schedule or spec.timeZone',
  ],
  [
    'Deployment',
    deployments,
    { paused: true, replicas: 1, selector, template, strategy: {} },
    'kubectl rollout resume deployment x -n shop',
  ],
  [
    'claim',
    persistentvolumeclaims,
    { storageClassName: 'late', accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    'signalbox explain pod web -n shop',
  ],
])('what mends a %s acts in its namespace', (_, type, spec, mend) => {
  world = createWorld();
  const { namespace: _none, ...metadata } = meta('late');
  const volumeBindingMode = 'WaitForFirstConsumer';
  world.put(storageclasses, {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata,
    provisioner: 'x',
    volumeBindingMode,
  });
  const volumes = [{ name: 'v', persistentVolumeClaim: { claimName: 'x' } }];
  world.put(pods, makePod('web', { spec: { volumes }, metadata: { namespace: 'shop' } }));
  put(type, 'x', spec);
  expect(asked(world, { type, name: 'x', namespace: 'shop' }).causes[0]?.mend).toBe(mend);
});

const inShop = (name: string): StoredMeta => meta(name, { namespace: 'shop' });

test('what takes a rollout back that has made no progress acts in its namespace', () => {
  world = createWorld();
  const conditions = [{ type: 'Progressing', status: 'False', reason: 'ProgressDeadlineExceeded' }];
  const controller = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'x', controller: true };
  const { uid } = world.put(deployments, {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: inShop('x'),
    spec: { replicas: 1, progressDeadlineSeconds: 60, selector, template, strategy: {} },
    status: { conditions },
  }).metadata;
  world.put(replicasets, {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: { ...inShop('x-1'), labels, ownerReferences: [{ ...controller, uid }] },
    spec: { replicas: 0, selector, template: { ...template, metadata: { labels: { ...labels, older: 'yes' } } } },
    status: { replicas: 0 },
  });
  const { causes } = asked(world, { type: deployments, name: 'x', namespace: 'shop' });
  expect(causes.at(-1)?.mend).toContain('kubectl rollout undo deployment x -n shop');
});

test('what runs a Job whose start was missed acts in the namespace of its CronJob', () => {
  world = createWorld();
  put(cronjobs, 'x', { ...cron, startingDeadlineSeconds: 10, concurrencyPolicy: 'Allow' });
  world.nowMs += 11 * 60_000;
  const { causes } = asked(world, { type: cronjobs, name: 'x', namespace: 'shop' });
  expect(causes[0]?.mend).toBe('run it now: kubectl create job --from=cronjob/x x-by-hand -n shop');
});

test('what deletes a pod of an older revision acts in the namespace of its StatefulSet', () => {
  world = createWorld();
  world.put(nodes, makeNode('a'));
  world.put(pods, makePod('x-0', { metadata: { namespace: 'shop' }, labels, node: 'a' }));
  world.put(pods, makePod('x-1', { metadata: { namespace: 'shop' }, labels, node: 'a' }));
  put(statefulsets, 'x', { serviceName: 'x', replicas: 2, selector, template, updateStrategy: { type: 'OnDelete' } });
  const { causes } = asked(world, { type: statefulsets, name: 'x', namespace: 'shop' });
  expect(causes[0]?.mend).toContain('kubectl delete pod x-0 -n shop');
});
