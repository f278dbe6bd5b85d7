import type { Service } from '../../api/generated/core-v1.ts';
import { services } from '../../api/generated/kinds.ts';
import type { Store, Stored } from '../../store/store.ts';
import type { WriteListener } from '../context/context.ts';
import { resourcePrefix } from '../context/keys.ts';

/**
 * Which cluster addresses and node ports are taken: those of the stored services, and for a short while those handed out
 * to services that are still on their way into the store.
 */
export interface ServiceAddresses extends WriteListener {
  /** What is taken by others than this service. */
  takenBeside(service: Service, nowMs: number): Taken;
  reserve(service: Service, nowMs: number): void;
}

export interface Taken {
  readonly addresses: ReadonlySet<string>;
  readonly ports: ReadonlySet<number>;
}

interface Holding {
  readonly addresses: readonly string[];
  readonly ports: readonly number[];
  /** Absent once the service is stored. */
  readonly untilMs?: number;
}

const reservedMs = 60_000;
const servicesPrefix: string = resourcePrefix(services);

export function createServiceAddresses({ store }: { readonly store: Store }): ServiceAddresses {
  const holdings = new Map<string, Holding>();
  const addresses = new Set<string>();
  const ports = new Set<number>();
  let loaded = false;

  const drop = (key: string): void => {
    const held = holdings.get(key);
    holdings.delete(key);
    for (const address of held?.addresses ?? []) addresses.delete(address);
    for (const port of held?.ports ?? []) ports.delete(port);
  };
  const hold = (key: string, holding: Holding): void => {
    drop(key);
    holdings.set(key, holding);
    for (const address of holding.addresses) addresses.add(address);
    for (const port of holding.ports) ports.add(port);
  };
  const keep = ({ key, value }: Stored): void => hold(key, holdingOf(value as Service));
  const load = (): void => {
    if (loaded) return;
    loaded = true;
    const found = store.list(servicesPrefix);
    if (!('expired' in found)) for (const stored of found.items) keep(stored);
  };

  return {
    put(stored) {
      if (loaded && stored.key.startsWith(servicesPrefix)) keep(stored);
    },
    removed({ key }) {
      if (key.startsWith(servicesPrefix)) drop(key);
    },
    takenBeside(service, nowMs) {
      load();
      for (const [key, { untilMs }] of holdings) if (untilMs !== undefined && untilMs <= nowMs) drop(key);
      const own = holdings.get(keyOf(service));
      if (own === undefined) return { addresses, ports };
      return { addresses: except(addresses, own.addresses), ports: except(ports, own.ports) };
    },
    reserve(service, nowMs) {
      const key = keyOf(service);
      if (holdings.get(key)?.untilMs === undefined && holdings.has(key)) return;
      hold(key, { ...holdingOf(service), untilMs: nowMs + reservedMs });
    },
  };
}

function keyOf({ metadata }: Service): string {
  return `${servicesPrefix}${metadata.namespace}/${metadata.name}`;
}

function holdingOf({ spec }: Service): Holding {
  const given = spec.clusterIPs ?? (spec.clusterIP === undefined ? [] : [spec.clusterIP]);
  return {
    addresses: given.filter((address) => address !== '' && address !== 'None'),
    ports: [spec.healthCheckNodePort ?? 0, ...(spec.ports ?? []).map(({ nodePort = 0 }) => nodePort)].filter(
      (port) => port > 0,
    ),
  };
}

function except<T>(all: ReadonlySet<T>, own: readonly T[]): ReadonlySet<T> {
  if (own.length === 0) return all;
  const others = new Set(all);
  for (const each of own) others.delete(each);
  return others;
}
