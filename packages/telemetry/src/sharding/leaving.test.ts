import type { StatefulSet } from '@signalbox/cluster';
import { expect, test } from 'vitest';
import { leavesAtAnnotation, planLeaving } from './leaving.ts';

const nowMs = Date.parse('2030-01-01T00:00:00Z');
const set = (leavesAt?: string): StatefulSet =>
  ({
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: {
      name: 'agent-shard-1',
      namespace: 'shop',
      ...(leavesAt !== undefined && { annotations: { [leavesAtAnnotation]: leavesAt } }),
    },
  }) as unknown as StatefulSet;

test.each<[string, string | undefined, string]>([
  ['is given its time', undefined, 'kept, marked 2030-01-01T00:01:35Z, again in 95 s'],
  ['is left alone until then', '2030-01-01T00:01:00Z', 'kept, again in 60 s'],
  ['goes when it has come', '2030-01-01T00:00:00Z', 'goes'],
  ['goes when it has passed', '2029-01-01T00:00:00Z', 'goes'],
  [
    'is given another time when the clock was put back',
    '2031-01-01T00:00:00Z',
    'kept, marked 2030-01-01T00:01:35Z, again in 95 s',
  ],
  ['is given its time when it is none', 'soon', 'kept, marked 2030-01-01T00:01:35Z, again in 95 s'],
])('a shard that leaves %s', (_, leavesAt, expected) => {
  const { kept, marks, againInMs } = planLeaving([set(leavesAt)], nowMs);
  const marked = marks.map((each) =>
    each.do === 'patch' ? `marked ${Object.values((each.body as Body).metadata.annotations).join()}` : each.do,
  );
  const again = againInMs === undefined ? [] : [`again in ${againInMs / 1_000} s`];
  expect([kept.length === 0 ? 'goes' : 'kept', ...marked, ...again].join(', ')).toBe(expected);
});

interface Body {
  readonly metadata: { readonly annotations: Readonly<Record<string, string>> };
}
