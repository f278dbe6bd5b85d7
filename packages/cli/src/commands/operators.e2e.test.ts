/** Operators as processes: whatever becomes of the one that works, there is one writer at any time. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type Authorizer,
  type Cluster,
  createCluster,
  type KubeObject,
  type New,
  type Serving,
  secrets,
  serveCluster,
  serviceaccounts,
  sleep,
  systemClock,
} from '@signalbox/cluster';
import { customResourceDefinitions } from '@signalbox/telemetry';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type CommandProcess, startCommand } from '../testing/process.ts';

const { signal } = new AbortController();
let folder: string;
let cluster: Cluster;
let serving: Serving;
const closing: (() => void)[] = [];

interface Asked {
  readonly user: string;
  readonly namespace: string;
  readonly isLease: boolean;
  readonly atMs: number;
}

/** Whatever anybody tried to write, also what was refused because it came too late. */
const asked: Asked[] = [];
const recorder: Authorizer = {
  name: 'recorder',
  authorize(access) {
    if ('resource' in access && ['create', 'update', 'patch', 'delete'].includes(access.verb)) {
      const { user, namespace = '', resource } = access;
      asked.push({ user: user.name, namespace, isLease: resource === 'leases', atMs: systemClock.nowMs() });
    }
    return { allowed: true, reason: 'the test allows everything' };
  },
  rulesFor: () => ({ incomplete: true, resourceRules: [], nonResourceRules: [] }),
};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'signalbox-operators-'));
  cluster = await createCluster({ nodes: 0, authorizer: recorder });
  serving = await serveCluster(cluster, { port: 0, kubeconfig: join(folder, 'kubeconfig') });
  await cluster.apply(customResourceDefinitions());
});

afterAll(async () => {
  for (const close of closing) close();
  await serving.close();
  await cluster.close();
  await rm(folder, { recursive: true });
});

const object = (apiVersion: string, kind: string, metadata: object, more: object = {}): New<KubeObject> =>
  ({ apiVersion, kind, metadata, ...more }) as unknown as New<KubeObject>;

/** What has not come by then never comes. */
const waitMsMax = 60_000;

async function until(holds: () => boolean | Promise<boolean>, told: () => string): Promise<void> {
  const deadlineMs = systemClock.nowMs() + waitMsMax;
  while (!(await holds())) {
    if (systemClock.nowMs() > deadlineMs) throw new Error(`it does not come: ${told()}`);
    await sleep(systemClock, 50, { signal });
  }
}

/** Standard error of an operator holds the text. */
function said({ process }: Operator, text: RegExp): Promise<void> {
  return until(() => text.test(process.err()), process.err);
}

/** Lets everything through until it is cut; then nothing comes through any more, and nobody is told. */
interface Door {
  readonly port: number;
  /** How many connections go through it. */
  count(): number;
  cut(): void;
  /** As `cut`, of the connections that there are: new ones come through. */
  cutThese(): void;
  mend(): void;
}

async function openDoor(): Promise<Door> {
  const behind = Number(new URL(serving.url).port);
  const sockets = new Set<Socket>();
  const dead = new Set<Socket>();
  let isCut = false;
  const server = createServer((socket) => {
    const other = connect(behind, '127.0.0.1');
    for (const [from, to] of [
      [socket, other],
      [other, socket],
    ] as const) {
      sockets.add(from);
      from.on('data', (chunk) => {
        if (!isCut && !dead.has(from)) to.write(chunk);
      });
      from.on('error', () => to.destroy());
      from.on('close', () => {
        sockets.delete(from);
        to.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const drop = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  closing.push(() => {
    drop();
    server.close();
  });
  return {
    port: (server.address() as { readonly port: number }).port,
    // Each has two sides.
    count: () => sockets.size / 2,
    cut() {
      isCut = true;
    },
    cutThese() {
      for (const socket of sockets) dead.add(socket);
    },
    mend() {
      isCut = false;
      drop();
    },
  };
}

interface Operator {
  readonly user: string;
  readonly door: Door;
  readonly process: CommandProcess;
}

/** With a service account of its own, by whose name the API knows it. */
async function startOperator(name: string, namespace: string): Promise<Operator> {
  await cluster.apply([object('v1', 'ServiceAccount', { name, namespace })]);
  const { object: issued } = await cluster.client.post(serviceaccounts, {
    namespace,
    name,
    subresource: 'token',
    body: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} },
    signal,
  });
  const { token } = (issued as unknown as { readonly status: { readonly token: string } }).status;
  const [, authority] =
    /certificate-authority-data: (\S+)/.exec(await readFile(join(folder, 'kubeconfig'), 'utf8')) ?? [];
  const door = await openDoor();
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'own',
    clusters: [
      {
        name: 'own',
        cluster: { server: `https://127.0.0.1:${door.port}`, 'certificate-authority-data': authority },
      },
    ],
    users: [{ name: 'own', user: { token } }],
    contexts: [{ name: 'own', context: { cluster: 'own', user: 'own' } }],
  };
  const kubeconfig = join(folder, `${namespace}-${name}`);
  await writeFile(kubeconfig, JSON.stringify(config), { mode: 0o600 });
  const scope = ['--namespace', namespace, '--lease-namespace', namespace];
  const process = startCommand(['operator', '--kubeconfig', kubeconfig, ...scope], { cwd: folder });
  closing.push(() => process.child.kill('SIGKILL'));
  return { user: `system:serviceaccount:${namespace}:${name}`, door, process };
}

interface Pair {
  readonly namespace: string;
  /** It works. */
  readonly first: Operator;
  /** It waits. */
  readonly second: Operator;
}

async function pairIn(namespace: string): Promise<Pair> {
  await cluster.apply([object('v1', 'Namespace', { name: namespace })]);
  const first = await startOperator('first', namespace);
  await said(first, /and works/);
  const second = await startOperator('second', namespace);
  await said(second, /; waiting/);
  const pair = { namespace, first, second };
  await makeRoot(namespace, 'before');
  await untilMade(pair, 'before');
  return pair;
}

async function makeRoot(namespace: string, name: string): Promise<void> {
  const spec = { metrics: { instanceSelector: {} } };
  await cluster.apply([object('monitoring.grafana.com/v1alpha1', 'GrafanaAgent', { name, namespace }, { spec })]);
}

async function untilMade({ namespace, first, second }: Pair, name: string): Promise<void> {
  const isMade = async (): Promise<boolean> => {
    const { items } = await cluster.client.list(secrets, { namespace, signal });
    return items.some(({ metadata }) => metadata.name === `${name}-secrets`);
  };
  await until(isMade, () => `${name} in ${namespace}; ${first.process.err()}; ${second.process.err()}`);
}

/** Who wrote one after the other, leases aside. */
function writers(namespace: string): readonly string[] {
  const users = asked
    .filter((each) => each.namespace === namespace && !each.isLease && each.user.startsWith('system:serviceaccount:'))
    .map(({ user }) => user.split(':').at(-1) ?? '')
    .filter((name) => name === 'first' || name === 'second');
  return users.filter((user, index) => user !== users[index - 1]);
}

/** From the moment on at which nobody works until the second has the lease. */
function tookOverWithinMs({ namespace, second }: Pair, sinceMs: number): number {
  const taken = asked.find(
    (each) => each.isLease && each.namespace === namespace && each.user === second.user && each.atMs > sinceMs,
  );
  return (taken?.atMs ?? Infinity) - sinceMs;
}

const takeOverMsMax = 20_000;

test.concurrent('one that is killed is followed by the other', async () => {
  const pair = await pairIn('killed');
  const killedMs = systemClock.nowMs();
  pair.first.process.child.kill('SIGKILL');
  await makeRoot('killed', 'after');
  await untilMade(pair, 'after');
  expect(tookOverWithinMs(pair, killedMs)).toBeLessThanOrEqual(takeOverMsMax);
  expect(writers('killed')).toEqual(['first', 'second']);
});

test.concurrent('one that was stopped, and goes on beyond its lease, writes nothing', async () => {
  const pair = await pairIn('stopped');
  const { first } = pair;
  const stoppedMs = systemClock.nowMs();
  first.process.child.kill('SIGSTOP');
  // What it hears of when it goes on.
  await makeRoot('stopped', 'after');
  await untilMade(pair, 'after');
  expect(tookOverWithinMs(pair, stoppedMs)).toBeLessThanOrEqual(takeOverMsMax);
  await makeRoot('stopped', 'later');
  first.process.child.kill('SIGCONT');
  await makeRoot('stopped', 'last');
  await untilMade(pair, 'last');
  await said(first, /lost the lease[\s\S]*; waiting/);
  expect(writers('stopped')).toEqual(['first', 'second']);
});

test.concurrent('one that is cut off stops before the other begins, and waits when it is back', async () => {
  const pair = await pairIn('cut');
  const { first } = pair;
  const cutMs = systemClock.nowMs();
  first.door.cut();
  await makeRoot('cut', 'after');
  await untilMade(pair, 'after');
  expect(tookOverWithinMs(pair, cutMs)).toBeLessThanOrEqual(takeOverMsMax);
  expect(first.process.err()).toContain('could not be renewed for 10 s');
  first.door.mend();
  await makeRoot('cut', 'last');
  await untilMade(pair, 'last');
  await said(first, /lost the lease[\s\S]*; waiting/);
  expect(writers('cut')).toEqual(['first', 'second']);
});

test.concurrent('one whose own connection dies with the one that works takes over in time all the same', async () => {
  const pair = await pairIn('both');
  // Those of its start are closed when nobody has used them for ten seconds; each that died would be found by a look of its own.
  await until(
    () => pair.second.door.count() <= 1,
    () => `${pair.second.door.count()} connections`,
  );
  const killedMs = systemClock.nowMs();
  pair.second.door.cutThese();
  pair.first.process.child.kill('SIGKILL');
  await makeRoot('both', 'after');
  await untilMade(pair, 'after');
  // A request more than the others need: the look over the dead connection, and a new handshake.
  expect(tookOverWithinMs(pair, killedMs)).toBeLessThanOrEqual(takeOverMsMax + 1_000);
  expect(writers('both')).toEqual(['first', 'second']);
});
