import { configmaps, type KubeObject, type ResourceType } from '@signalbox/cluster';
import { expect, test } from 'vitest';
import type { Fact } from '../resources/condition.ts';
import { objectsOf } from '../testing/world.ts';
import type { Finding } from '../world/findings.ts';
import type { DesiredStatus, RootComponent } from './component.ts';
import { isPaused } from './paused.ts';
import { factsOf } from './status-facts.ts';

/** A kind of root that nobody knows. */
const component: RootComponent = {
  name: 'lamp',
  rootType: configmaps as unknown as ResourceType,
  reads: [],
  collects: [],
  owns: [],
  patches: [],
  managedBy: 'lamp',
  ownedPrefixes: [],
  isPaused,
  looks: () => ({ isHomeOnly: false, isElsewhere: false }),
  pickings: () => [],
  build: () => {
    throw new Error('nobody builds it here');
  },
};
const available: Fact = { type: 'Available', status: 'True', reason: 'On', message: '' };
const status: DesiredStatus = { conditions: [available, 'Reconciled'], note: 'nothing selected', fields: {} };

function lamp(spec: string): KubeObject {
  const [object] = objectsOf(`{ apiVersion: v1, kind: Lamp, metadata: { name: a, namespace: m }, spec: ${spec} }`);
  if (object === undefined) throw new Error('there is one');
  return object;
}

function finding(severity: Finding['severity'], reason: string): Finding {
  return { severity, regarding: lamp('{}'), reason, field: '', message: 'is dark' };
}

function line({ type, status: state, reason }: Fact): string {
  return `${type}=${state} ${reason}`;
}

test.each<[string, readonly Finding[], string]>([
  ['nothing was found', [], 'True Reconciled'],
  ['there are warnings', [finding('warning', 'Dim')], 'True WithWarnings'],
  ['something is wrong', [finding('warning', 'Dim'), finding('error', 'Dark')], 'False Dark'],
])('Reconciled stands in its place when %s', (_, findings, said) => {
  expect(factsOf(component, lamp('{}'), { status, findings }).map(line)).toEqual([
    'Available=True On',
    `Reconciled=${said}`,
  ]);
});

test('of a paused root nothing else is said', () => {
  const facts = factsOf(component, lamp('{ paused: true }'), { status, findings: [finding('error', 'Dark')] });
  expect(facts.map(line)).toEqual(['Available=True On', 'Reconciled=True Paused']);
});

test('a kind of root may say it in its own words, of all findings and its note', () => {
  const own: RootComponent = {
    ...component,
    reconciled: (_root, { findings, note }) => ({
      type: 'Reconciled',
      status: 'True',
      reason: `${findings.length} ${note}`,
      message: '',
    }),
  };
  const facts = factsOf(own, lamp('{}'), { status, findings: [finding('error', 'Dark')] });
  expect(facts.map(line)[1]).toBe('Reconciled=True 1 nothing selected');
});

test.each(['{}', '{ paused: false }', '{ paused: "true" }', 'null'])('a root with spec %s is not paused', (spec) => {
  expect(isPaused(lamp(spec))).toBe(false);
});
