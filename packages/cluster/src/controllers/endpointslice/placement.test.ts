import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Endpoint, EndpointSlice } from '../../api/generated/discovery-v1.ts';
import { meta } from '../../testing/plan-world.ts';
import { endpointsMax, place } from './placement.ts';

function endpoint(uid: string, address = '10.0.0.1'): Endpoint {
  return { addresses: [address], targetRef: { kind: 'Pod', uid } };
}

function slice(name: string, uids: readonly string[]): EndpointSlice {
  const endpoints = uids.map((uid) => endpoint(uid));
  return {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: meta(name),
    addressType: 'IPv4',
    endpoints,
  };
}

const range = (from: number, to: number): string[] =>
  Array.from({ length: to - from }, (_, index) => `u${from + index}`);
const wanted = (uids: readonly string[]): Map<string, Endpoint> => new Map(uids.map((uid) => [uid, endpoint(uid)]));

/** `a=90 b=100 +5 -c` */
function outcome(slices: readonly EndpointSlice[], uids: readonly string[]): string {
  const { updated, emptied, added } = place(slices, wanted(uids));
  return [
    ...[...updated].map(([{ metadata }, endpoints]) => `${metadata.name}=${endpoints.length}`),
    ...added.map((endpoints) => `+${endpoints.length}`),
    ...emptied.map(({ metadata }) => `-${metadata.name}`),
  ].join(' ');
}

describe('few slices change', () => {
  test.each<[string, readonly EndpointSlice[], readonly string[], string]>([
    ['nothing changes when nothing changed', [slice('a', range(0, 50))], range(0, 50), ''],
    ['the first endpoints make slices of a hundred', [], range(0, 250), '+100 +100 +50'],
    [
      'a newcomer joins the fullest slice with room',
      [slice('a', range(0, 10)), slice('b', range(10, 60))],
      range(0, 61),
      'b=51',
    ],
    [
      'a newcomer takes the gap of one that left',
      [slice('a', range(0, 50)), slice('b', range(50, 149))],
      range(1, 150),
      'a=50',
    ],
    [
      'newcomers that fit nowhere together make a new slice',
      [slice('a', range(0, 90)), slice('b', range(90, 180))],
      range(0, 200),
      '+20',
    ],
    ['leaving empties a slice', [slice('a', range(0, 3)), slice('b', range(3, 6))], range(3, 6), '-a'],
    [
      'slices are not merged for the sake of it',
      [slice('a', range(0, 50)), slice('b', range(50, 99))],
      range(1, 99),
      'a=49',
    ],
    [
      'an endpoint in two slices stays in the first',
      [slice('a', ['u1']), slice('b', ['u1', 'u2'])],
      ['u1', 'u2'],
      'b=1',
    ],
    ['an overfull slice gives up the rest', [slice('a', range(0, 120))], range(0, 120), 'a=100 +20'],
  ])('%s', (_, slices, uids, expected) => expect(outcome(slices, uids)).toBe(expected));

  test('a changed endpoint is replaced where it stands', () => {
    const before = slice('a', ['u1', 'u2']);
    const moved = endpoint('u1', '10.0.0.9');
    const { updated } = place(
      [before],
      new Map([
        ['u1', moved],
        ['u2', endpoint('u2')],
      ]),
    );
    expect(updated.get(before)).toEqual([moved, endpoint('u2')]);
  });
});

test('law: every endpoint stands in exactly one slice, none is overfull, and placing again changes nothing', () => {
  const worlds = fc.record({
    before: fc.array(fc.nat(400), { maxLength: 350 }),
    after: fc.array(fc.nat(400), { maxLength: 350 }),
  });
  fc.assert(
    fc.property(worlds, ({ before, after }) => {
      let slices: readonly EndpointSlice[] = [];
      for (const numbers of [before, after, after]) {
        const goal = wanted([...new Set(numbers)].map((number) => `u${number}`));
        const placement = place(slices, goal);
        slices = [
          ...slices.flatMap((each) => {
            if (placement.emptied.includes(each)) return [];
            return [{ ...each, endpoints: placement.updated.get(each) ?? each.endpoints }];
          }),
          ...placement.added.map((endpoints, index) => ({ ...slice(`n${index}`, []), endpoints })),
        ];
        const uids = slices.flatMap(({ endpoints }) => endpoints.map(({ targetRef }) => targetRef?.uid ?? ''));
        expect([...uids].sort()).toEqual([...goal.keys()].sort());
        expect(slices.every(({ endpoints }) => endpoints.length > 0 && endpoints.length <= endpointsMax)).toBe(true);
        expect(place(slices, goal)).toEqual({ updated: new Map(), emptied: [], added: [] });
      }
    }),
    { numRuns: 100 },
  );
});
