/**
 * What the network of a real node costs: a connection through the service proxy beside a direct one, the name server with 10,000
 * services, simulated pods. Server and proxy are processes of their own, on loopback. Prints one line of JSON.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { get } from 'node:http';
import { connect, createServer } from 'node:net';
import { systemClock } from '@signalbox/cluster';
import { createConnect, createNames, createServices, createSimulatedAnswers } from '@signalbox/node';

const [, program = '', role = 'measure', argument = ''] = process.argv;
const host = '127.0.0.1';
const doors = { api: '', egress: '' };
const report = (message: string): void => void process.stderr.write(`${message}\n`);

/** A byte is answered with a byte, `P` with bytes without end. */
async function serve(): Promise<void> {
  const server = createServer({ noDelay: true }, (socket) => {
    socket.on('error', () => socket.destroy());
    socket.on('data', (bytes) => {
      if (bytes[0] !== 0x50) return void socket.write(bytes);
      const block = Buffer.alloc(1 << 18);
      const pour = (): void => {
        while (socket.writable && socket.write(block));
        if (socket.writable) socket.once('drain', pour);
      };
      pour();
    });
  }).listen(0, host);
  await once(server, 'listening');
  const place = server.address();
  process.send?.(typeof place === 'object' ? place?.port : 0);
}

async function proxy(): Promise<void> {
  const connectTo = createConnect({ clock: systemClock, doors });
  const services = createServices({ clock: systemClock, chance: () => 0, connect: connectTo, report });
  const backends = [{ address: host, port: Number(argument) }];
  await services.set({ ports: [{ protocol: 'TCP', address: host, port: 0, backends, of: 'bench' }] });
  process.send?.(services.portOf('bench'));
}

const children: ChildProcess[] = [];

async function started(as: string, to = ''): Promise<number> {
  const child = spawn(process.execPath, [program, as, to], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  children.push(child);
  return Number((await once(child, 'message'))[0]);
}

async function throughput(port: number): Promise<number> {
  const socket = connect({ host, port });
  socket.write('P');
  await once(socket, 'data');
  const startMs = performance.now();
  let bytes = 0;
  socket.on('data', (chunk) => (bytes += chunk.length));
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  socket.destroy();
  return bytes / 1e3 / (performance.now() - startMs);
}

async function median(rounds: number, work: () => Promise<void>): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const startMs = performance.now();
    await work();
    times.push(performance.now() - startMs);
  }
  return times.sort((a, b) => a - b)[rounds >> 1] ?? 0;
}

const newConnection = async (port: number): Promise<void> => {
  const socket = connect({ host, port, noDelay: true });
  socket.write('x');
  await once(socket, 'data');
  socket.destroy();
};

async function roundTrip(port: number): Promise<number> {
  const socket = connect({ host, port, noDelay: true });
  await once(socket, 'connect');
  const ms = await median(3_000, async () => {
    socket.write('x');
    await once(socket, 'data');
  });
  socket.destroy();
  return ms;
}

async function proxied(): Promise<Readonly<Record<string, number>>> {
  const direct = await started('serve');
  const through = await started('proxy', String(direct));
  const us = (ms: number): number => Math.round(ms * 1_000);
  return {
    'direct MB/s': await throughput(direct),
    'proxied MB/s': await throughput(through),
    'direct round trip µs': us(await roundTrip(direct)),
    'proxied round trip µs': us(await roundTrip(through)),
    'direct connection µs': us(await median(1_000, () => newConnection(direct))),
    'proxied connection µs': us(await median(1_000, () => newConnection(through))),
  };
}

const nameOf = (each: number): string => `service-${each}.shop.svc.cluster.local`;

/** A query for an A record, by hand: what asks shall not cost much. */
function query(id: number, name: string): Buffer {
  const labels = name.split('.').map((label) => Buffer.from(`${String.fromCharCode(label.length)}${label}`));
  const head = Buffer.from([id >> 8, id & 255, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0]);
  return Buffer.concat([head, ...labels, Buffer.from([0, 0, 1, 0, 1])]);
}

async function names(): Promise<Readonly<Record<string, number>>> {
  const server = await createNames({ address: host, port: 0, chance: () => 0 });
  const records = Array.from({ length: 10_000 }, (_, each) => [
    { type: 'A' as const, name: nameOf(each), address: '10.96.0.9', ttlSeconds: 5 },
    { type: 'PTR' as const, name: `${each}.in-addr.arpa`, target: nameOf(each), ttlSeconds: 5 },
    {
      ...{ type: 'SRV' as const, name: `_http._tcp.${nameOf(each)}`, target: nameOf(each), ttlSeconds: 5 },
      ...{ port: 80, priority: 0, weight: 100 },
    },
  ]).flat();
  const startMs = performance.now();
  server.set({ domain: 'cluster.local', records });
  const indexMs = performance.now() - startMs;
  const socket = createSocket('udp4');
  const questions = 30_000;
  const inFlight = 50;
  let answered = 0;
  let asked = 0;
  const ask = (): void => {
    if (asked >= questions) return;
    socket.send(query(asked & 0xffff, nameOf(asked % 10_000)), server.port, host);
    asked += 1;
  };
  const askedMs = performance.now();
  await new Promise<void>((resolve) => {
    socket.on('message', () => {
      answered += 1;
      if (answered === questions) resolve();
      ask();
    });
    for (let each = 0; each < inFlight; each++) ask();
  });
  const perSecond = (questions * 1_000) / (performance.now() - askedMs);
  socket.close();
  await server.close();
  return { 'index of 10,000 services ms': indexMs, 'queries/s': perSecond };
}

async function simulated(): Promise<Readonly<Record<string, number>>> {
  const answers = createSimulatedAnswers({ clock: systemClock, report });
  const pods = Array.from({ length: 5_000 }, (_, each) => ({
    ...{ namespace: 'shop', name: `pod-${each}`, node: 'node-1', ports: [29_100], startedMs: 0, series: 100 },
    address: `127.1.${each >> 8}.${each & 255}`,
  })).slice(1);
  const startMs = performance.now();
  await answers.set({ pods });
  const listenMs = performance.now() - startMs;
  const scrapedMs = performance.now();
  const scrapes = 2_000;
  for (let each = 1; each <= scrapes; each += 20)
    await Promise.all(
      Array.from({ length: 20 }, async (_, more) => scrape(`127.1.${(each + more) >> 8}.${(each + more) & 255}`)),
    );
  const perSecond = (scrapes * 1_000) / (performance.now() - scrapedMs);
  await answers.close();
  return { '5,000 simulated pods ms': listenMs, 'scrapes/s': perSecond };
}

function scrape(address: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = get({ host: address, port: 29_100, path: '/metrics' }, (response) => {
      response.resume().on('end', resolve);
    });
    request.on('error', reject);
  });
}

async function measure(): Promise<void> {
  try {
    const figures = { ...(await proxied()), ...(await names()), ...(await simulated()) };
    process.stdout.write(`${JSON.stringify(figures)}\n`);
  } finally {
    for (const child of children) child.kill('SIGKILL');
  }
  process.exit(0);
}

process.on('disconnect', () => process.exit(0));
await { serve, proxy, measure }[role as 'measure']();
