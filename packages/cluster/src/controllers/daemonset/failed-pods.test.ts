import { describe, expect, test } from 'vitest';
import { type Backoff, judgeFailed, recalled } from './failed-pods.ts';

describe('a failed pod', () => {
  test('is replaced at once the first time, then after 1, 2, 4 … seconds, at most 15 minutes', () => {
    let nowMs = 0;
    let backoff: Backoff | undefined;
    const waits: number[] = [];
    for (let time = 0; time < 13; time++) {
      let verdict = judgeFailed(backoff, nowMs);
      const waitMs = verdict.replace ? 0 : verdict.waitMs;
      waits.push(waitMs / 1_000);
      nowMs += waitMs;
      verdict = judgeFailed(backoff, nowMs);
      if (!verdict.replace) throw new Error('still waits');
      backoff = verdict.backoff;
    }
    expect(waits).toEqual([0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900]);
  });

  test('is forgiven after half an hour without another', () => {
    expect(judgeFailed({ delayMs: 64_000, sinceMs: 0 }, 1_800_001)).toMatchObject({ backoff: { delayMs: 1_000 } });
  });
});

describe('the memory', () => {
  const byNode = new Map([
    ['a', { delayMs: 1_000, sinceMs: 5_000 }],
    ['b', { delayMs: 1_000, sinceMs: -1_800_000 }],
  ]);
  const memory = { uid: 'x', generation: 3, byNode };
  const now = { uid: 'x', generation: 3, nowMs: 5_000 };

  test.each([
    ['keeps what is not too old', memory, now, ['a']],
    ['ends with the DaemonSet', memory, { ...now, uid: 'y' }, []],
    ['ends with a change of the DaemonSet', memory, { ...now, generation: 4 }, []],
    ['starts empty', undefined, now, []],
  ])('%s', (_, before, facts, nodes) => {
    expect([...recalled(before, facts).keys()]).toEqual(nodes);
  });
});
