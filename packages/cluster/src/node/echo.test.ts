import { expect, test } from 'vitest';
import type { Pod, PodStatus } from '../api/generated/core-v1.ts';
import { makePod } from '../testing/makers.ts';
import { isAllSaid } from './echo.ts';

const before = makePod('p', { status: { phase: 'Pending' } });
const ready = { type: 'Ready', status: 'True' };
const told: PodStatus = { phase: 'Running', podIP: '10.0.0.1', conditions: [ready] };
const running: Pod = { ...before, status: told };
const theirs = { type: 'DisruptionTarget', status: 'True' };
const withMeta = (more: object): Pod => ({ ...running, metadata: { ...running.metadata, ...more } });
const withStatus = (status: PodStatus): Pod => ({ ...running, status });

test.each<[string, Pod, Pod, boolean]>([
  ['what was told comes back', before, running, true],
  ['the same in other words', before, withStatus({ ...told }), false],
  ['other news of what was told before', running, withMeta({ labels: { a: 'b' } }), false],
  ['it is to go as well', before, withMeta({ deletionTimestamp: '2026-01-01T00:00:00Z' }), false],
  ['it is to behave in another way as well', before, withMeta({ annotations: { a: 'b' } }), false],
  ['its containers are others as well', before, { ...running, spec: { ...running.spec } }, false],
  ['somebody adds a condition', running, withStatus({ ...told, conditions: [ready, theirs] }), true],
  ['before the others', running, withStatus({ ...told, conditions: [theirs, ready] }), true],
  ['somebody changes a condition of ours', running, withStatus({ ...told, conditions: [{ ...ready }, theirs] }), false],
  ['somebody takes one away', running, withStatus({ ...told, conditions: [theirs] }), false],
  [
    'something else changes too',
    running,
    withStatus({ phase: 'Running', podIP: '10.0.0.2', conditions: [ready, theirs] }),
    false,
  ],
  ['something else goes too', running, withStatus({ phase: 'Running', conditions: [ready, theirs] }), false],
  ['a condition is added to what was not told', before, withStatus({ ...told, conditions: [ready, theirs] }), false],
])('%s', (_, previous, now, isSaid) => {
  expect(isAllSaid(now, { previous, told })).toBe(isSaid);
});
