/** Follows services, their slices and pods of the whole cluster, and tells the process inside what its network is to offer. */
import {
  type Client,
  type Clock,
  createInformers,
  endpointslices,
  type Informers,
  pods as podsType,
  type Random,
  type ResourceType,
  type Service,
  services as servicesType,
} from '@signalbox/cluster';
import type { EgressTarget } from '../protocol/egress.ts';
import type { Inside } from '../protocol/inside.ts';
import { egressTable } from '../tables/egress.ts';
import { withinReach } from '../tables/reach.ts';
import { type ProxyNode, serviceTable } from '../tables/services.ts';
import { simulatedTable } from '../tables/simulated.ts';
import { clusterZone } from '../tables/zone.ts';

export interface NetworkFeedOptions {
  /** Of somebody who may look at all services, slices and pods. */
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  /** The one of now: it is another one after it died. */
  readonly inside: () => Pick<Inside, 'setServices' | 'setZone' | 'setSimulated'>;
  readonly node: ProxyNode;
  readonly domain: string;
  readonly egress: readonly EgressTarget[];
  readonly report: (message: string, error: unknown) => void;
}

export interface NetworkFeed {
  /** All of the cluster, as far as it was seen. */
  services(): readonly Service[];
  /** There is another process inside, which knows nothing. */
  again(): void;
  close(): void;
}

/** What comes at once is told at once. */
const gatherMs = 50;
const retryMs = 1_000;

interface State {
  readonly options: NetworkFeedOptions;
  readonly informers: Informers;
  readonly ending: AbortController;
  isSynced: boolean;
  /** As told, by part: what is the same costs a comparison. */
  known: Map<string, string>;
  isTelling: boolean;
  cancel: (() => void) | undefined;
}

export function createNetworkFeed(options: NetworkFeedOptions): NetworkFeed {
  const { client, clock, random, report } = options;
  const informers = createInformers({ client, clock, random, report });
  const nothing = { isSynced: false, known: new Map<string, string>(), isTelling: false, cancel: undefined };
  const state: State = { options, informers, ending: new AbortController(), ...nothing };
  void follow(state);
  return {
    services: () => (state.isSynced ? [...informers.of(servicesType).values()] : []),
    again() {
      state.known = new Map();
      soon(state, 0);
    },
    close() {
      state.ending.abort(new Error('the feed was closed'));
      state.cancel?.();
      informers.close();
    },
  };
}

const types: readonly ResourceType[] = [servicesType, endpointslices, podsType];

async function follow(state: State): Promise<void> {
  const { informers, ending } = state;
  try {
    await informers.sync(types, { signal: ending.signal });
  } catch {
    // It was closed.
    return;
  }
  state.isSynced = true;
  for (const type of types) informers.listen(type, () => soon(state, gatherMs));
  soon(state, 0);
}

function soon(state: State, delayMs: number): void {
  if (state.cancel !== undefined || state.ending.signal.aborted || !state.isSynced) return;
  state.cancel = state.options.clock.after(delayMs, () => {
    state.cancel = undefined;
    if (state.isTelling) soon(state, gatherMs);
    else void tell(state);
  });
}

async function tell(state: State): Promise<void> {
  const { options, ending, known } = state;
  const { inside, report } = options;
  state.isTelling = true;
  try {
    const { services, zone, simulated } = offered(state);
    const send = async <T>(part: string, value: T, by: (value: T) => Promise<void>): Promise<void> => {
      const text = JSON.stringify(value);
      if (known.get(part) === text) return;
      await by(value);
      known.set(part, text);
    };
    await Promise.all([
      send('services', services, (value) => inside().setServices(value)),
      send('zone', zone, (value) => inside().setZone(value)),
      send('simulated', simulated, (value) => inside().setSimulated(value)),
    ]);
  } catch (error) {
    if (!ending.signal.aborted) report('the cluster’s network is not told', error);
    soon(state, retryMs);
  } finally {
    state.isTelling = false;
  }
  // Another process may have come meanwhile, which knows nothing of it.
  if (state.known !== known) soon(state, 0);
}

function offered({ options, informers }: State) {
  const { node, domain, egress } = options;
  const world = {
    services: [...informers.of(servicesType).values()],
    slices: withinReach([...informers.of(endpointslices).values()], node),
  };
  const out = egressTable(egress);
  const zone = clusterZone(world, { domain });
  return {
    services: { ports: [...serviceTable(world, node).ports, ...out.ports] },
    zone: { ...zone, records: [...zone.records, ...out.records] },
    simulated: simulatedTable([...informers.of(podsType).values()]),
  };
}
