/** What is left when something dies, and what comes back: as root and as an ordinary user. */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { groupName, nodePlaces } from '../protocol/places.ts';
import { familyOf } from '../testing/family.ts';
import { endOf, everybody, logOf, podPlace, type RealInside, realInside, shell } from '../testing/real-inside.ts';

let real: RealInside;
afterEach(() => real.end());
const place = podPlace(1);
const app = { pod: place.uid, name: 'app' };

/** Control groups of the node's, in all trees. */
function groups(): readonly string[] {
  const name = groupName(real.folder);
  return ['memory', 'pids', 'cpu', '']
    .flatMap((tree) => {
      const folder = join('/sys/fs/cgroup', tree, name);
      return existsSync(folder) ? readdirSync(folder, { withFileTypes: true }) : [];
    })
    .flatMap((entry) => (entry.isDirectory() ? entry.name : []));
}

describe.each(everybody)('as %s', (who) => {
  test.each(['inside', 'who made its namespaces'])('kill -9 of %s leaves nothing that runs', async (victim) => {
    real = await realInside(who);
    await real.inside.addPod(place);
    // It has left its parent, its session, and the user that it began as where there are others.
    await real.inside.start(shell(place.uid, 'setsid sh -c "sleep 1000 & sleep 1000" & sleep 1000'));
    await expect.poll(() => familyOf(real.folder).length).toBeGreaterThanOrEqual(6);
    const all = familyOf(real.folder);
    const [unshare = 0, inside = 0] = all;
    process.kill(victim === 'inside' ? inside : unshare, 'SIGKILL');
    const living = (): readonly number[] =>
      all.filter((pid) => existsSync(`/proc/${pid}/cmdline`) && readFileSync(`/proc/${pid}/cmdline`).length > 0);
    await expect.poll(living).toEqual([]);
    const namespaces = execFileSync('ip', ['link'], { encoding: 'utf8' });
    expect(namespaces).not.toContain('br0');
    expect(readFileSync('/proc/mounts', 'utf8')).not.toContain(real.folder);

    const again = await real.again();
    expect(again).toMatchObject({ isAdopted: false, state: { pods: [], containers: [], orphans: [place.uid] } });
    expect(groups()).toEqual([]);
    await again.inside.addPod(place);
    expect(await again.inside.state()).toMatchObject({ orphans: [], pods: [{ uid: place.uid }] });
    await again.inside.removePod(place.uid);
    expect(readdirSync(nodePlaces(real.folder).pods)).toEqual([]);
    again.inside.close();
  });

  test('a fork bomb stays below the limit of its pod, and dies whole', async () => {
    real = await realInside(who);
    const own = familyOf(real.folder).length;
    const few = { ...place, processesMax: 40 };
    await real.inside.addPod(few);
    const bomb = `bash -c 'bomb() { bomb | bomb & }; bomb 2>/dev/null; exec sleep 1000'`;
    // Without root each container is counted by itself.
    const names = who === 'root' ? ['app', 'other'] : ['app'];
    await Promise.all(names.map((name) => real.inside.start(shell(place.uid, bomb, { name }))));
    await expect.poll(() => familyOf(real.folder).length, { timeout: 10_000 }).toBeGreaterThan(20);
    expect(familyOf(real.folder).length).toBeLessThan(own + 40 + 2 * names.length + 1);
    for (const name of names) await real.inside.signal({ pod: place.uid, name }, 'SIGKILL');
    expect(await endOf(real.inside, app)).toMatchObject({ exitCode: 137 });
    await real.inside.removePod(place.uid);
    await expect.poll(() => familyOf(real.folder).length).toBe(own);
    await real.inside.end();
    expect(groups()).toEqual([]);
  });

  test('what waits in a pod to become its first container may be killed, and goes with the pod', async () => {
    real = await realInside(who);
    const own = familyOf(real.folder).length;
    await real.inside.addPod(place);
    const waiting = familyOf(real.folder).filter((pid) =>
      readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('.orders'),
    );
    expect(waiting).toHaveLength(1);
    for (const pid of waiting) process.kill(pid, 'SIGKILL');
    await expect.poll(() => familyOf(real.folder).length).toBe(own);
    await real.inside.start(shell(place.uid, 'ip -4 -o addr; sleep 100'));
    await expect.poll(() => logOf(real.folder, place)).toContain('10.64.0.3/16');
    await real.inside.removePod(place.uid);
    await real.inside.addPod(place);
    await real.inside.removePod(place.uid);
    await expect.poll(() => familyOf(real.folder).length).toBe(own);
  });

  test('an agent that comes back finds everything as it was', async () => {
    real = await realInside(who);
    await real.inside.addPod(place);
    const state = await real.inside.start(
      shell(place.uid, 'trap "exit 4" TERM; echo up; while :; do sleep 0.05; done'),
    );
    await expect.poll(() => logOf(real.folder, place)).toContain('up');
    real.inside.close();
    const again = await real.again();
    expect(again).toMatchObject({ isAdopted: true, state: { containers: [state], pods: [{ uid: place.uid }] } });
    await again.inside.signal(app, 'SIGTERM');
    expect(await endOf(again.inside, app, again.state.event)).toMatchObject({ exitCode: 4 });
    again.inside.close();
  });

  test('with nobody connected it ends', async () => {
    real = await realInside(who, { idleMs: 200 });
    const all = familyOf(real.folder);
    expect(all.length).toBeGreaterThan(1);
    real.inside.close();
    await expect.poll(() => familyOf(real.folder), { timeout: 10_000 }).toEqual([]);
  });
});

describe.runIf(everybody.includes('root'))('limits', () => {
  test('a container with too little memory is ended for that reason', async () => {
    real = await realInside('root');
    await real.inside.addPod(place);
    await real.inside.start(
      shell(place.uid, 'x=$(head -c 100000000 /dev/zero | tr "\\0" x); echo survived', {
        limits: { memoryBytes: 16 << 20 },
      }),
    );
    expect(await endOf(real.inside, app)).toMatchObject({ isOutOfMemory: true });
    expect(logOf(real.folder, place)).not.toContain('survived');
  });

  test('usage grows with work', async () => {
    real = await realInside('root');
    await real.inside.addPod(place);
    await real.inside.start(shell(place.uid, 'while :; do :; done', { limits: { cpuMilli: 200 } }));
    await expect.poll(async () => (await real.inside.usage())[0]?.cpuNanoseconds ?? 0).toBeGreaterThan(30_000_000);
  });
});
