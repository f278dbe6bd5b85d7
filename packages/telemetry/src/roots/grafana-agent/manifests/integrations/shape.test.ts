import { expect, test } from 'vitest';
import type { GrafanaAgent } from '../../../../resources/grafana-agent.ts';
import type { Integration } from '../../../../resources/integration.ts';
import { objectsOf } from '../../../../testing/world.ts';
import { referenceId } from '../../../../world/references.ts';
import { integrationsShape } from './shape.ts';

const [root] = objectsOf(`
apiVersion: monitoring.grafana.com/v1alpha1
kind: GrafanaAgent
metadata: { name: agent, namespace: m }
spec: { storage: { volumeClaimTemplate: {} }, metrics: { shards: 2 } }
`) as readonly [GrafanaAgent];

function shapeOf(...members: readonly { readonly place: string; readonly spec: string }[]): {
  readonly volumes: readonly string[];
  readonly mounts: readonly string[];
  readonly env: readonly string[];
} {
  const integrations = members.map(({ place, spec }) => {
    const [namespace, name] = place.split('/');
    const [integration] = objectsOf(`
apiVersion: monitoring.grafana.com/v1alpha1
kind: Integration
metadata: { name: ${name}, namespace: ${namespace} }
spec: { name: x, type: {}, config: {}, ${spec} }
`) as readonly [Integration];
    return integration;
  });
  const { volumes, volumeMounts, env } = integrationsShape(root, {
    kind: 'ds',
    members: integrations,
    keyOf: referenceId,
  });
  return {
    volumes: volumes.map(({ name }) => name),
    mounts: volumeMounts.map(({ name, mountPath }) => `${name} ${mountPath}`),
    env: env.map(({ name, value = '' }) => `${name}=${value}`),
  };
}

const common = ['agent-integrations-ds-wal', 'varlog', 'dockerlogs'];

test('integrations come first, then the write-ahead log, then the logs; the data folder of the logs gives way', () => {
  const spec = 'volumes: [{ name: root, hostPath: { path: / } }], volumeMounts: [{ name: root, mountPath: /host }]';
  const { volumes, mounts, env } = shapeOf({ place: 'm/node', spec: `${spec}, secrets: [{ name: s, key: k }]` });
  expect(volumes).toEqual(['m-node-root', 'agent-integrations-secrets', ...common]);
  expect(mounts).toEqual([
    'm-node-root /host',
    'agent-integrations-secrets /etc/grafana-agent/integrations',
    'agent-integrations-ds-wal /var/lib/grafana-agent/data',
    'varlog /var/log',
    'dockerlogs /var/lib/docker/containers',
  ]);
  expect(env).toEqual(['SHARD=0', 'SHARDS=2', 'HOSTNAME=']);
});

test('an integration that mounts where the logs do has its way, and the volume without a mount goes', () => {
  const spec = 'volumes: [{ name: log, emptyDir: {} }], volumeMounts: [{ name: log, mountPath: /var/log }]';
  const { volumes, mounts } = shapeOf({ place: 'm/node', spec });
  expect(volumes).toEqual(['m-node-log', 'agent-integrations-ds-wal', 'dockerlogs']);
  expect(mounts).toContain('m-node-log /var/log');
  expect(mounts).not.toContain('varlog /var/log');
});

test('the first of two integrations that mount at one path has it', () => {
  const spec = 'volumes: [{ name: v, emptyDir: {} }], volumeMounts: [{ name: v, mountPath: /x }]';
  const { volumes, mounts } = shapeOf({ place: 'm/a', spec }, { place: 'm/b', spec });
  expect(volumes).toEqual(['m-a-v', ...common]);
  expect(mounts.filter((mount) => mount.endsWith(' /x'))).toEqual(['m-a-v /x']);
});

test('names are volume names, and two integrations never share one', () => {
  const mounted = (path: string): string =>
    `volumes: [{ name: c, emptyDir: {} }], volumeMounts: [{ name: c, mountPath: /${path} }]`;
  const { volumes, mounts } = shapeOf(
    { place: 'a/b.with.dots', spec: mounted('1') },
    { place: `a/${'long'.repeat(20)}`, spec: mounted('2') },
    { place: 'a/b-c', spec: mounted('3') },
    { place: 'a-b/c', spec: mounted('4') },
  );
  const own = volumes.slice(0, 4);
  expect(new Set(own).size).toBe(4);
  for (const name of own) expect(name).toMatch(/^[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?$/);
  expect(own[2]).toBe('a-b-c-c');
  expect(own[3]).toMatch(/^a-b-c-c-[0-9a-f]{8}$/);
  expect(mounts.slice(0, 4)).toEqual(own.map((name, index) => `${name} /${index + 1}`));
});

test('a mount of a volume that the integration does not have is left out', () => {
  const { mounts } = shapeOf({ place: 'm/a', spec: 'volumeMounts: [{ name: secrets, mountPath: /steal }]' });
  expect(mounts.join()).not.toContain('/steal');
});
