import type { Endpoint, EndpointSlice } from '../../api/generated/discovery-v1.ts';
import { equal } from '../../base/equal.ts';

/** Endpoints in one slice. Fewer, larger slices would make every change larger for everybody who watches. */
export const endpointsMax = 100;

/** What becomes of the slices of one group of endpoints. Slices that appear nowhere stay as they are. */
export interface Placement {
  readonly updated: ReadonlyMap<EndpointSlice, readonly Endpoint[]>;
  readonly emptied: readonly EndpointSlice[];
  /** The endpoints of each new slice. */
  readonly added: readonly (readonly Endpoint[])[];
}

interface Filling {
  readonly slice: EndpointSlice;
  readonly endpoints: Endpoint[];
  isChanged: boolean;
}

/**
 * Places endpoints so that few slices change: every endpoint stays where it is; those that are new fill the gaps of
 * slices that change anyway, the fullest first; then one other slice that takes all the rest; only then new slices.
 */
export function place(slices: readonly EndpointSlice[], wanted: ReadonlyMap<string, Endpoint>): Placement {
  const missing = new Map(wanted);
  const fillings = slices.map((slice) => kept(slice, missing));
  const left = [...missing.values()];
  const changing = fillings.filter(({ isChanged, endpoints }) => isChanged && endpoints.length < endpointsMax);
  changing.sort((a, b) => b.endpoints.length - a.endpoints.length);
  for (const filling of changing) fill(filling, left);
  // Whole slices first: the remainder may fit where there is room.
  const added: (readonly Endpoint[])[] = [];
  while (left.length >= endpointsMax) added.push(left.splice(0, endpointsMax));
  const roomy = left.length === 0 ? undefined : fullestWithRoom(fillings, left.length);
  if (roomy !== undefined) fill(roomy, left);
  else if (left.length > 0) added.push(left);
  const changed = fillings.filter(({ isChanged }) => isChanged);
  return {
    updated: new Map(
      changed.filter(({ endpoints }) => endpoints.length > 0).map((each) => [each.slice, each.endpoints]),
    ),
    emptied: fillings.filter(({ endpoints }) => endpoints.length === 0).map(({ slice }) => slice),
    added,
  };
}

/** What of a slice stays, as it is now. Takes it out of what is missing, so that no endpoint stands in two slices. */
function kept(slice: EndpointSlice, missing: Map<string, Endpoint>): Filling {
  const endpoints: Endpoint[] = [];
  let isChanged = false;
  for (const before of slice.endpoints ?? []) {
    const uid = before.targetRef?.uid ?? '';
    const now = missing.get(uid);
    if (now === undefined || endpoints.length === endpointsMax) {
      isChanged = true;
      continue;
    }
    missing.delete(uid);
    const same = equal(before, now);
    if (!same) isChanged = true;
    endpoints.push(same ? before : now);
  }
  return { slice, endpoints, isChanged };
}

function fill(filling: Filling, left: Endpoint[]): void {
  const taken = left.splice(0, endpointsMax - filling.endpoints.length);
  if (taken.length === 0) return;
  filling.endpoints.push(...taken);
  filling.isChanged = true;
}

/** The fullest slice that has room for all of them: it leaves the emptier ones to later arrivals. */
function fullestWithRoom(fillings: readonly Filling[], count: number): Filling | undefined {
  const fitting = fillings.filter(({ endpoints }) => endpoints.length > 0 && endpoints.length + count <= endpointsMax);
  return fitting.sort((a, b) => b.endpoints.length - a.endpoints.length)[0];
}
