import {
  configmaps,
  customresourcedefinitions,
  endpointslices,
  type KubeObject,
  pods,
  type ResourceType,
  secrets,
  services,
  statefulsets,
} from '@signalbox/cluster';
import { expect, test } from 'vitest';
import { defaultComponents } from '../../components.ts';
import { customResourceDefinitions } from '../../resources/crds.ts';
import { prometheuses } from '../../resources/prometheus.ts';
import { servicemonitors } from '../../resources/service-monitor.ts';
import { operatorScope, operatorTrim } from './trim.ts';

const origin = 'kubectl.kubernetes.io/last-applied-configuration';

function kept(type: ResourceType, more: object = {}): Readonly<Record<string, unknown>> & KubeObject {
  const { group, version, kind } = type;
  const object = {
    apiVersion: group === '' ? version : `${group}/${version}`,
    kind,
    metadata: {
      name: 'a',
      namespace: 'shop',
      uid: 'u',
      resourceVersion: '7',
      creationTimestamp: '2030-01-01T00:00:00Z',
      labels: { app: 'a' },
      annotations: { [origin]: '{}', other: 'x' },
      managedFields: [{ manager: 'kubectl', fieldsV1: {} }],
    },
    ...more,
  };
  return operatorTrim(type)(object as unknown as KubeObject) as Readonly<Record<string, unknown>> & KubeObject;
}

test('who wrote which field, and when, is kept of StatefulSets alone: kept shards go by it', () => {
  expect(kept(statefulsets).metadata).toHaveProperty('managedFields');
  for (const type of [secrets, services, prometheuses, servicemonitors, configmaps, pods, endpointslices])
    expect(kept(type, { spec: { containers: [] }, endpoints: [] }).metadata).not.toHaveProperty('managedFields');
});

test('with what it was applied is kept where the operator may write the whole object', () => {
  expect(kept(services).metadata.annotations).toEqual({ [origin]: '{}', other: 'x' });
  expect(kept(prometheuses).metadata.annotations).toEqual({ [origin]: '{}', other: 'x' });
  expect(kept(servicemonitors).metadata.annotations).toEqual({ other: 'x' });
  expect(kept(configmaps, { data: { a: 'b' } })).toMatchObject({
    metadata: { annotations: { other: 'x' } },
    data: { a: 'b' },
  });
});

test('nor is it left out of anything that a component makes or patches', () => {
  for (const { rootType, owns, patches = [] } of defaultComponents())
    for (const type of [rootType, ...owns, ...patches])
      expect(kept(type, { spec: {} }).metadata.annotations).toHaveProperty([origin]);
});

test('an object with nothing to leave out stays the same', () => {
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } } as KubeObject;
  expect(operatorTrim(configmaps)(object)).toBe(object);
});

test('of an EndpointSlice its ports stay, and of endpoints whose they are and whether they have an address', () => {
  const targetRef = { kind: 'Pod', name: 'a-0' };
  const endpoints = [{ addresses: ['10.0.0.1', '10.0.0.2'], targetRef, nodeName: 'n', conditions: { ready: true } }];
  const slice = kept(endpointslices, { addressType: 'IPv4', ports: [{ name: 'http', port: 80 }], endpoints });
  expect(slice).toMatchObject({ metadata: { name: 'a', labels: { app: 'a' } }, ports: [{ name: 'http' }] });
  expect(slice['endpoints']).toEqual([{ addresses: ['10.0.0.1'], targetRef }]);
});

test('an EndpointSlice without endpoints has null on the wire', () => {
  expect(kept(endpointslices, { addressType: 'IPv4', endpoints: null })['endpoints']).toEqual([]);
});

test('a definition keeps its name, which versions have a status and what stands there, a hundredth of it', () => {
  const definitions = customResourceDefinitions() as unknown as readonly KubeObject[];
  const named = (name: string): KubeObject => {
    const found = definitions.find(({ metadata }) => metadata.name === `${name}.monitoring.coreos.com`);
    if (found === undefined) throw new Error('there is one');
    return found;
  };
  const trim = operatorTrim(customresourcedefinitions);
  const trimmed = trim(named('prometheuses'));
  expect(trimmed).toMatchObject({
    metadata: { name: 'prometheuses.monitoring.coreos.com' },
    spec: { versions: [{ name: 'v1', subresources: { status: {} } }] },
  });
  expect(JSON.stringify(trimmed).length * 100).toBeLessThan(JSON.stringify(named('prometheuses')).length);
  expect(trim(named('servicemonitors'))).toMatchObject({
    spec: {
      versions: [
        { schema: { openAPIV3Schema: { properties: { status: { properties: { bindings: {}, conditions: {} } } } } } },
      ],
    },
  });
});

test('what Helm remembers is not asked for', () => {
  expect(operatorScope(secrets)).toEqual({ fieldSelector: 'type!=helm.sh/release.v1' });
  expect(operatorScope(configmaps)).toBeUndefined();
});
