import { expect, test } from 'vitest';
import { cronjobs, deployments, jobs, persistentvolumeclaims, pods, storageclasses } from '../api/generated/kinds.ts';
import type { ResourceType } from '../api/gvk.ts';
import type { KubeObject } from '../api/meta.ts';
import { asked } from '../testing/asked.ts';
import { makePod } from '../testing/makers.ts';
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
