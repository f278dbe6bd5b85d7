/** Real containers from start to end, as root and as an ordinary user. */
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { nodePlaces, podFolder } from '../protocol/places.ts';
import {
  endOf,
  everybody,
  execOf,
  logOf,
  podPlace,
  type RealInside,
  realInside,
  shell,
} from '../testing/real-inside.ts';

describe.each(everybody)('as %s', (who) => {
  let real: RealInside;
  const place = podPlace(1);
  const app = { pod: place.uid, name: 'app' };
  const started = async (script: string, launch: Parameters<typeof shell>[2] = {}): Promise<number> => {
    const { event } = await real.inside.state();
    await real.inside.start(shell(place.uid, script, launch));
    return event;
  };

  beforeAll(async () => {
    real = await realInside(who, { logsKeptMs: 100 });
    await real.inside.addPod(place);
  });
  afterAll(() => real.end());

  test('what it says is in its log, what it leaves in its end', async () => {
    const since = await started('echo out; echo err >&2; printf cut; echo bye > /dev/termination-log; exit 3', {
      name: 'says',
    });
    const end = await endOf(real.inside, { pod: place.uid, name: 'says' }, since);
    expect(end).toMatchObject({ exitCode: 3, isOutOfMemory: false, message: 'bye\n' });
    expect(logOf(real.folder, place, { container: 'says' }).split('\n').toSorted()).toEqual(['', 'cut', 'err', 'out']);
    const { containerLogs } = nodePlaces(real.folder);
    const [link = ''] = readdirSync(containerLogs).filter((name) => name.startsWith('pod-1_default_says-'));
    expect(readFileSync(join(containerLogs, link), 'utf8')).toContain(' stdout F out\n');
    expect(readlinkSync(join(containerLogs, link))).toBe('../pods/default_pod-1_uid-1/says/0.log');
  });

  test('asked twice it is started once', async () => {
    const launch = shell(place.uid, 'sleep 100', { name: 'once' });
    const [one, other] = await Promise.all([real.inside.start(launch), real.inside.start(launch)]);
    expect(other).toEqual(one);
    await expect(real.inside.start({ ...launch, attempt: 1 })).rejects.toThrow('attempt 0 of uid-1/once still runs');
    const { event } = await real.inside.state();
    await real.inside.signal({ pod: place.uid, name: 'once' }, 'SIGKILL');
    expect(await endOf(real.inside, { pod: place.uid, name: 'once' }, event)).toMatchObject({ exitCode: 137 });
    const next = await real.inside.start({ ...launch, attempt: 1, argv: ['/bin/true'] });
    expect(next.id).not.toBe(one.id);
  });

  test('a signal reaches the process inside', async () => {
    const script = 'trap "echo got it; exit 5" TERM; echo ready; while :; do sleep 0.05; done';
    const since = await started(script, { name: 'traps' });
    await expect.poll(() => logOf(real.folder, place, { container: 'traps' })).toContain('ready');
    await real.inside.signal({ pod: place.uid, name: 'traps' }, 'SIGTERM');
    expect(await endOf(real.inside, { pod: place.uid, name: 'traps' }, since)).toMatchObject({ exitCode: 5 });
    expect(logOf(real.folder, place, { container: 'traps' })).toBe('ready\ngot it\n');
  });

  test('exec has streams and an exit code, and is as limited as the container', async () => {
    await started('exec sleep 100', { user: { uid: 1234, gid: 55, groups: [] } });
    const said = await execOf(
      real.inside,
      app,
      'cat; id -u; id -g; grep -E "^Cap(Prm|Eff)" /proc/self/status; echo E >&2; exit 7',
      'typed\n',
    );
    const none = '0000000000000000';
    expect(said).toEqual({ code: 7, stdout: `typed\n1234\n55\nCapPrm:\t${none}\nCapEff:\t${none}\n`, stderr: 'E\n' });
    await expect(execOf(real.inside, { pod: place.uid, name: 'none' }, 'true')).rejects.toThrow(
      'there is no container',
    );
  });

  test.each([false, true])(
    'a command whose caller has gone ends, and its container can (terminal: %s)',
    async (tty) => {
      const id = { pod: place.uid, name: `asked-${tty}` };
      const since = await started('trap "exit 4" TERM; while :; do sleep 0.05; done', { name: id.name });
      const gone = new AbortController();
      const argv: [string, ...string[]] = ['/bin/sh', '-c', 'sleep 54321 & echo begun; exec sleep 54321'];
      const session = await real.inside.exec(id, { argv, stdin: tty, tty }, { signal: gone.signal });
      let said = '';
      session.stdout.on('data', (bytes: Buffer) => (said += bytes.toString()));
      await expect.poll(() => said, { timeout: 20_000 }).toContain('begun');
      gone.abort(new Error('enough'));
      await expect(session.ended).rejects.toThrow('enough');
      const left = async () =>
        (await execOf(real.inside, id, 'cat /proc/[0-9]*/cmdline')).stdout.match(/54321/g)?.length ?? 0;
      // What it has left behind is the container's, unless the terminal took it with it.
      await expect.poll(left, { timeout: 20_000 }).toBe(tty ? 0 : 1);
      await real.inside.signal(id, 'SIGTERM');
      expect(await endOf(real.inside, id, since)).toMatchObject({ exitCode: 4 });
    },
  );

  test('nothing of the machine or of others is seen', async () => {
    const said = await execOf(
      real.inside,
      app,
      `ls -A / /etc /root /home 2>&1; ls ${real.folder} 2>&1; cat /proc/[0-9]*/comm`,
    );
    expect(said.stdout).not.toMatch(/shadow|ssh|sudoers|kube|signalbox-\w+:$|work/m);
    expect(said.stdout).toContain('No such file or directory');
    expect(said.stdout.match(/^sleep$/gm)).toHaveLength(1);
  });

  test('pods reach each other, the outside reaches them, and their loopback is their own', async () => {
    const other = podPlace(2);
    await real.inside.addPod(other);
    const server = `require('net').createServer((s) => s.end('served')).listen(8080, process.env.ON)`;
    const node = {
      argv: [process.execPath, '-e', server] as [string, ...string[]],
      root: { is: 'programs' as const, paths: [process.execPath] },
    };
    await real.inside.start(shell(other.uid, '', { ...node, env: { ON: other.address ?? '' } }));
    await real.inside.start(shell(other.uid, '', { ...node, name: 'local', env: { ON: '127.0.0.1' } }));
    const read = async (to: Parameters<typeof real.inside.dial>[0]): Promise<string> => {
      const socket = await real.inside.dial(to, { signal: new AbortController().signal });
      let text = '';
      for await (const chunk of socket) text += String(chunk);
      return text;
    };
    const patient = { timeout: 10_000 };
    await expect.poll(() => read({ host: other.address ?? '', port: 8080 }).catch(String), patient).toBe('served');
    await expect.poll(() => read({ pod: other.uid, port: 8080 }).catch(String), patient).toBe('served');
    const signal = AbortSignal.timeout(10_000);
    await expect(real.inside.dial({ pod: place.uid, port: 8080 }, { signal })).rejects.toMatchObject({
      code: 'ECONNREFUSED',
    });
    const bash = `exec 3<>/dev/tcp/${other.address}/8080; cat <&3`;
    expect(await execOf(real.inside, app, `bash -c '${bash}'`)).toMatchObject({ stdout: 'served' });
    await real.inside.removePod(other.uid);
    expect(existsSync(podFolder(nodePlaces(real.folder), other.uid))).toBe(false);
    const { podLogs, containerLogs } = nodePlaces(real.folder);
    await expect.poll(() => readdirSync(podLogs)).toEqual(['default_pod-1_uid-1']);
    expect(readdirSync(containerLogs).filter((name) => name.startsWith('pod-2_'))).toEqual([]);
    expect((await real.inside.state()).pods.map(({ uid }) => uid)).toEqual([place.uid]);
  });

  test('a sandbox that cannot be made is refused with its reason', async () => {
    const launch = shell(place.uid, 'true', { name: 'broken', root: { is: 'programs', paths: ['/does/not/exist'] } });
    await expect(real.inside.start(launch)).rejects.toThrow("Can't find source path /does/not/exist");
    const { event } = await real.inside.state();
    const missing = { pod: place.uid, name: 'missing' };
    const end = await real.inside
      .start({ ...launch, ...missing, root: { is: 'programs', paths: [] }, argv: ['no-such'] })
      .then(
        async () => (await endOf(real.inside, missing, event)).message,
        (error: unknown) => String(error),
      );
    expect(end).toContain('exec: "no-such": executable file not found in $PATH');
    await expect(real.inside.start({ ...launch, name: '../escape' })).rejects.toThrow('is no name of a container');
  });
});
