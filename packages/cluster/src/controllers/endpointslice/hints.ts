/** For whose clients an endpoint is meant: `spec.trafficDistribution`, and the annotation that was there before it. */
import type { Service } from '../../api/generated/core-v1.ts';
import type { Endpoint, EndpointHints } from '../../api/generated/discovery-v1.ts';
import type { Capacity } from './capacity.ts';

export type Preference = 'none' | 'same zone' | 'same node' | 'by capacity';

const modeAnnotations = ['service.kubernetes.io/topology-aware-hints', 'service.kubernetes.io/topology-mode'] as const;

/** The annotation comes first, and of the two the older one. */
export function preferenceOf({ metadata, spec }: Service): Preference {
  const mode = modeAnnotations.map((name) => metadata.annotations?.[name]).find((value) => value !== undefined);
  if (mode === 'Auto' || mode === 'auto') return 'by capacity';
  switch (spec.trafficDistribution) {
    case 'PreferClose':
    case 'PreferSameZone':
      return 'same zone';
    case 'PreferSameNode':
      return 'same node';
    default:
      return 'none';
  }
}

export interface Hinted {
  readonly endpoints: ReadonlyMap<string, Endpoint>;
  /** Why nobody is preferred, in upstream's words. Absent: somebody is, or nobody asked. */
  readonly problem?: string;
}

interface Wish {
  readonly preference: Preference;
  readonly capacity: Capacity;
}

/** The endpoints with their hints, by the uid of their pods. Those that are not ready are meant for nobody. */
export function withHints(endpoints: ReadonlyMap<string, Endpoint>, { preference, capacity }: Wish): Hinted {
  switch (preference) {
    case 'none':
      return { endpoints };
    case 'by capacity':
      return byCapacity(endpoints, capacity);
    default:
      return { endpoints: hinted(endpoints, (endpoint) => nearby(endpoint, preference)) };
  }
}

function nearby({ zone, nodeName }: Endpoint, preference: Preference): EndpointHints | undefined {
  const forNodes =
    preference === 'same node' && nodeName !== undefined ? { forNodes: [{ name: nodeName }] } : undefined;
  const forZones = zone === undefined || zone === '' ? undefined : { forZones: [{ name: zone }] };
  return forNodes === undefined && forZones === undefined ? undefined : { ...forNodes, ...forZones };
}

function hinted(
  endpoints: ReadonlyMap<string, Endpoint>,
  hintsOf: (endpoint: Endpoint, uid: string) => EndpointHints | undefined,
): ReadonlyMap<string, Endpoint> {
  return new Map(
    [...endpoints].map(([uid, endpoint]) => {
      const hints = isReady(endpoint) ? hintsOf(endpoint, uid) : undefined;
      return [uid, hints === undefined ? endpoint : { ...endpoint, hints }];
    }),
  );
}

function isReady({ conditions }: Endpoint): boolean {
  return conditions?.ready === true;
}

/** A zone may carry this much more than its share before its endpoints are lent to nobody. */
const overload = 0.2;

/** Each zone gets about as many endpoints as it has CPU; one that has too few of its own borrows from the richest. */
function byCapacity(endpoints: ReadonlyMap<string, Endpoint>, { shares, problem }: Capacity): Hinted {
  const ready = [...endpoints].filter(([, endpoint]) => isReady(endpoint));
  if (problem !== undefined) return { endpoints, problem };
  if (shares.size > ready.length)
    return { endpoints, problem: `Insufficient number of endpoints (${ready.length} endpoints, ${shares.size} zones)` };
  const wanted = new Map([...shares].map(([zone, share]) => [zone, share * ready.length]));
  const least = new Map([...wanted].map(([zone, want]) => [zone, Math.ceil(want / (1 + overload))]));
  if ([...least.values()].reduce((sum, each) => sum + each, 0) > ready.length)
    return { endpoints, problem: `${tooTight} (${ready.length} endpoints, ${shares.size} zones)` };
  if (ready.some(([, { zone = '' }]) => zone === ''))
    return { endpoints, problem: 'One or more endpoints do not have a zone specified' };
  const zoneOf = lend(
    ready.map(([uid, { zone = '' }]) => [uid, zone]),
    { wanted, least },
  );
  return {
    endpoints: hinted(endpoints, (_, uid) => ({ forZones: [{ name: zoneOf.get(uid) ?? '' }] })),
  };
}

const tooTight = 'Unable to allocate minimum required endpoints to each zone without exceeding overload threshold';

interface Needs {
  readonly wanted: ReadonlyMap<string, number>;
  readonly least: ReadonlyMap<string, number>;
}

/** Whom each endpoint is meant for: its own zone, unless another has fewer than its least. */
function lend(
  endpoints: readonly (readonly [uid: string, zone: string])[],
  { wanted, least }: Needs,
): ReadonlyMap<string, string> {
  const held = new Map<string, string[]>([...wanted.keys()].map((zone) => [zone, []]));
  // In the order of their uids: the same endpoints are lent every time.
  for (const [uid, zone] of [...endpoints].sort(([a], [b]) => (a < b ? -1 : 1)))
    held.set(zone, [...(held.get(zone) ?? []), uid]);
  const excess = ([zone, uids]: readonly [string, readonly string[]]): number => uids.length - (wanted.get(zone) ?? 0);
  for (const [zone, minimum] of least) {
    const own = held.get(zone) ?? [];
    while (own.length < minimum) {
      const [giver] = [...held].filter(([name]) => name !== zone).sort((a, b) => excess(b) - excess(a));
      const lent = giver?.[1].pop();
      if (lent === undefined) break;
      own.push(lent);
    }
  }
  return new Map([...held].flatMap(([zone, uids]) => uids.map((uid) => [uid, zone] as const)));
}
