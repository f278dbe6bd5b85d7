import type { EgressTarget } from '../protocol/egress.ts';
import type { NameRecord, ServicePort } from '../protocol/network.ts';

/** A list that cannot be read: the entry, and the mend. */
export class EgressError extends Error {}

/** Without a port, those of the web. */
const usualPorts = [80, 443];

/** `HOST[:PORT]…`, as the command line has them, each target once. */
export function parseEgress(entries: readonly string[]): readonly EgressTarget[] {
  const targets = entries.flatMap((entry) => {
    const [, host = '', portText] = /^([^:]+)(?::(\d{1,5}))?$/.exec(entry) ?? [];
    const port = Number(portText);
    const isName = /^(?=.{1,253}$)[a-z\d_]([a-z\d_-]{0,62})(\.[a-z\d_]([a-z\d_-]{0,62}))*$/i.test(host);
    if (!isName || /^[\d.]+$/.test(host))
      throw new EgressError(`--egress ${entry}: it takes a name, as in example.com or example.com:8443`);
    if (portText !== undefined && (port < 1 || port > 65_535))
      throw new EgressError(`--egress ${entry}: a port is a number from 1 to 65535`);
    return (portText === undefined ? usualPorts : [port]).map((each) => ({ host: host.toLowerCase(), port: each }));
  });
  return [...new Map(targets.map((target) => [`${target.host}:${target.port}`, target])).values()];
}

export interface EgressTable {
  /** Further ones of the zone. */
  readonly records: readonly NameRecord[];
  /** Further ones of the services. */
  readonly ports: readonly ServicePort[];
}

const ttlSeconds = 60;

/**
 * Each name has an address of 198.18.0.0/15, a range that is nobody's (RFC 2544). Who connects there is led through the agent to
 * where the name points outside; the name as pods see it says nothing of that.
 */
export function egressTable(targets: readonly EgressTarget[]): EgressTable {
  const hosts = [...new Set(targets.map(({ host }) => host))];
  const addressOf = (host: string): string => {
    const number = hosts.indexOf(host) + 1;
    return `198.${18 + (number >> 16)}.${(number >> 8) & 255}.${number & 255}`;
  };
  return {
    records: hosts.map((host) => ({ name: host, type: 'A', address: addressOf(host), ttlSeconds })),
    ports: targets.map(({ host, port }) => ({
      ...{ protocol: 'TCP', address: addressOf(host), port },
      ...{ backends: [{ egress: { host, port } }], of: `egress ${host}:${port}` },
    })),
  };
}
