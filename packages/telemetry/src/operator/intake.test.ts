import type { KubeObject } from '@signalbox/cluster';
import { expect, test } from 'vitest';
import type { ServiceMonitor } from '../resources/service-monitor.ts';
import { takeIn } from './intake.ts';

const monitor = (spec: unknown, metadata: object = { name: 'm', namespace: 'n' }): KubeObject =>
  ({ apiVersion: 'monitoring.coreos.com/v1', kind: 'ServiceMonitor', metadata, spec }) as unknown as KubeObject;
const refusals = (manifest: KubeObject): readonly string[] => {
  const { objects, findings } = takeIn([manifest]);
  if (findings.some(({ severity }) => severity === 'error')) expect(objects).toEqual([]);
  return findings.map(({ severity, field }) => `${severity} ${field}`);
};

test('defaults are filled in as a server would', () => {
  const { objects } = takeIn([monitor({ selector: {}, endpoints: [{ relabelings: [{ targetLabel: 'a' }] }] })]);
  const [taken] = objects as readonly ServiceMonitor[];
  expect(taken?.spec.endpoints[0]?.relabelings).toEqual([{ targetLabel: 'a', action: 'replace' }]);
});

test('an object without a namespace goes to "default"', () => {
  const { objects } = takeIn([monitor({ selector: {}, endpoints: [] }, { name: 'm' })]);
  expect(objects[0]?.metadata.namespace).toBe('default');
});

test.each<[string, KubeObject, readonly string[]]>([
  ['a missing field', monitor({ selector: {} }), ['error spec.endpoints']],
  ['a value of the wrong type', monitor({ selector: {}, endpoints: 'x' }), ['error spec.endpoints']],
  [
    'a value outside its pattern',
    monitor({ selector: {}, endpoints: [{ interval: 'soon' }] }),
    ['error spec.endpoints[0].interval'],
  ],
  ['no name', monitor({ selector: {}, endpoints: [] }, {}), ['error metadata.name']],
  [
    'an unknown field, which is only a warning',
    monitor({ selector: {}, endpoints: [], extra: 1 }),
    ['warning spec.extra'],
  ],
  [
    'a Secret with a number for text',
    { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' }, stringData: { a: 1 } } as unknown as KubeObject,
    ['error stringData.a'],
  ],
])('%s is found', (_, manifest, expected) => expect(refusals(manifest)).toEqual(expected));

test('kinds that nobody reads pass as they are', () => {
  const other = { apiVersion: 'example.com/v1', kind: 'Thing', metadata: { name: 1 } } as unknown as KubeObject;
  expect(takeIn([other])).toEqual({ objects: [other], findings: [] });
});
