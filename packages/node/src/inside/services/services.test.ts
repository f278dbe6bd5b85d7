import { createSocket, type Socket as UdpSocket } from 'node:dgram';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createConnection, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@signalbox/cluster';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import type { Backend, ServicePort } from '../../protocol/network.ts';
import { createConnect } from './connect.ts';
import { createServices, type Services } from './services.ts';
import { udpIdleMs } from './udp-port.ts';

const folder = mkdtempSync(join(tmpdir(), 'signalbox-'));
const doors = { api: join(folder, 'api.sock'), egress: join(folder, 'egress.sock') };
const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Made {
  readonly services: Services;
  readonly said: string[];
  readonly now: { ms: number; chance: number };
  readonly timers: (() => void)[];
}

function make(): Made {
  const now = { ms: 0, chance: 0 };
  const timers: (() => void)[] = [];
  const clock = {
    nowMs: () => now.ms,
    after: (_: number, work: () => void) => {
      timers.push(work);
      return () => undefined;
    },
  };
  const said: string[] = [];
  const connect = createConnect({ clock: systemClock, doors });
  const services = createServices({
    clock,
    chance: () => now.chance,
    connect,
    report: (message) => said.push(message),
  });
  ends.push(() => services.close());
  return { services, said, now, timers };
}

const port = (backends: readonly Backend[], more: Partial<ServicePort> = {}): ServicePort => ({
  ...{ protocol: 'TCP', address: '127.0.64.1', port: 0, of: 'shop/web', backends },
  ...more,
});

async function serveTcp(on: (socket: Socket) => void, path?: string): Promise<Backend & { readonly server: Server }> {
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on('error', () => undefined);
    ends.push(() => socket.destroy());
    on(socket);
  });
  server.listen(path === undefined ? { host: '127.0.64.2', port: 0 } : { path });
  await once(server, 'listening');
  ends.push(() => server.close());
  const place = server.address();
  return { address: '127.0.64.2', port: typeof place === 'object' ? (place?.port ?? 0) : 0, server };
}

const says = (text: string): Promise<Backend & { readonly server: Server }> => serveTcp((socket) => socket.end(text));

function dial({ services }: Made, of = 'shop/web'): Socket {
  const socket = createConnection({ host: '127.0.64.1', port: services.portOf(of) ?? 1, allowHalfOpen: true });
  socket.on('error', () => undefined);
  ends.push(() => socket.destroy());
  return socket;
}

async function read(socket: Socket): Promise<string> {
  let text = '';
  for await (const chunk of socket) text += String(chunk);
  socket.end();
  return text;
}

const failure = (socket: Socket): Promise<string | undefined> =>
  new Promise((resolve) => {
    socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code));
    socket.resume().once('close', () => resolve(undefined));
  });

describe('by TCP', () => {
  test('connections go to the backends; one that refuses is passed over', async () => {
    const made = make();
    const [one, two] = [await says('one'), await says('two')];
    await made.services.set({ ports: [port([one, two])] });
    expect(await read(dial(made))).toBe('one');
    made.now.chance = 0.5;
    expect(await read(dial(made))).toBe('two');
    two.server.close();
    expect(await read(dial(made))).toBe('one');
    one.server.close();
    expect(await failure(dial(made))).toBe('ECONNRESET');
  });

  test('without backends nobody listens', async () => {
    const made = make();
    await made.services.set({ ports: [port([await says('one')])] });
    const at = { host: '127.0.64.1', port: made.services.portOf('shop/web') ?? 0 };
    await made.services.set({ ports: [port([])] });
    expect(await failure(createConnection(at))).toBe('ECONNREFUSED');
    await made.services.set({ ports: [] });
    expect(await failure(createConnection(at))).toBe('ECONNREFUSED');
  });

  test('who has ended its side hears the other to its end', async () => {
    const made = make();
    const counts = await serveTcp((socket) => {
      let bytes = 0;
      socket.on('data', (chunk) => (bytes += chunk.length));
      socket.on('end', () => setImmediate(() => socket.end(`${bytes} bytes`)));
    });
    await made.services.set({ ports: [port([counts])] });
    const socket = dial(made);
    socket.end(Buffer.alloc(1_000_000));
    expect(await read(socket)).toBe('1000000 bytes');
  });

  test('a connection that breaks at one end breaks at the other', async () => {
    const made = make();
    const held: Socket[] = [];
    const holds = await serveTcp((socket) => void held.push(socket.resume()));
    await made.services.set({ ports: [port([holds])] });
    const socket = dial(made);
    socket.write('x');
    await expect.poll(() => held.length).toBe(1);
    const [server] = held;
    const broken = failure(server ?? socket);
    socket.resetAndDestroy();
    expect(await broken).toBe('ECONNRESET');
    const other = dial(made);
    other.write('x');
    await expect.poll(() => held.length).toBe(2);
    const lost = failure(other);
    held[1]?.resetAndDestroy();
    expect(await lost).toBe('ECONNRESET');
  });

  test('who does not read is not written to without end', async () => {
    const made = make();
    let sent = 0;
    const pours = await serveTcp((socket) => {
      const pour = (): void => {
        while (sent < 1 << 30) {
          sent += 1 << 16;
          if (!socket.write(Buffer.alloc(1 << 16))) return void socket.once('drain', pour);
        }
      };
      pour();
    });
    await made.services.set({ ports: [port([pours])] });
    const socket = dial(made);
    socket.pause();
    let before = 0;
    const rests = (): boolean => {
      const isSame = before > 0 && before === sent;
      before = sent;
      return isSame;
    };
    await expect.poll(rests, { interval: 200 }).toBe(true);
    expect(sent).toBeLessThan(64 << 20);
  });

  test('what runs goes on when the table changes, and new connections follow the table', async () => {
    const made = make();
    const echo = await serveTcp((socket) => void socket.pipe(socket));
    await made.services.set({ ports: [port([echo]), port([echo], { of: 'shop/other', address: '127.0.64.3' })] });
    const at = made.services.portOf('shop/web');
    const socket = dial(made);
    socket.write('before');
    expect(String((await once(socket, 'data'))[0])).toBe('before');
    await made.services.set({ ports: [port([await says('new')])] });
    expect(made.services.portOf('shop/web')).toBe(at);
    expect(made.services.portOf('shop/other')).toBeUndefined();
    expect(await read(dial(made))).toBe('new');
    socket.write('after');
    expect(String((await once(socket, 'data'))[0])).toBe('after');
    await made.services.set({ ports: [] });
    socket.end('last');
    expect(await read(socket)).toBe('last');
  });

  test('a client keeps its backend where the service says so', async () => {
    const made = make();
    const [one, two] = [await says('one'), await says('two')];
    await made.services.set({ ports: [port([one, two], { affinitySeconds: 10 })] });
    expect(await read(dial(made))).toBe('one');
    made.now.chance = 0.5;
    expect(await read(dial(made))).toBe('one');
    made.now.ms = 10_000;
    expect(await read(dial(made))).toBe('two');
  });

  test('the API server is behind a door', async () => {
    const made = make();
    await serveTcp((socket) => socket.end('the API'), doors.api);
    await made.services.set({ ports: [port([{ api: true }])] });
    expect(await read(dial(made))).toBe('the API');
  });

  test('a port that cannot be had is told, and tried again', async () => {
    const made = make();
    const taken = await says('taken');
    const wish = port([taken], { address: '127.0.64.2', port: 'port' in taken ? taken.port : 0 });
    await made.services.set({ ports: [wish] });
    expect(made.said).toEqual([expect.stringMatching(/^shop\/web: nobody can listen at 127.*EADDRINUSE/)]);
    const other = await says('other');
    taken.server.close();
    await made.services.set({ ports: [{ ...wish, backends: [other] }] });
    expect(made.said).toHaveLength(1);
    expect(made.services.portOf('shop/web')).toBe(wish.port);
  });
});

describe('by UDP', () => {
  async function answers(name: string): Promise<Backend & { readonly from: Set<number> }> {
    const socket = createSocket('udp4');
    const from = new Set<number>();
    socket.on('message', (packet, { port: at, address }) => {
      from.add(at);
      socket.send(`${name} ${packet.toString()}`, at, address);
    });
    socket.bind({ address: '127.0.64.2', port: 0 });
    await once(socket, 'listening');
    ends.push(() => socket.close());
    return { address: '127.0.64.2', port: socket.address().port, from };
  }
  const udp = (backends: readonly Backend[]): ServicePort => port(backends, { protocol: 'UDP' });
  function client({ services }: Made): (text: string) => Promise<string> {
    const socket: UdpSocket = createSocket('udp4');
    ends.push(() => socket.close());
    const at = services.portOf('shop/web') ?? 1;
    return async (text) => {
      socket.send(text, at, '127.0.64.1');
      return String((await once(socket, 'message'))[0]);
    };
  }

  test('packets of one sender go to one backend, until that one is gone', async () => {
    const made = make();
    const [one, two] = [await answers('one'), await answers('two')];
    await made.services.set({ ports: [udp([one, two])] });
    const ask = client(made);
    expect(await ask('a')).toBe('one a');
    made.now.chance = 0.5;
    expect(await ask('b')).toBe('one b');
    expect(await client(made)('c')).toBe('two c');
    await made.services.set({ ports: [udp([two])] });
    expect(await ask('d')).toBe('two d');
  });

  test('a silent session is forgotten', async () => {
    const made = make();
    const one = await answers('one');
    await made.services.set({ ports: [udp([one])] });
    const ask = client(made);
    await ask('a');
    await ask('b');
    expect(one.from.size).toBe(1);
    made.now.ms += udpIdleMs;
    made.timers.shift()?.();
    await ask('c');
    expect(one.from.size).toBe(2);
  });
});
