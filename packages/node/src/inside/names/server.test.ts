import { Resolver } from 'node:dns/promises';
import { createConnection } from 'node:net';
import { decode, streamEncode } from 'dns-packet';
import { afterEach, expect, test } from 'vitest';
import type { Zone } from '../../protocol/network.ts';
import { createNames, type Names } from './server.ts';

const ttlSeconds = 5;
const many: Zone = {
  domain: 'cluster.local',
  records: Array.from({ length: 300 }, (_, each) => ({
    ...({ type: 'A', name: 'db.shop.svc.cluster.local', ttlSeconds } as const),
    address: `10.65.${each >> 8}.${each & 255}`,
  })),
};

let names: Names | undefined;
afterEach(() => names?.close());

async function serve(): Promise<{ readonly names: Names; readonly resolver: Resolver }> {
  names = await createNames({ address: '127.0.0.1', port: 0, chance: () => 0 });
  const resolver = new Resolver({ timeout: 5_000 });
  resolver.setServers([`127.0.0.1:${names.port}`]);
  return { names, resolver };
}

test('a resolver finds what the zone has; what does not fit comes by TCP', async () => {
  const served = await serve();
  await expect(served.resolver.resolve4('db.shop.svc.cluster.local')).rejects.toMatchObject({ code: 'ENOTFOUND' });
  served.names.set(many);
  await expect(served.resolver.resolve4('db.shop.svc.cluster.local')).resolves.toHaveLength(300);
  await expect(served.resolver.resolve6('db.shop.svc.cluster.local')).rejects.toMatchObject({ code: 'ENODATA' });
});

test('one connection has many questions, in pieces', async () => {
  const served = await serve();
  served.names.set(many);
  const socket = createConnection({ host: '127.0.0.1', port: served.names.port });
  const ask = streamEncode({ type: 'query', id: 9, questions: [{ name: 'ns.dns.cluster.local', type: 'A' }] });
  socket.write(ask.subarray(0, 5));
  socket.write(Buffer.concat([ask.subarray(5), ask]));
  let read = Buffer.alloc(0);
  for await (const chunk of socket) {
    read = Buffer.concat([read, chunk as Buffer]);
    const length = read.length < 2 ? Number.POSITIVE_INFINITY : read.readUInt16BE(0) + 2;
    if (read.length < 2 * length) continue;
    expect([decode(read.subarray(2)).id, decode(read.subarray(length + 2)).id]).toEqual([9, 9]);
    break;
  }
});
