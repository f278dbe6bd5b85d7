import type { KubeObject } from '@signalbox/cluster';
import { describe, expect, test } from 'vitest';
import { alike, told } from './alike.ts';
import { differencesOf, formatDifference, unexplained } from './differences.ts';
import { isBrought } from './scope.ts';

type Parts = Readonly<Record<string, unknown>>;

function object(kind: string, metadata: Parts, rest: Parts = {}): KubeObject {
  return { apiVersion: 'v1', kind, metadata: { namespace: 'a', ...metadata }, ...rest } as unknown as KubeObject;
}

const all = { only: () => true };

/** The same pod of a ReplicaSet as two clusters have it. */
function world({ uid, hash, any, ip }: Readonly<Record<'uid' | 'hash' | 'any' | 'ip', string>>): readonly KubeObject[] {
  const labels = { 'pod-template-hash': hash };
  const owner = { kind: 'ReplicaSet', name: `web-${hash}`, uid };
  return [
    object('ReplicaSet', { name: `web-${hash}`, uid, labels, resourceVersion: ip }),
    object(
      'Pod',
      { name: `web-${hash}-${any}`, generateName: `web-${hash}-`, labels, ownerReferences: [owner], uid: `${uid}p` },
      {
        spec: { nodeName: any === 'abcde' ? 'node-1' : 'node-2' },
        status: { podIP: ip, startTime: '2026-01-01T00:00:00Z' },
      },
    ),
    object('Node', { name: 'node-1', namespace: undefined }, { status: { addresses: [{ address: 'node-1' }] } }),
    object('Node', { name: 'node-2', namespace: undefined }, { status: { addresses: [{ address: 'node-2' }] } }),
  ];
}

const one = world({ uid: 'u1', hash: '5d4f', any: 'abcde', ip: '10.0.0.1' });
const other = world({ uid: 'u9', hash: '77bc', any: 'zyxwv', ip: '10.0.7.3' });

test('what chance has chosen is the same in both', () => {
  const only = ({ kind }: KubeObject): boolean => kind !== 'Node';
  expect(alike(one, { only }).map(({ called }) => called)).toEqual([
    'ReplicaSet a/web-<hash>',
    'Pod a/web-<hash>-<any>',
  ]);
  expect(differencesOf(alike(one, { only }), alike(other, { only }))).toEqual([]);
});

test('what nobody has chosen is told with its place', () => {
  const lines = differencesOf(
    alike([object('Pod', { name: 'p' }, { spec: { a: [{ b: 1 }], c: {} } })], all),
    alike([object('Pod', { name: 'p' }, { spec: { a: [{ b: 2 }, 3] } })], all),
  ).map(formatDifference);
  expect(lines).toEqual([
    'Pod a/p: spec.a[0].b: upstream 1, here 2',
    'Pod a/p: spec.a[1]: upstream nothing, here 3',
    'Pod a/p: spec.c: upstream {}, here nothing',
  ]);
});

test('annotations of which none is to stay say nothing, and uids of objects that are not looked at are like each other', () => {
  const trigger = { 'endpoints.kubernetes.io/last-change-trigger-time': '2026-01-01T00:00:00Z' };
  const of = (annotations: object | undefined, uid: string): readonly KubeObject[] => [
    object('Endpoints', { name: 'e', ...(annotations && { annotations }) }, { of: uid }),
  ];
  const [a, b] = ['0c1f6a52-9d1c-4f0e-8a3b-1f2e3d4c5b6a', 'ffffffff-0000-4000-8000-000000000000'];
  expect(differencesOf(alike(of(trigger, a), all), alike(of(undefined, b), all))).toEqual([]);
  expect(differencesOf(alike(of({}, a), all), alike(of({ x: 'y' }, b), all))).toHaveLength(1);
});

test('objects that only one has are told, and how many of a name', () => {
  const pod = object('Pod', { name: 'web-abcde', generateName: 'web-' });
  const second = object('Pod', { name: 'web-xyzzy', generateName: 'web-' });
  expect(differencesOf(alike([pod], all), alike([pod, second], all)).map(formatDifference)).toEqual([
    'Pod a/web-<any>: upstream 1, here 2',
  ]);
  expect(differencesOf(alike([], all), alike([pod], all)).map(formatDifference)).toEqual([
    'Pod a/web-<any>: upstream nothing, here 1',
  ]);
});

test('events count by what they are about', () => {
  const event = (name: string, parts: Parts): KubeObject =>
    object('Event', { name }, { type: 'Normal', reason: 'Scheduled', involvedObject: { kind: 'Pod' }, ...parts });
  const there = told([event('a', { source: {}, reportingComponent: 's' }), event('b', { reportingComponent: 's' })]);
  expect(there.map(({ called }) => called)).toEqual(['Event Normal Scheduled of Pod by s']);
  expect(told([event('c', { source: { component: 's' } })])).toEqual(there);
});

describe('what is known', () => {
  const found = [
    { of: 'Pod a/p', path: 'status.x[3].y', there: 'null', here: undefined },
    { of: 'Pod a/q', path: 'spec', there: '1', here: '2' },
  ];

  test('is no news, and what is known but does not happen is', () => {
    const known = [
      { what: 'Pod *: status.x[*].y: upstream null', why: '' },
      { what: 'Pod a/z', why: '' },
      { what: 'Pod a/never', why: '', comesAndGoes: true },
    ];
    expect(unexplained(found, known)).toEqual({
      lines: ['Pod a/q: spec: upstream 1, here 2'],
      needless: ['Pod a/z'],
    });
  });
});

test('what a cluster has of itself is left out', () => {
  const role = (name: string, labels: Parts = {}): KubeObject => object('ClusterRole', { name, labels });
  expect(isBrought(role('mine'))).toBe(true);
  expect(isBrought(role('view', { 'kubernetes.io/bootstrapping': 'rbac-defaults' }))).toBe(false);
  expect(isBrought(object('Lease', { name: 'x' }))).toBe(false);
  expect(isBrought(object('ServiceAccount', { name: 'job-controller', namespace: 'kube-system' }))).toBe(false);
  expect(isBrought(object('ServiceAccount', { name: 'job-controller' }))).toBe(true);
});
