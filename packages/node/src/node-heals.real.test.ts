/** What comes back when a part of a node dies: as root and as an ordinary user. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pods } from '@signalbox/cluster';
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { groupName } from './protocol/places.ts';
import { familyOf } from './testing/family.ts';
import { everybody } from './testing/real-inside.ts';
import {
  isOver,
  isReady,
  isRunning,
  pause,
  type RealNode,
  realNode,
  restartsOf,
  shellContainer,
} from './testing/real-node.ts';

const sleeps = shellContainer('trap "exit 0" TERM; while :; do sleep 0.2; done');

describe.each(everybody)('as %s', (who) => {
  let node: RealNode;
  beforeAll(async () => {
    node = await realNode(who);
  });
  afterAll(() => node.end());
  // Each finds the node as a new one.
  afterEach(async () => {
    const names = (await node.client.list(pods, { namespace: 'default' })).items.map(({ metadata }) => metadata.name);
    for (const name of names) await node.delete(name, 0);
    for (const name of names) await node.gone(name);
    await expect.poll(async () => (await node.inside().state()).pods, { timeout: 15_000 }).toEqual([]);
  });

  test('kill -9 of the process inside starts its pods again', async () => {
    await node.create('victim', { containers: [sleeps] });
    const before = await node.until('victim', isReady);
    const [, inside = 0] = familyOf(node.folder);
    process.kill(inside, 'SIGKILL');
    const after = await node.until('victim', (pod) => restartsOf(pod) === 1 && isReady(pod));
    expect(after.status.podIP).toBe(before.status.podIP);
    expect(after.status.containerStatuses?.[0]?.lastState?.terminated).toMatchObject({ exitCode: 137 });
  });

  test('a node that ended in order tells how its pods ended when it is back', async () => {
    await node.create('killed', { containers: [sleeps] });
    await node.create('done', {
      restartPolicy: 'OnFailure',
      containers: [shellContainer('until [ -e /tmp/end ]; do sleep 0.1; done; echo bye > /dev/termination-log')],
    });
    for (const name of ['killed', 'done']) await node.until(name, isReady);
    // Nobody is there to be told of the second.
    await node.restart('SIGKILL', async () => {
      await node.exec('done', 'touch /tmp/end');
      const ends = async () => (await node.inside().state()).containers.map(({ ended }) => ended?.exitCode);
      await expect.poll(ends, { timeout: 10_000 }).toContain(0);
      await node.inside().end();
      await expect.poll(() => familyOf(node.folder), { timeout: 10_000 }).toEqual([]);
    });
    const killed = await node.until('killed', (pod) => restartsOf(pod) === 1 && isReady(pod));
    const last = killed.status.containerStatuses?.[0]?.lastState?.terminated;
    expect(last).toMatchObject({ exitCode: 137, reason: 'Error' });
    const { status } = await node.until('done', isOver);
    expect(status.phase).toBe('Succeeded');
    expect(status.containerStatuses?.[0]?.state?.terminated).toMatchObject({ reason: 'Completed', message: 'bye\n' });
  });

  test('kill -9 of the gateway leaves pods alone, and names are answered again', async () => {
    await node.create('asks', { containers: [sleeps] });
    await node.until('asks', isReady);
    const ask = 'RES_OPTIONS=timeout:1 getent hosts kubernetes.default.svc.cluster.local';
    const resolves = async () => (await node.exec('asks', ask)).stdout;
    await expect.poll(resolves, { timeout: 10_000 }).toContain('10.96.0.1');
    const gateway = familyOf(node.folder).find((pid) =>
      readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('{"gateway"'),
    );
    process.kill(gateway ?? 0, 'SIGKILL');
    await expect.poll(resolves, { timeout: 10_000 }).toContain('10.96.0.1');
    expect(restartsOf(await node.get('asks'))).toBe(0);
  });

  test.each(['SIGHUP', 'SIGKILL'] as const)(
    'an agent that ends by %s and comes back finds what runs',
    async (signal) => {
      const probed = {
        ...sleeps,
        livenessProbe: { exec: { command: ['test', '!', '-e', '/tmp/ill'] }, periodSeconds: 1 },
      };
      const init = shellContainer('true', { name: 'init' });
      await node.create('stays', { containers: [probed], initContainers: [init] } as never);
      await node.create('leaves', { containers: [sleeps] });
      await node.create('forced', { containers: [sleeps] });
      await node.create('ends', {
        restartPolicy: 'Never',
        containers: [shellContainer('while [ ! -e /tmp/end ]; do sleep 0.1; done; exit 4')],
      });
      for (const name of ['leaves', 'forced', 'ends', 'stays']) await node.until(name, isReady);
      const before = await node.get('stays');
      await node.restart(signal, async () => {
        await node.delete('leaves');
        await node.delete('forced', 0);
        await node.exec('ends', 'touch /tmp/end');
        await node.create('late', { nodeName: 'box', containers: [sleeps] });
      });
      await node.until('late', isReady);
      await node.gone('leaves');
      expect((await node.until('ends', isOver)).status.containerStatuses?.[0]?.state?.terminated).toMatchObject({
        exitCode: 4,
        reason: 'Error',
      });
      const after = await node.until('stays', isReady);
      expect(after.status.containerStatuses).toEqual(before.status.containerStatuses);
      expect(after.status.podIP).toBe(before.status.podIP);
      // It is looked after as before.
      await node.exec('stays', 'touch /tmp/ill');
      await node.until('stays', (pod) => restartsOf(pod) === 1 && isReady(pod));
      const uids = async () => (await node.inside().state()).pods.map(({ name }) => name).toSorted();
      await expect.poll(uids, { timeout: 15_000 }).toEqual(['ends', 'late', 'stays']);
    },
  );
});

describe.runIf(everybody.includes('root'))('limits', () => {
  test('a fork bomb that nobody limited does not take the machine', async () => {
    const node = await realNode('root');
    onTestFinished(() => node.end());
    await node.create('calm', { containers: [sleeps] });
    const bomb = shellContainer('sleep 1; bash -c "bomb() { bomb | bomb & }; bomb" 2>/dev/null; exec sleep 1000', {
      resources: { limits: { cpu: '200m' } },
    });
    await node.create('bomb', { containers: [bomb] });
    await node.until('calm', isReady);
    const { metadata } = await node.until('bomb', isRunning);
    const file = join('/sys/fs/cgroup/pids', groupName(node.folder), metadata.uid, 'pids.max');
    expect(Number(readFileSync(file, 'utf8'))).toBeLessThanOrEqual(4_096);
    await pause(2_000);
    expect((await node.exec('calm', 'echo fine')).stdout).toBe('fine\n');
    await node.delete('bomb');
    await node.gone('bomb');
  });
});
