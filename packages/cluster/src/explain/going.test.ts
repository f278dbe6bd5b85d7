import { expect, test } from 'vitest';
import { meta } from '../testing/plan-world.ts';
import { goingCauses } from './going.ts';

test.each<[string, readonly string[] | undefined, string]>([
  ['without finalizers', undefined, 'it is being deleted'],
  [
    'that goes after what it owns',
    ['foregroundDeletion'],
    'it is being deleted, and what it owns goes first (foregroundDeletion)',
  ],
  ['that leaves what it owns', ['orphan'], 'it is being deleted'],
  [
    'that somebody keeps',
    ['example.com/hold', 'foregroundDeletion'],
    'it is being deleted, and finalizers keep it: example.com/hold',
  ],
])('an object %s says why it is still there', (_, finalizers, cause) => {
  const metadata = { ...meta('web'), deletionTimestamp: '2024-01-01T00:00:00Z', finalizers };
  expect(goingCauses({ metadata } as never).map((each) => each.cause)).toEqual([cause]);
});

test('of one that stays nothing is said', () => {
  expect(goingCauses({ metadata: { ...meta('web'), finalizers: ['example.com/hold'] } } as never)).toEqual([]);
});
