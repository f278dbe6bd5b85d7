import type { KubeObject, New } from '@signalbox/cluster';
import { expect, test } from 'vitest';
import { withEdits } from './edits.ts';
import { changedFields } from './object-changes.ts';

const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration';

function deployment(annotations: Readonly<Record<string, string>> | undefined): New<KubeObject> {
  const metadata = { name: 'web', namespace: 'shop', ...(annotations !== undefined && { annotations }) };
  return { apiVersion: 'apps/v1', kind: 'Deployment', metadata, spec: { replicas: 2 } } as New<KubeObject>;
}

/** As it stands in a cluster after `kubectl apply`, which writes down annotations even where there were none. */
function running(applied: Readonly<Record<string, string>>): KubeObject {
  const text = JSON.stringify(deployment(applied));
  const annotations = { ...applied, 'deployment.kubernetes.io/revision': '1', [lastApplied]: text };
  const { metadata, ...rest } = deployment(undefined);
  return { ...rest, metadata: { ...metadata, uid: 'u', resourceVersion: '7', annotations } } as unknown as KubeObject;
}

test.each([
  ['what was applied without annotations is what it was', {}, undefined, []],
  ['an annotation that is left out goes, and no other', { a: '1' }, undefined, ['metadata.annotations.a']],
  ['an annotation that stays is what it was', { a: '1' }, { a: '1' }, []],
] as const)('%s', (_, applied, given, expected) => {
  const live = running(applied);
  const edits = { manifests: [deployment(given)], scales: [], namespace: 'default' };
  const [after] = withEdits([live], edits).objects;
  expect(changedFields(live, after as KubeObject)).toEqual(expected);
  expect(after?.metadata.annotations?.['deployment.kubernetes.io/revision']).toBe('1');
});

test.each([
  ['its node port stays where none is asked for', [{ port: 80 }, { port: 81 }], ['spec.ports[1]']],
  ['another one is a change', [{ port: 80, nodePort: 30002 }], ['spec.ports[0].nodePort']],
] as const)('of a Service: %s', (_, ports, expected) => {
  const service = (given: readonly object[]): KubeObject =>
    ({
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'web', namespace: 'shop' },
      spec: { type: 'NodePort', ports: given },
    }) as unknown as KubeObject;
  const live = service([{ port: 80, protocol: 'TCP', targetPort: 80, nodePort: 30001 }]);
  const edits = { manifests: [service(ports) as New<KubeObject>], scales: [], namespace: 'default' };
  const [after] = withEdits([live], edits).objects;
  expect(changedFields(live, after as KubeObject)).toEqual(expected);
});
