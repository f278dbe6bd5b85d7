/** A client that others wrote, in a language of ours, and its streams into real pods: `@kubernetes/client-node`. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, get, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import {
  Attach,
  CoreV1Api,
  Cp,
  Exec,
  KubeConfig,
  Log,
  PatchStrategy,
  PortForward,
  setHeaderOptions,
  type V1Status,
} from '@kubernetes/client-node';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { everybody } from './testing/real-inside.ts';
import { isReady, isRunning, type RealNode, realNode, shellContainer } from './testing/real-node.ts';

/** On a machine that has much else to do. */
const eventually = <T>(seen: () => T) => expect.poll(seen, { timeout: 30_000 });

const serves = "require('http').createServer((q,s)=>s.end('served '+q.url+'x'.repeat(1e6))).listen(8080)";
const namespace = 'default';

describe.each(everybody)('as %s', (who) => {
  let node: RealNode;
  let config: KubeConfig;
  beforeAll(async () => {
    node = await realNode(who, { images: [`example/node=${process.execPath}`] });
    config = new KubeConfig();
    config.loadFromFile(join(node.clusterFolder, 'kubeconfig'));
    const listener = {
      ...{ name: 'web', image: 'example/node', command: [process.execPath, '-e', serves] },
      readinessProbe: { tcpSocket: { port: 8080 }, periodSeconds: 1 },
    };
    const echoes = 'echo ready; while read -r line; do echo "heard $line"; done; exit 4';
    const talker = shellContainer(echoes, { name: 'talker', stdin: true, stdinOnce: true });
    await node.create('pod', { restartPolicy: 'Never', containers: [listener, talker] } as never);
    await node.until('pod', isReady);
  });
  afterAll(() => node.end());

  const collected = (): { readonly stream: PassThrough; text(): string } => {
    const stream = new PassThrough();
    let text = '';
    stream.on('data', (bytes: Buffer) => (text += bytes.toString()));
    return { stream, text: () => text };
  };
  const execed = async (command: readonly string[], stdin?: string) => {
    const [out, err] = [collected(), collected()];
    const input = stdin === undefined ? null : new PassThrough();
    input?.end(stdin);
    const status = await new Promise<V1Status>((resolve, reject) => {
      const exec = new Exec(config);
      exec
        .exec(namespace, 'pod', 'talker', [...command], out.stream, err.stream, input, false, resolve)
        .catch((error: unknown) => reject(error instanceof Error ? error : new Error(String(error))));
    });
    return { status, out: out.text(), err: err.text() };
  };

  test('runs a command: both outputs, and how it ended', async () => {
    const ran = await execed(['sh', '-c', 'echo out; echo err >&2; exit 7']);
    expect(ran).toMatchObject({ out: 'out\n', err: 'err\n', status: { status: 'Failure', reason: 'NonZeroExitCode' } });
    expect(ran.status.details?.causes).toEqual([{ reason: 'ExitCode', message: '7' }]);
    expect(await execed(['true'])).toMatchObject({ status: { status: 'Success' } });
  });

  test('gives it a terminal', async () => {
    const out = collected();
    const status = await new Promise<V1Status>((resolve, reject) => {
      const input = new PassThrough();
      new Exec(config)
        .exec(namespace, 'pod', 'talker', ['sh', '-c', 'tty; exit 3'], out.stream, null, input, true, resolve)
        .catch(reject);
    });
    expect(out.text()).toMatch(/^\/dev\/pts\/\d+\r\n$/);
    expect(status.details?.causes?.[0]?.message).toBe('3');
  });

  test('forwards a port', async () => {
    const forward = new PortForward(config);
    const local: Server = createServer();
    local.removeAllListeners('connection');
    local.on('connection', (socket) => {
      socket.on('error', () => undefined);
      void forward.portForward(namespace, 'pod', [8080], socket, null, socket);
    });
    await new Promise<void>((resolve) => local.listen(0, '127.0.0.1', resolve));
    const { port } = local.address() as AddressInfo;
    const text = await new Promise<string>((resolve, reject) => {
      get({ port, host: '127.0.0.1', path: '/there', agent: false }, (answer) => {
        let read = '';
        answer.on('data', (bytes: Buffer) => (read += bytes.toString()));
        answer.on('end', () => resolve(read));
      }).on('error', reject);
    });
    expect([text.slice(0, 14), text.length]).toEqual(['served /therex', 13 + 1_000_000]);
    local.close();
  });

  test('copies files both ways', async () => {
    const [from, back] = ['from', 'back'].map((name) => join(node.clusterFolder, name)) as [string, string];
    for (const folder of [from, back]) mkdirSync(folder, { recursive: true });
    writeFileSync(join(from, 'file'), 'content');
    await execed(['mkdir', '-p', '/tmp/there']);
    const exec = new Exec(config);
    await new Cp(config, exec).cpToPod(namespace, 'pod', 'talker', from, '/tmp/there');
    await eventually(async () => (await execed(['cat', '/tmp/there/file'])).out).toBe('content');
    // It asks for a compressed archive and reads a plain one (1.4.0), so that is asked for here.
    const plain = { exec: (...given: Parameters<Exec['exec']>) => exec.exec(...withoutZip(given)) } as Exec;
    await new Cp(config, plain).cpFromPod(namespace, 'pod', 'talker', 'file', back, '/tmp/there');
    const read = (): string => readFileSync(join(back, 'file'), 'utf8');
    await eventually(() =>
      Promise.resolve()
        .then(read)
        .catch(() => undefined),
    ).toBe('content');
  });

  test('puts a container into a pod that runs, and reads its log', async () => {
    const core = config.makeApiClient(CoreV1Api);
    const looks = { name: 'looks', image: 'busybox', command: ['sh', '-c', 'hostname; exec sleep 1000'] };
    await core.patchNamespacedPodEphemeralcontainers(
      { namespace, name: 'pod', body: { spec: { ephemeralContainers: [looks] } } },
      setHeaderOptions('Content-Type', PatchStrategy.StrategicMergePatch),
    );
    const pod = await node.until('pod', ({ status }) => status.ephemeralContainerStatuses?.[0]?.state?.running != null);
    expect(isRunning(pod)).toBe(true);
    const log = collected();
    const reading = await new Log(config).log(namespace, 'pod', 'looks', log.stream, { follow: true });
    await eventually(log.text).toBe('pod\n');
    reading.abort();
  });

  test('attaches, and is told how it ended', async () => {
    const out = collected();
    const input = new PassThrough();
    await new Attach(config).attach(namespace, 'pod', 'talker', out.stream, null, input, false);
    input.write('me\n');
    await eventually(out.text).toContain('heard me\n');
    input.end();
    const ended = await node.until(
      'pod',
      ({ status }) =>
        status.containerStatuses?.some(({ name, state }) => name === 'talker' && state?.terminated !== undefined) ===
        true,
    );
    expect(ended.status.containerStatuses?.find(({ name }) => name === 'talker')?.state?.terminated?.exitCode).toBe(4);
  });
});

function withoutZip([namespace_, pod, container, command, ...rest]: Parameters<Exec['exec']>): Parameters<
  Exec['exec']
> {
  const words = typeof command === 'string' ? [command] : command;
  return [namespace_, pod, container, words.map((word) => (word === 'zcf' ? 'cf' : word)), ...rest];
}
