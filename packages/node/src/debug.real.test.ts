/** `kubectl debug` on a real node: a container that comes into a pod while it runs. */
import { spawn, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { events, pods } from '@signalbox/cluster';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { everybody } from './testing/real-inside.ts';
import { isRunning, type RealNode, realNode, shellContainer } from './testing/real-node.ts';

/** On a machine that has much else to do. */
const eventually = <T>(seen: () => T) => expect.poll(seen, { timeout: 30_000 });

const program = process.env['KUBECTL'] ?? 'kubectl';

function isLeftOut(): boolean {
  if (spawnSync(program, ['version', '--client']).status === 0) return false;
  const message = 'kubectl is not installed: the tests that let it debug pods';
  if ((process.env['CI'] ?? '') !== '') throw new Error(`${message} cannot run`);
  process.stderr.write(`${message} are left out\n`);
  return true;
}

describe.skipIf(isLeftOut()).each(everybody)('as %s', (who) => {
  let node: RealNode;
  beforeAll(async () => {
    node = await realNode(who);
    const app = shellContainer('sleep 331; exit 3');
    await node.create('web', { restartPolicy: 'Never', containers: [app] });
    await node.until('web', isRunning);
  });
  afterAll(() => node.end());

  const run = (argv: readonly string[], stdin = ''): Promise<{ readonly code: number; readonly out: string }> =>
    new Promise((resolve) => {
      const [file = '', ...args] = argv;
      const env = { ...process.env, KUBECONFIG: join(node.clusterFolder, 'kubeconfig'), HOME: node.clusterFolder };
      const child = spawn(file, args, { env });
      let out = '';
      for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes: Buffer) => (out += String(bytes)));
      // kubectl says so when the first, empty message of a stream comes before it is ready for it, as on a busy machine.
      const early = /^E\d+ .*Unknown stream id \d, discarding message\n/gm;
      child.once('close', (code) => resolve({ code: code ?? -1, out: out.replace(early, '') }));
      child.stdin.end(stdin);
    });
  const kubectl = (line: string, stdin?: string): ReturnType<typeof run> => run([program, ...line.split(' ')], stdin);
  const stateOf = async (name: string): Promise<unknown> =>
    (await node.get('web')).status.ephemeralContainerStatuses?.find((each) => each.name === name)?.state;

  test('whoever debugs has a shell in the pod, and sees what the machine lets them see', async () => {
    const does = 'read -r typed; echo "$typed"; hostname; ps -eo args= | grep -c "sleep 33[1]"; exit 5';
    const line = `${program} debug web -it --quiet --image=busybox --target=app -c debug -- sh -c '${does}'`;
    // What is typed may come before somebody reads it.
    const { out } = await run(['script', '-qec', line, '/dev/null'], 'from afar\n');
    expect(out).toContain('from afar');
    expect(out).toContain('web');
    expect(out).toMatch(who === 'root' ? /^[1-9]\d*\r?$/m : /^0\r?$/m);
    await eventually(() => stateOf('debug')).toMatchObject({ terminated: { exitCode: 5, reason: 'Error' } });
    expect((await node.get('web')).status.phase).toBe('Running');
    if (who === 'root') return;
    const reasons = async () =>
      (await node.client.list(events, { namespace: 'default' })).items.map((each) => each.reason);
    await eventually(reasons).toContain('NotAsAsked');
  });

  test('it is attached to, looked into and read like any other, and comes only once', async () => {
    const spec =
      '{"spec":{"ephemeralContainers":[{"name":"second","image":"busybox","stdin":true,"command":["sh","-c","echo said; read x; echo got $x; exit 6"]}]}}';
    await run([program, 'patch', 'pod', 'web', '--subresource', 'ephemeralcontainers', '-p', spec]);
    await eventually(() => stateOf('second')).toHaveProperty('running');
    await eventually(async () => (await kubectl('logs web -c second')).out).toBe('said\n');
    expect(await kubectl('exec web -c second -- hostname')).toEqual({ code: 0, out: 'web\n' });
    await kubectl('attach -i web -c second', 'me\n');
    await eventually(() => stateOf('second')).toMatchObject({ terminated: { exitCode: 6 } });
    expect((await kubectl('logs web -c second')).out).toBe('said\ngot me\n');
    expect((await kubectl('exec web -c second -- true')).out).toContain('container not found ("second")');
  });

  test('it outlives the agent, and ends with its pod', async () => {
    await kubectl('debug web --quiet --image=busybox -c third -- sleep 332');
    await eventually(() => stateOf('third')).toHaveProperty('running');
    const before = await stateOf('third');
    await node.restart('SIGKILL');
    expect(await kubectl('exec web -c third -- hostname')).toEqual({ code: 0, out: 'web\n' });
    expect(await stateOf('third')).toEqual(before);
    const uid = (await node.get('web')).metadata.uid;
    await node.delete('web', 1);
    await node.gone('web');
    const left = async () => (await node.inside().state()).pods.map((each) => each.uid);
    await eventually(left).not.toContain(uid);
  });

  test('a copy of a pod, and a pod for a node, are made as they are asked for', async () => {
    await node.create('again', { restartPolicy: 'Never', containers: [shellContainer('sleep 1000')] });
    await node.until('again', isRunning);
    const copying = await kubectl(
      'debug again --quiet --image=busybox --copy-to=copy --share-processes -c look -- sleep 1000',
    );
    expect(copying).toMatchObject({ code: 0 });
    expect((await node.until('copy', isRunning)).spec.containers.map(({ name }) => name)).toEqual(['app', 'look']);
    const { code } = await kubectl('debug node/box --quiet --image=busybox -- sleep 1000');
    expect(code).toBe(0);
    const { items } = await node.client.list(pods, { namespace: 'default' });
    expect(items.find(({ metadata }) => metadata.name.startsWith('node-debugger-box-'))?.spec).toMatchObject({
      ...{
        nodeName: 'box',
        hostPID: true,
        hostNetwork: true,
        volumes: expect.arrayContaining([{ name: 'host-root', hostPath: { path: '/', type: '' } }]) as unknown,
      },
    });
  });
});
