/** What goes wrong around pods and inside of them, and what is done about it: on one node, on a small disk of its own. */
import { readFileSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import { endpointslices, events, namespaces, nodes, type Pod, pods, secrets, services } from '@signalbox/cluster';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { nodePlaces } from './protocol/places.ts';
import { everybody } from './testing/real-inside.ts';
import { isOver, isReady, isRunning, pause, type RealNode, realNode, shellContainer } from './testing/real-node.ts';

const isRoot = everybody.includes('root');
const { signal } = new AbortController();
const diskBytes = 96 << 20;
/** Within a while; also where tests run beside each other. */
const eventually = (check: () => void | Promise<void>): Promise<void> =>
  vi.waitFor(check, { timeout: 12_000, interval: 100 });

/** Ill when `/tmp/ill` is there: by HTTP, as a gRPC server, and as one that does not listen. */
const patient = `
const fs = require('fs'), ill = () => fs.existsSync('/tmp/ill');
const listening = {
  web: () => require('http').createServer((q, s) => {
    const bad = q.url === '/live' ? ill() : fs.existsSync('/tmp/busy');
    s.writeHead(bad ? 500 : 200).end();
  }).listen(8080),
  rpc: () => require('http2').createServer().on('stream', (stream) => {
    stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
    stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
    stream.end(Buffer.from([0, 0, 0, 0, 2, 8, ill() ? 2 : 1]));
  }).listen(9000),
  line: () => {
    const server = require('net').createServer((socket) => socket.end()).listen(7000);
    setInterval(() => ill() && server.close(), 50);
    setInterval(() => undefined, 1e8);
  },
};
listening[process.env.AS]();
process.on('SIGTERM', () => process.exit(7));`;

describe.each(everybody)('as %s', (who) => {
  let node: RealNode;
  beforeAll(async () => {
    node = await realNode(who, { images: [`example/node=${process.execPath}`], ...(isRoot && { diskBytes }) });
  });
  afterAll(() => node.end());

  const containerOf = (pod: Pod, name: string) => pod.status.containerStatuses?.find((each) => each.name === name);
  /** By its events. */
  const said = async (name: string, text: string): Promise<void> => {
    const notes = async (): Promise<string> => {
      const { items } = await node.client.list(events, { namespace: 'default' });
      const own = items.filter(({ involvedObject }) => involvedObject?.name === name);
      return own.map(({ reason, message }) => `${reason}: ${message}`).join('\n');
    };
    await eventually(async () => expect(await notes()).toContain(text));
  };

  describe.runIf(who === everybody[0])('on any node', { concurrent: true }, () => {
    test('probes by HTTP, gRPC, TCP and a command restart who is ill, when it has started', async () => {
      await node.client.create(services, {
        ...{ apiVersion: 'v1', kind: 'Service', metadata: { name: 'web', namespace: 'default' } },
        spec: { selector: { app: 'probed' }, ports: [{ port: 80, targetPort: 8080 }] },
      } as never);
      const once = { periodSeconds: 1, failureThreshold: 1 };
      const one = (name: string, probes: object) => ({
        ...{ name, image: 'example/node', command: [process.execPath, '-e', patient] },
        env: [{ name: 'AS', value: name }],
        ...probes,
      });
      const up = { exec: { command: ['test', '-e', '/tmp/up'] } };
      const containers = [
        one('web', {
          ports: [{ name: 'http', containerPort: 8080 }],
          startupProbe: { httpGet: { path: '/live', port: 'http' }, ...once, failureThreshold: 30 },
          livenessProbe: { httpGet: { path: '/live', port: 'http' }, ...once },
          readinessProbe: { httpGet: { path: '/ready', port: 'http' }, ...once },
        }),
        one('rpc', {
          startupProbe: { grpc: { port: 9000 }, ...once, failureThreshold: 30 },
          livenessProbe: { grpc: { port: 9000 }, ...once },
        }),
        one('line', {
          startupProbe: { tcpSocket: { port: 7000 }, ...once, failureThreshold: 30 },
          livenessProbe: { tcpSocket: { port: 7000 }, ...once },
        }),
        shellContainer('trap "exit 7" TERM; while :; do sleep 0.1; done', {
          name: 'slow',
          startupProbe: { ...up, ...once, failureThreshold: 60 },
          livenessProbe: { ...up, ...once },
        } as never),
      ];
      await node.create('probed', { containers } as never, { labels: { app: 'probed' } } as never);
      const restarts = (pod: Pod) => containers.map(({ name }) => containerOf(pod, name)?.restartCount);
      const others = (pod: Pod) => ['web', 'rpc', 'line'].every((name) => containerOf(pod, name)?.ready);
      await node.until('probed', others);
      await pause(2_000);
      const waiting = await node.get('probed');
      expect(containerOf(waiting, 'slow')).toMatchObject({ started: false, ready: false, restartCount: 0 });
      await node.exec('probed', 'touch /tmp/up', 'slow');
      expect(restarts(await node.until('probed', isReady))).toEqual([0, 0, 0, 0]);

      const isServed = async (): Promise<boolean> => {
        const { items } = await node.client.list(endpointslices, { namespace: 'default' });
        const own = items.filter(({ metadata }) => metadata.labels?.['kubernetes.io/service-name'] === 'web');
        const isListed = own.some((slice) => slice.endpoints?.some(({ conditions }) => conditions?.ready === true));
        const script = 'exec 3<>/dev/tcp/web.default.svc.cluster.local/80 && echo reached';
        const { stdout } = await node.exec('probed', `bash -c '${script}' 2>/dev/null`, 'slow');
        return isListed && stdout === 'reached\n';
      };
      await eventually(async () => expect(await isServed()).toBe(true));
      await node.exec('probed', 'touch /tmp/busy', 'web');
      await eventually(async () => expect(await isServed()).toBe(false));
      expect(containerOf(await node.get('probed'), 'web')).toMatchObject({ ready: false, restartCount: 0 });
      await node.exec('probed', 'rm /tmp/busy', 'web');
      await eventually(async () => expect(await isServed()).toBe(true));

      for (const name of ['web', 'rpc', 'line']) await node.exec('probed', 'touch /tmp/ill', name);
      await node.exec('probed', 'rm /tmp/up', 'slow');
      const after = await node.until('probed', (pod) => restarts(pod).join() === '1,1,1,1' && others(pod));
      for (const { name } of containers)
        expect(containerOf(after, name)?.lastState?.terminated, name).toMatchObject({ exitCode: 7 });
    });

    test('what runs before the end comes before its signal, and has the time of both', async () => {
      const notes = (name: string) => ({ volumeMounts: [{ name: 'notes', mountPath: '/notes', subPath: name }] });
      const volumes = [{ name: 'notes', hostPath: { path: '/notes', type: 'DirectoryOrCreate' } }];
      const traps = (more: object) =>
        shellContainer('trap "echo TERM >> /notes/all; exit 0" TERM; touch /tmp/up; while :; do sleep 0.1; done', {
          readinessProbe: { exec: { command: ['test', '-e', '/tmp/up'] }, periodSeconds: 1 },
          ...more,
        } as never);
      const preStop = (script: string) => ({ lifecycle: { preStop: { exec: { command: ['sh', '-c', script] } } } });
      const begin = (name: string, seconds: number, script: string) => {
        const containers = [traps({ ...notes(name), ...preStop(script) })];
        return node.create(name, { volumes, containers, terminationGracePeriodSeconds: seconds } as never);
      };
      await begin('orderly', 20, 'echo leaves >> /notes/all; sleep 1; echo left >> /notes/all');
      await begin('dawdles', 2, 'echo leaves >> /notes/all; sleep 1000; echo left >> /notes/all');
      const noted = (name: string) => readFileSync(join(nodePlaces(node.folder).host, 'notes', name, 'all'), 'utf8');
      const tookMs = async (name: string): Promise<number> => {
        await node.until(name, isReady);
        const sinceMs = performance.now();
        await node.delete(name);
        await node.gone(name);
        return performance.now() - sinceMs;
      };
      const [orderlyMs, dawdlesMs] = await Promise.all(['orderly', 'dawdles'].map(tookMs));
      expect(noted('orderly')).toBe('leaves\nleft\nTERM\n');
      expect(orderlyMs).toBeGreaterThan(900);
      expect(noted('dawdles')).toBe('leaves\nTERM\n');
      expect(dawdlesMs).toBeGreaterThan(1_900);
      expect(dawdlesMs).toBeLessThan(15_000);
    });

    test('who cannot begin as it asked is ended', async () => {
      const lifecycle = { postStart: { exec: { command: ['sh', '-c', 'echo no luck; exit 3'] } } };
      const container = shellContainer('trap "exit 9" TERM; while :; do sleep 0.1; done', { lifecycle } as never);
      await node.create('unlucky', { restartPolicy: 'Never', containers: [container] });
      const pod = await node.until('unlucky', isOver);
      expect(pod.status.phase).toBe('Failed');
      expect(containerOf(pod, 'app')?.state?.terminated).toMatchObject({ exitCode: 9 });
      await said('unlucky', 'FailedPostStartHook: PostStartHook failed: no luck');
    });

    test('nobody gets the secrets of another namespace', async () => {
      await node.client.create(namespaces, {
        ...{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'other' } },
      } as never);
      const secret = (namespace: string, name: string) => ({
        ...{ apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace }, stringData: { password: namespace } },
      });
      for (const each of [secret('other', 'key'), secret('other', 'alien'), secret('default', 'alien')])
        await node.client.create(secrets, each as never);
      const mount = { volumeMounts: [{ name: 'key', mountPath: '/key' }] };
      const waits = { containers: [shellContainer('cat /key/*', mount)] };
      await node.create('mounts', { ...waits, volumes: [{ name: 'key', secret: { secretName: 'key' } }] } as never);
      const projected = { sources: [{ secret: { name: 'key' } }] };
      await node.create('projects', { ...waits, volumes: [{ name: 'key', projected }] } as never);
      const valueFrom = { secretKeyRef: { name: 'key', key: 'password' } };
      await node.create('reads', {
        containers: [shellContainer('echo $KEY', { env: [{ name: 'KEY', valueFrom }] } as never)],
      });
      for (const name of ['mounts', 'projects']) await said(name, 'secret "key" not found');
      const config = (pod: Pod) => containerOf(pod, 'app')?.state?.waiting?.reason === 'CreateContainerConfigError';
      await node.until('reads', config);
      for (const name of ['mounts', 'projects']) expect(isRunning(await node.get(name))).toBe(false);

      // With its own token a pod may no more than its service account.
      const folder = '/var/run/secrets/kubernetes.io/serviceaccount';
      const ask = `
        const fs = require('fs'), https = require('https'), folder = '${folder}/';
        const ask = (path) => new Promise((done) => https.get({ host: 'kubernetes.default.svc', path,
          ca: fs.readFileSync(folder + 'ca.crt'), headers: { authorization: 'Bearer ' + fs.readFileSync(folder + 'token') } },
          (r) => { r.resume(); done(r.statusCode); }));
        (async () => { for (const path of process.argv.slice(1)) console.log(path, await ask('/api/v1/' + path)); })()`;
      const paths = [
        'namespaces/other/secrets/key',
        'namespaces/other/secrets',
        'namespaces/default/secrets/alien',
        'secrets',
      ];
      await node.create('asks', {
        restartPolicy: 'Never',
        containers: [{ name: 'app', image: 'example/node', command: [process.execPath, '-e', ask, ...paths] }],
        volumes: [{ name: 'own', secret: { secretName: 'alien' } }],
      } as never);
      const asks = await node.until('asks', isOver);
      expect(node.log(asks).trim().split('\n')).toEqual(paths.map((path) => `${path} 403`));

      // The node itself sees what its pods name, and nothing else.
      const { agent, network } = node.as;
      const codeOf = (work: Promise<unknown>) =>
        work.then(
          () => 200,
          ({ code }: { readonly code: number }) => code,
        );
      const get = (client: typeof agent, namespace: string, name: string) =>
        codeOf(client.get(secrets, { namespace, name, signal }));
      expect(await get(agent, 'default', 'alien')).toBe(200);
      expect(await get(agent, 'other', 'alien')).toBe(403);
      expect(await get(agent, 'other', 'key')).toBe(403);
      expect(await get(network, 'default', 'alien')).toBe(403);
      expect(await codeOf(agent.list(secrets, { namespace: 'default', signal }))).toBe(403);
      expect(await codeOf(agent.list(pods, { signal }))).toBe(403);
      const stranger = {
        apiVersion: 'v1',
        kind: 'Node',
        metadata: { name: 'stranger' },
        spec: { unschedulable: true },
      };
      expect(await codeOf(agent.create(nodes, stranger as never, { signal }))).toBe(403);
      await node.client.create(nodes, stranger as never);
      const body = { metadata: { labels: { taken: 'yes' } } };
      expect(await codeOf(agent.patch(nodes, { name: 'stranger', patchType: 'merge', body, signal }))).toBe(403);
    });
  });

  test('memory that is a folder is full for whoever fills it, and free when its pod is over', async () => {
    const mount = { volumeMounts: [{ name: 'm', mountPath: '/m' }] };
    const volumes = [{ name: 'm', emptyDir: { medium: 'Memory', sizeLimit: '1Mi' } }];
    const fills = shellContainer('cat /dev/zero > /m/x; echo code $?; exec sleep 1000', mount);
    const calm = shellContainer('exec sleep 1000', mount);
    await node.create('fills', { restartPolicy: 'Never', containers: [fills], volumes } as never);
    await node.create('calm', { containers: [calm], volumes } as never);
    const pod = await node.until('fills', isRunning);
    await node.until('calm', isRunning);
    await eventually(() => expect(node.log(pod)).toMatch(/No space left on device\ncode 1\n/));
    expect((await node.exec('calm', 'echo fine > /m/x; cat /m/x')).stdout).toBe('fine\n');
    const mounts = () => node.mountsInside().filter((path) => path.includes(pod.metadata.uid) && path.endsWith('/m'));
    expect(mounts()).toHaveLength(1);
    await node.inside().signal({ pod: pod.metadata.uid, name: 'app' }, 'SIGKILL');
    await node.until('fills', isOver);
    await eventually(() => expect(mounts()).toEqual([]));
  });

  test.runIf(isRoot)('a full disk ends who filled it, nobody else, and there is room again', async () => {
    const mount = { volumeMounts: [{ name: 'data', mountPath: '/data' }] };
    const volumes = [{ name: 'data', emptyDir: {} }];
    const writes = 'n=0; while :; do n=$((n + 1)); echo $n; echo $n > /data/n; sleep 0.1; done';
    await node.create('neighbour', { containers: [shellContainer(writes, mount)], volumes } as never);
    const neighbour = await node.until('neighbour', isRunning);
    const freeBytes = () => {
      const { bavail, bsize } = statfsSync(node.folder);
      return bavail * bsize;
    };
    const before = freeBytes();
    const fills = 'cat /dev/zero > /data/x 2> /tmp/said; echo code $? >> /tmp/said; exec sleep 1000';
    await node.create('greedy', { containers: [shellContainer(fills, mount)], volumes } as never);
    await node.until('greedy', isRunning);
    await eventually(async () => {
      // On a busy machine it may be gone before anybody could ask it.
      if (isOver(await node.get('greedy'))) return;
      expect((await node.exec('greedy', 'cat /tmp/said')).stdout).toMatch(/No space left on device\ncode 1\n/);
    });
    const { status } = await node.until('greedy', isOver);
    expect(status).toMatchObject({ phase: 'Failed', reason: 'Evicted' });
    expect(status.message).toContain('The node was low on resource: ephemeral-storage');
    // Its object is still there, what it held is not.
    await eventually(() => expect(before - freeBytes()).toBeLessThan(4 << 20));
    expect(containerOf(await node.get('neighbour'), 'app')).toMatchObject({ restartCount: 0, ready: true });
    const last = () => Number(node.log(neighbour).trim().split('\n').at(-1));
    const seen = last();
    await eventually(() => expect(last()).toBeGreaterThan(seen + 5));
    expect((await node.exec('neighbour', 'echo room > /data/y; cat /data/y')).stdout).toBe('room\n');
    await node.create('next', { containers: [shellContainer('exec sleep 1000', mount)], volumes } as never);
    await node.until('next', isRunning);
  });
});
