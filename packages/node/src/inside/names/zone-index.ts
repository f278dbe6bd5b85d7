/** The records of a zone by their names, ready to be sent. */
import type { Answer } from 'dns-packet';
import type { NameRecord, Zone } from '../../protocol/network.ts';

export interface ZoneIndex {
  /** What stands at the name, in small letters and without a final dot; undefined: there is no such name. */
  find(name: string): readonly Answer[] | undefined;
  /** Whether the name is the domain or below it: what is not known there does not exist. */
  isOurs(name: string): boolean;
  /** For answers that there is nothing. */
  readonly authority: Answer;
}

/** As CoreDNS gives its own. */
const ttl = 5;
/** Of the DNS specification of Kubernetes that the zone follows. */
const schemaVersion = '1.1.0';

/** `serverAddress`: of the server itself, which has a name, too. */
export function indexZone({ domain, records }: Zone, { serverAddress }: { readonly serverAddress: string }): ZoneIndex {
  const server = `ns.dns.${domain}`;
  const authority: Answer = {
    ...{ type: 'SOA', name: domain, ttl },
    data: {
      ...{ mname: server, rname: `hostmaster.${domain}`, serial: 1 },
      ...{ refresh: 7_200, retry: 1_800, expire: 86_400, minimum: ttl },
    },
  };
  const own: readonly Answer[] = [
    authority,
    { type: 'NS', name: domain, ttl, data: server },
    { type: 'A', name: server, ttl, data: serverAddress },
    { type: 'TXT', name: `dns-version.${domain}`, ttl, data: [schemaVersion] },
  ];
  const byName = new Map<string, Answer[]>();
  const isOurs = (name: string): boolean => name === domain || name.endsWith(`.${domain}`);
  for (const answer of own) put(byName, answer);
  for (const record of records) put(byName, answerOf(record));
  const podSuffix = `.pod.${domain}`;
  // A name above others exists, though nothing stands there.
  for (const name of [...byName.keys(), podSuffix.slice(1), `svc.${domain}`])
    for (let above = name; isOurs(above) && above !== domain; above = above.slice(above.indexOf('.') + 1))
      if (!byName.has(above)) byName.set(above, []);
  return {
    find: (name) => byName.get(name) ?? (name.endsWith(podSuffix) ? podAnswers(name, podSuffix) : undefined),
    isOurs,
    authority,
  };
}

function put(byName: Map<string, Answer[]>, answer: Answer): void {
  const known = byName.get(answer.name);
  if (known === undefined) byName.set(answer.name, [answer]);
  else known.push(answer);
}

function answerOf(record: NameRecord): Answer {
  const { name, ttlSeconds } = record;
  switch (record.type) {
    case 'A':
    case 'AAAA':
      return { type: record.type, name, ttl: ttlSeconds, data: record.address };
    case 'CNAME':
    case 'PTR':
      return { type: record.type, name, ttl: ttlSeconds, data: record.target };
    case 'SRV': {
      const { port, priority, weight, target } = record;
      return { type: 'SRV', name, ttl: ttlSeconds, data: { port, priority, weight, target } };
    }
    default:
      return record satisfies never;
  }
}

/** `10-64-0-7.shop.pod.DOMAIN` is the address that it spells, whoever has it: that is what the specification asks for. */
function podAnswers(name: string, suffix: string): readonly Answer[] | undefined {
  const [dashed = '', namespace = '', ...more] = name.slice(0, -suffix.length).split('.');
  // That of a namespace has nothing at it, but names below.
  if (namespace === '' && more.length === 0 && dashed !== '') return [];
  const octets = dashed.split('-');
  const isAddress = octets.length === 4 && octets.every((octet) => /^\d{1,3}$/.test(octet) && Number(octet) <= 255);
  if (more.length > 0 || !isAddress) return undefined;
  return [{ type: 'A', name, ttl, data: octets.map(Number).join('.') }];
}
