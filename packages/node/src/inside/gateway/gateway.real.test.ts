/** Names, services, ways out and simulated pods as a pod meets them, as root and as an ordinary user. */
import { createServer, type Server } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Doors, openDoors } from '../../doors/doors.ts';
import { nodePlaces } from '../../protocol/places.ts';
import { egressTable, parseEgress } from '../../tables/egress.ts';
import {
  everybody,
  execOf,
  podPlace,
  processesOf,
  type RealInside,
  realInside,
  shell,
} from '../../testing/real-inside.ts';

const domain = 'cluster.local';
const web = `web.shop.svc.${domain}`;
const withNode = { root: { is: 'programs', paths: [process.execPath] } } as const;
const patient = { timeout: 10_000 };

/** What runs in pods: says `text` to whoever connects. */
const sayer = (text: string, port: number, host = '0.0.0.0'): [string, ...string[]] => [
  process.execPath,
  '-e',
  `require('net').createServer((s) => s.end('${text} to ' + s.remoteAddress)).listen(${port}, '${host}')`,
];

describe.each(everybody)('as %s', (who) => {
  let real: RealInside;
  let doors: Doors;
  let outside: Server;
  let outsidePort = 0;
  const client = podPlace(1);
  const server = podPlace(2, { hostPorts: [{ protocol: 'TCP', hostPort: 8_081, containerPort: 80 }] });

  /** Runs the body of an async function in the first pod; what it returns. */
  const inPod = async (body: string): Promise<unknown> => {
    const script = `
      const dns = new (require('dns').promises.Resolver)({ timeout: 2000, tries: 2 });
      dns.setServers(['169.254.20.10']);
      const read = (host, port) => new Promise((resolve) => {
        let text = '';
        const socket = require('net').connect({ host, port, timeout: 5000 });
        socket.on('data', (chunk) => (text += chunk)).on('end', () => resolve(text));
        socket.on('error', (error) => resolve(error.code)).on('timeout', () => resolve('nothing'));
      });
      const get = (url) => fetch(url).then(async (r) => r.status + ' ' + (await r.text()), (e) => e.cause?.code ?? e.message);
      (async () => { ${body} })().then((v) => console.log(JSON.stringify(v)), (e) => console.log(JSON.stringify(e.code ?? e.message)));`;
    const encoded = Buffer.from(script).toString('base64');
    const run = `${process.execPath} -e "eval(Buffer.from('${encoded}', 'base64').toString())"`;
    const { stdout, stderr } = await execOf(real.inside, { pod: client.uid, name: 'app' }, run);
    if (stdout === '') throw new Error(stderr);
    return JSON.parse(stdout);
  };
  const dialled = async (host: string, port: number): Promise<string> => {
    const socket = await real.inside.dial({ host, port }, { signal: AbortSignal.timeout(5_000) });
    let text = '';
    for await (const chunk of socket) text += String(chunk);
    return text;
  };

  beforeAll(async () => {
    real = await realInside(who);
    outside = createServer((socket) => socket.end('outside')).listen(0, '127.0.0.1');
    await new Promise((resolve) => outside.once('listening', resolve));
    const place = outside.address();
    outsidePort = typeof place === 'object' ? (place?.port ?? 0) : 0;
    const targets = parseEgress([`localhost:${outsidePort}`]);
    doors = await openDoors({
      folder: nodePlaces(real.folder).doors,
      api: { host: '127.0.0.1', port: outsidePort },
      egress: targets,
      owner: real.user,
    });
    await real.inside.addPod(client);
    await real.inside.addPod(server);
    await real.inside.start(shell(client.uid, 'exec sleep 1000', withNode));
    await real.inside.start(shell(server.uid, '', { ...withNode, argv: sayer('web', 80) }));
    const egress = egressTable([...targets, { host: 'localhost', port: 1 }]);
    const common = { protocol: 'TCP', backends: [{ address: server.address ?? '', port: 80 }] } as const;
    await real.inside.setServices({
      ports: [
        { ...common, address: '10.96.0.9', port: 80, of: 'shop/web' },
        { ...common, address: '10.96.0.9', port: 8_000, of: 'shop/web:other' },
        { ...common, address: '10.64.0.1', port: 30_080, of: 'shop/web' },
        { ...common, address: '10.96.0.10', port: 80, of: 'shop/none', backends: [] },
        { ...common, address: '10.96.0.1', port: 443, of: 'default/kubernetes', backends: [{ api: true }] },
        ...egress.ports,
      ],
    });
    const a = { type: 'A', ttlSeconds: 5 } as const;
    await real.inside.setZone({ domain, records: [{ ...a, name: web, address: '10.96.0.9' }, ...egress.records] });
    const simulated = { namespace: 'shop', node: 'node-1', ports: [9_100], startedMs: 0 };
    await real.inside.setSimulated({
      pods: Array.from({ length: 500 }, (_, each) => ({
        ...simulated,
        ...{ name: `app-${each}`, address: `10.128.${each >> 8}.${each & 255}`, series: each },
      })),
    });
  });
  afterAll(async () => {
    await doors.close();
    outside.close();
    await real.end();
  });

  test('a pod finds names, and no others', async () => {
    expect(await inPod(`return [await dns.resolve4('${web}'), await dns.resolve4('localhost')]`)).toEqual([
      ['10.96.0.9'],
      ['198.18.0.1'],
    ]);
    expect(await inPod("return dns.resolve4('example.com')")).toBe('ENOTFOUND');
    expect(await inPod(`return dns.resolve6('${web}')`)).toBe('ENODATA');
    expect(await inPod("return new Promise((r) => require('dns').lookup('web.shop', (e, a) => r(e?.code ?? a)))")).toBe(
      '10.96.0.9',
    );
  });

  // The server listens on a low port, as nobody in particular.
  test('a pod reaches services, the API server, and what egress names', async () => {
    await expect.poll(() => inPod("return read('10.96.0.9', 80)"), patient).toMatch(/^web to /);
    expect(await inPod("return read('10.64.0.1', 30080)")).toMatch(/^web to /);
    expect(await inPod("return read('10.64.0.1', 8081)")).toMatch(/^web to /);
    expect(await inPod("return read('10.96.0.1', 443)")).toBe('outside');
    expect(await inPod(`return read('198.18.0.1', ${outsidePort})`)).toBe('outside');
  });

  test('a pod is refused at once where nobody is, and gets nowhere else', async () => {
    expect(await inPod("return read('10.96.0.10', 80)")).toBe('ECONNREFUSED');
    expect(await inPod("return read('10.96.0.9', 81)")).toBe('ECONNREFUSED');
    // It is in the table, but not on the agent's list.
    expect(await inPod("return read('198.18.0.1', 1)")).toBe('ECONNRESET');
    expect(await inPod("return read('192.0.2.1', 80)")).toMatch(/^E(NETUNREACH|HOSTUNREACH)$/);
    expect(await inPod(`return read('127.0.0.1', ${outsidePort})`)).toBe('ECONNREFUSED');
  });

  test('simulated pods answer inside', async () => {
    const url = 'http://10.128.1.3:9100';
    expect(await inPod(`return get('${url}/-/ready')`)).toBe('200 simulated pod shop/app-259\n');
    expect(
      await inPod(`return (await get('${url}/metrics')).match(/^signalbox_simulated_events_total/gm).length`),
    ).toBe(259);
    expect(await inPod("return get('http://10.128.7.7:9100/')")).toBe('ECONNREFUSED');
    expect(await inPod("return get('http://10.128.1.3:9101/')")).toBe('ECONNREFUSED');
  });

  test('a pod on the host network stands in nobody’s way', async () => {
    const host = podPlace(3, { address: undefined });
    await real.inside.addPod(host);
    await real.inside.start(shell(host.uid, '', { ...withNode, argv: sayer('host', 8_000) }));
    await real.inside.start(shell(host.uid, '', { ...withNode, name: 'exporter', argv: sayer('host', 9_100) }));
    await expect.poll(() => dialled('10.64.0.1', 8_000).catch(String), patient).toBe('host to 10.64.0.1');
    await expect.poll(() => dialled('10.64.0.1', 9_100).catch(String), patient).toBe('host to 10.64.0.1');
    expect(await dialled('10.96.0.9', 8_000)).toMatch(/^web to /);
    expect(await inPod("return get('http://10.128.1.3:9100/')")).toBe('200 simulated pod shop/app-259\n');
    await real.inside.removePod(host.uid);
  });

  test('a gateway that is killed comes back and knows everything', async () => {
    const [pid = 0, ...others] = processesOf(`"gateway".*${real.folder}`);
    expect(others).toEqual([]);
    process.kill(pid, 'SIGKILL');
    await expect.poll(() => inPod("return read('10.96.0.9', 80)"), patient).toMatch(/^web to /);
    expect(await inPod(`return dns.resolve4('${web}')`)).toEqual(['10.96.0.9']);
    await expect.poll(() => inPod("return get('http://10.128.1.3:9100/')"), patient).toMatch(/^200/);
  });
});
