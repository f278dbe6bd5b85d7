import { decode, encode, type Packet, type RecordType } from 'dns-packet';
import { describe, expect, test } from 'vitest';
import type { NameRecord, Zone } from '../../protocol/network.ts';
import { replyTo } from './reply.ts';
import { indexZone } from './zone-index.ts';

const domain = 'cluster.local';
const ttlSeconds = 5;
const a = (name: string, address: string): NameRecord => ({ type: 'A', name, address, ttlSeconds });
const web = `web.shop.svc.${domain}`;
const db = `db.shop.svc.${domain}`;
const srv = (target: string): NameRecord => ({
  ...{ type: 'SRV', name: `_sql._tcp.${db}`, ttlSeconds },
  ...{ target, port: 5432, priority: 0, weight: 100 },
});
const alias = (name: string, target: string): NameRecord => ({ type: 'CNAME', name, target, ttlSeconds });
const zone: Zone = {
  domain,
  records: [
    a(web, '10.96.0.9'),
    { type: 'AAAA', name: web, address: 'fd00::9', ttlSeconds },
    { type: 'PTR', name: '9.0.96.10.in-addr.arpa', target: web, ttlSeconds },
    ...[0, 1, 2].flatMap((each) => [a(db, `10.64.0.${each}`), a(`db-${each}.${db}`, `10.64.0.${each}`)]),
    ...[0, 1, 2].map((each) => srv(`db-${each}.${db}`)),
    alias(`near.shop.svc.${domain}`, web),
    alias(`far.shop.svc.${domain}`, 'example.org'),
    alias(`out.shop.svc.${domain}`, 'hooks.example.com'),
    alias(`round.shop.svc.${domain}`, `round.shop.svc.${domain}`),
    a('hooks.example.com', '198.18.0.1'),
  ],
};
const index = indexZone(zone, { serverAddress: '169.254.20.10' });

interface Asking extends Partial<Packet> {
  readonly isUdp?: boolean;
  readonly chance?: number;
}

const query = (name: string, type: string, more: Partial<Packet> = {}): Buffer =>
  encode({ type: 'query', id: 7, flags: 0x100, questions: [{ name, type: type as RecordType }], ...more });
const reply = (bytes: Buffer, { isUdp = true, chance = 0, of = index } = {}): Buffer | undefined =>
  replyTo(bytes, { index: of, isUdp, chance: () => chance });

/** As one line: code, flags, then the sections. */
function ask(name: string, type: string, { isUdp = true, chance = 0, ...more }: Asking = {}): string {
  const bytes = reply(query(name, type, more), { isUdp, chance }) ?? Buffer.alloc(12);
  const packet = decode(bytes) as ReturnType<typeof decode> & { rcode: string };
  const flags = `${packet.flag_aa ? ' aa' : ''}${packet.flag_tc ? ' tc' : ''}`;
  const show = (section: typeof packet.answers = []): string =>
    section
      .map((answer) => {
        if (answer.type === 'SOA') return ' SOA';
        if (answer.type === 'SRV') return ` ${answer.data.port}@${answer.data.target}`;
        const data = 'data' in answer ? [answer.data].flat() : [];
        return ` ${answer.type}=${data
          .map((each) => (Buffer.isBuffer(each) ? each.toString() : each))
          .filter((each) => typeof each === 'string')
          .join('')}`;
      })
      .join('');
  const rest = [show(packet.authorities), show(packet.additionals)].filter((text) => text !== '');
  return `${packet.rcode}${flags}:${show(packet.answers)}${rest.map((text) => ` |${text}`).join('')}`;
}

describe('a question is answered', () => {
  test.each([
    [web, 'A', 'NOERROR aa: A=10.96.0.9'],
    ['wEB.Shop.SVC.cluster.LOCAL', 'A', 'NOERROR aa: A=10.96.0.9'],
    [web, 'AAAA', 'NOERROR aa: AAAA=fd00::9'],
    [web, 'ANY', 'NOERROR aa: A=10.96.0.9 AAAA=fd00::9'],
    ['9.0.96.10.in-addr.arpa', 'PTR', `NOERROR: PTR=${web}`],
    [db, 'A', 'NOERROR aa: A=10.64.0.0 A=10.64.0.1 A=10.64.0.2'],
    [
      `_sql._tcp.${db}`,
      'SRV',
      `NOERROR aa:${[0, 1, 2].map((each) => ` 5432@db-${each}.${db}`).join('')} | A=10.64.0.0 A=10.64.0.1 A=10.64.0.2`,
    ],
    [domain, 'SOA', 'NOERROR aa: SOA'],
    [domain, 'NS', `NOERROR aa: NS=ns.dns.${domain}`],
    [`ns.dns.${domain}`, 'A', 'NOERROR aa: A=169.254.20.10'],
    [`dns-version.${domain}`, 'TXT', 'NOERROR aa: TXT=1.1.0'],
  ])('%s %s', (name, type, expected) => expect(ask(name, type)).toBe(expected));

  test.each([
    ['10-64-0-7.shop.pod', 'A', 'NOERROR aa: A=10.64.0.7'],
    ['10-64-0-7.shop.pod', 'AAAA', 'NOERROR aa: | SOA'],
    ['shop.pod', 'A', 'NOERROR aa: | SOA'],
    ['10-64-0-777.shop.pod', 'A', 'NXDOMAIN aa: | SOA'],
    ['a.10-64-0-7.shop.pod', 'A', 'NXDOMAIN aa: | SOA'],
  ])('of pods by their address: %s %s', (name, type, expected) =>
    expect(ask(`${name}.${domain}`, type)).toBe(expected),
  );

  test('by an alias and what it stands for', () => {
    expect(ask(`near.shop.svc.${domain}`, 'A')).toBe(`NOERROR aa: CNAME=${web} A=10.96.0.9`);
    expect(ask(`near.shop.svc.${domain}`, 'CNAME')).toBe(`NOERROR aa: CNAME=${web}`);
    expect(ask(`near.shop.svc.${domain}`, 'SRV')).toBe(`NOERROR aa: CNAME=${web} | SOA`);
    expect(ask(`out.shop.svc.${domain}`, 'A')).toBe('NOERROR aa: CNAME=hooks.example.com A=198.18.0.1');
    expect(ask(`far.shop.svc.${domain}`, 'A')).toBe('NXDOMAIN aa: CNAME=example.org');
    expect(ask(`round.shop.svc.${domain}`, 'A')).toMatch(/^NOERROR aa:( CNAME=round\S+){9}$/);
  });

  test('that there is nothing: no such name, or nothing of that type', () => {
    expect(ask(`none.shop.svc.${domain}`, 'A')).toBe('NXDOMAIN aa: | SOA');
    expect(ask(`${web}.shop.svc.${domain}`, 'A')).toBe('NXDOMAIN aa: | SOA');
    expect(ask(web, 'MX')).toBe('NOERROR aa: | SOA');
    expect(ask(web, 'UNKNOWN_65')).toBe('NOERROR aa: | SOA');
    expect(ask(`shop.svc.${domain}`, 'A')).toBe('NOERROR aa: | SOA');
    expect(ask(`svc.${domain}`, 'A')).toBe('NOERROR aa: | SOA');
  });

  test('of others at once, and with nothing but what egress gave a name to', () => {
    expect(ask('example.com', 'A')).toBe('NXDOMAIN:');
    expect(ask('notcluster.local', 'A')).toBe('NXDOMAIN:');
    expect(ask('hooks.example.com', 'A')).toBe('NOERROR: A=198.18.0.1');
    expect(ask('hooks.example.com', 'AAAA')).toBe('NOERROR:');
  });

  test('with members in turns', () => {
    expect(ask(db, 'A', { chance: 0.5 })).toBe('NOERROR aa: A=10.64.0.1 A=10.64.0.2 A=10.64.0.0');
  });
});

describe('a packet', () => {
  test('has the question as it was asked, the id, and says that recursion is to be had', () => {
    const asked = query('WeB.shop.svc.cluster.local', 'A');
    const given = reply(asked) ?? Buffer.alloc(0);
    expect(given.subarray(12, asked.length)).toEqual(asked.subarray(12));
    expect(decode(given)).toMatchObject({ id: 7, flag_qr: true, flag_rd: true, flag_ra: true });
    expect(decode(given).answers?.[0]?.name).toBe('WeB.shop.svc.cluster.local');
    const question = query(`_sql._tcp.${db}`, 'SRV');
    expect(decode(reply(question) ?? Buffer.alloc(0)).additionals?.map(({ name }) => name)).toEqual(
      [0, 1, 2].map((each) => `db-${each}.${db}`),
    );
  });

  const crowd = indexZone(
    { domain, records: Array.from({ length: 300 }, (_, each) => a(db, `10.65.${each >> 8}.${each & 255}`)) },
    { serverAddress: '169.254.20.10' },
  );
  const opt = (udpPayloadSize: number, ednsVersion = 0): Partial<Packet> => ({
    additionals: [
      {
        ...{ type: 'OPT', name: '.', udpPayloadSize, extendedRcode: 0, ednsVersion },
        ...{ flags: 0, flag_do: false, options: [] },
      },
    ],
  });
  test.each([
    ['512 bytes by UDP', query(db, 'A'), 512, true],
    ['what the asker takes', query(db, 'A', opt(1_232)), 1_232, true],
    ['no less than 512', query(db, 'A', opt(100)), 512, true],
    ['no more than 4096', query(db, 'A', opt(60_000)), 4_096, true],
    ['65535 by TCP', query(db, 'A'), 65_535, false],
  ])('has at most %s, and says when something is missing', (_, bytes, bytesMax, isUdp) => {
    const given = reply(bytes, { isUdp, of: crowd }) ?? Buffer.alloc(0);
    const packet = decode(given);
    const isWhole = packet.answers?.length === 300;
    expect(packet.flag_tc).toBe(!isWhole);
    expect(given.length).toBeLessThanOrEqual(bytesMax);
    if (!isWhole) expect(given.length).toBeGreaterThan(bytesMax - 16);
    else expect(given.length).toBeGreaterThan(300 * 16);
    expect(packet.additionals?.length).toBe(bytes.length === query(db, 'A').length ? 0 : 1);
  });

  test('that is no question has no answer', () => {
    for (const bytes of [
      Buffer.alloc(0),
      Buffer.alloc(11),
      query(web, 'A').subarray(0, -3),
      encode({ type: 'response', id: 1, questions: [{ name: web, type: 'A' }] }),
      Buffer.concat([query(web, 'A').subarray(0, 12), Buffer.from([0xc0, 12, 0, 1, 0, 1])]),
    ])
      expect(reply(bytes)).toBeUndefined();
  });

  test('that asks for what is not there is refused in words of its own', () => {
    const rcode = (bytes: Buffer): string | undefined =>
      (decode(reply(bytes) ?? Buffer.alloc(12)) as { rcode?: string }).rcode;
    expect(rcode(query(web, 'A', { flags: 0x1000 }))).toBe('NOTIMP');
    expect(rcode(encode({ type: 'query', questions: [] }))).toBe('FORMERR');
    expect(rcode(query(web, 'A', { questions: [{ name: web, type: 'A', class: 'CH' }] }))).toBe('REFUSED');
    const other = decode(reply(query(web, 'A', opt(512, 1))) ?? Buffer.alloc(12));
    expect(other.additionals).toMatchObject([{ type: 'OPT', extendedRcode: 1, ednsVersion: 0 }]);
  });
});
