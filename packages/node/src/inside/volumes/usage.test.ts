import { expect, test } from 'vitest';
import { type Disk, type Overfull, planOverfull, type UsageLook, watchUsage } from './usage.ts';

const roomy: Disk = { bytes: 100e9, freeBytes: 50e9 };
const full: Disk = { bytes: 100e9, freeBytes: 1e6 };
const folders = [
  { pod: 'a', volume: 'data', folder: '/a', limitBytes: 100 },
  { pod: 'b', volume: 'data', folder: '/b', limitBytes: undefined },
];

test.each<[string, readonly (readonly [string, number])[], Disk, readonly string[]]>([
  [
    'within its limit',
    [
      ['/a', 100],
      ['/b', 1e9],
    ],
    roomy,
    [],
  ],
  [
    'beyond it',
    [
      ['/a', 101],
      ['/b', 1e9],
    ],
    roomy,
    ['a/data 100'],
  ],
  [
    'a full disk: whoever has most',
    [
      ['/a', 50],
      ['/b', 1e9],
    ],
    full,
    ['b/data undefined'],
  ],
  [
    'a full disk: first who broke a limit',
    [
      ['/a', 101],
      ['/b', 1e9],
    ],
    full,
    ['a/data 100'],
  ],
  ['a full disk, but not by them', [], full, []],
])('%s', (_, used, disk, expected) => {
  const found = planOverfull(folders, { used: new Map(used), disk });
  expect(found.map(({ pod, volume, limitBytes }) => `${pod}/${volume} ${limitBytes}`)).toEqual(expected);
});

test('each is told once, until it has room again', async () => {
  const rounds: readonly (readonly Overfull[])[] = [[], [{ pod: 'a', volume: 'v', limitBytes: 1 }]];
  let now = rounds[0] ?? [];
  let tick: () => void = () => undefined;
  const told: string[] = [];
  const looks: UsageLook[] = [];
  let passedMs = 0;
  /** The next one at folders. */
  const look = async (): Promise<void> => {
    for (const before = looks.filter((each) => each === 'limits').length; ; ) {
      const current = tick;
      current();
      while (tick === current) await Promise.resolve();
      if (looks.filter((each) => each === 'limits').length > before) return;
    }
  };
  const after = (delayMs: number, work: () => void) => {
    tick = () => {
      passedMs += delayMs;
      work();
    };
    return () => undefined;
  };
  const overfull = async (at: UsageLook): Promise<readonly Overfull[]> => {
    looks.push(at);
    return at === 'limits' ? now : [];
  };
  watchUsage({ overfull }, { after, overfull: ({ pod }) => told.push(pod) });
  await look();
  now = rounds[1] ?? [];
  await look();
  await look();
  expect(told).toEqual(['a']);
  now = [];
  await look();
  now = rounds[1] ?? [];
  await look();
  expect(told).toEqual(['a', 'a']);
  // Ten seconds between two of them, and the disk once a second.
  expect(passedMs).toBe(50_000);
  expect(looks.slice(0, 10)).toEqual([...Array(9).fill('disk'), 'limits']);
});

test('a full disk is seen at the next look, and who fills it is told once', async () => {
  let tick: () => void = () => undefined;
  const told: string[] = [];
  const after = (_: number, work: () => void) => {
    tick = work;
    return () => undefined;
  };
  const overfull = async () => [{ pod: 'b', volume: 'v', limitBytes: undefined }];
  watchUsage({ overfull }, { after, overfull: ({ pod }) => told.push(pod) });
  for (let looks = 0; looks < 3; looks++) {
    const current = tick;
    current();
    while (tick === current) await Promise.resolve();
  }
  expect(told).toEqual(['b']);
});
