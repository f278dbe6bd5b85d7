/** Containers of all kinds: with an image of their own, with a terminal, with processes in common; as root and as an ordinary user. */
import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ContainerRoot } from '../protocol/launch.ts';
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

/** A file system with a shell and little else, and with links that want to lead out of it. */
function makeImage(folder: string): ContainerRoot {
  const path = join(folder, 'image');
  for (const program of ['/bin/sh', '/bin/cat', '/usr/bin/id', '/bin/ls', '/bin/sleep', '/usr/bin/tty', '/bin/stty']) {
    const libraries = execFileSync('ldd', [program], { encoding: 'utf8' }).match(/\/\S+(?= \()/g) ?? [];
    for (const [from, to] of [
      [program, join('/bin', program.slice(program.lastIndexOf('/') + 1))],
      ...libraries.map((each) => [each, each]),
    ] as const) {
      mkdirSync(dirname(join(path, to)), { recursive: true });
      copyFileSync(from, join(path, to));
    }
  }
  for (const each of ['etc', 'run', 'var']) mkdirSync(join(path, each), { recursive: true });
  symlinkSync('/run', join(path, 'var/run'));
  symlinkSync('/oldroot/tmp/escaped', join(path, 'etc/hosts'));
  writeFileSync(join(path, 'etc/release'), 'mine\n');
  // Whatever mask we were started with.
  execFileSync('chmod', ['-R', 'a+rX', path]);
  const { uid, gid } = statSync(folder);
  execFileSync('chown', ['-R', `${uid}:${gid}`, path]);
  return { is: 'image', path };
}

describe.each(everybody)('as %s', (who) => {
  let real: RealInside;
  const place = podPlace(1);
  const waiting = { signal: new AbortController().signal };

  beforeAll(async () => {
    real = await realInside(who);
    await real.inside.addPod(place);
  });
  afterAll(() => real.end());

  test('an image is its own root, and what is written goes with the container', async () => {
    const root = makeImage(real.folder);
    const id = { pod: place.uid, name: 'image' };
    await real.inside.writeVolume(place.uid, {
      name: 'v',
      is: 'files',
      isSecret: false,
      files: [{ path: 'token', base64: 'c2VjcmV0', mode: 0o644 }],
    });
    const script = 'cat /etc/release /etc/hosts /var/run/secrets/token; ls /; id -u; sleep 100';
    const mounts = [{ mountPath: '/var/run/secrets', source: { volume: 'v' }, isReadOnly: true }];
    await real.inside.start(
      shell(place.uid, script, { name: 'image', root, mounts, user: { uid: 1234, gid: 99, groups: [] } }),
    );
    await expect.poll(() => logOf(real.folder, place, { container: 'image' })).toMatch(/1234\n$/);
    const said = logOf(real.folder, place, { container: 'image' });
    expect(said).toContain('mine\n127.0.0.1 localhost\n10.64.0.1 kubernetes.default.svc\nsecret');
    expect(said).not.toMatch(/^(home|root|usr)$/m);
    expect(existsSync('/tmp/escaped')).toBe(false);
    expect(await execOf(real.inside, id, 'id -u; cat /etc/release')).toMatchObject({ code: 0, stdout: '1234\nmine\n' });
    await real.inside.signal(id, 'SIGKILL');
    await endOf(real.inside, id);
    expect(readdirSync(join(podFolder(nodePlaces(real.folder), place.uid), 'files')).toSorted()).toEqual([
      'hostname',
      'hosts',
      'resolv.conf',
    ]);
  });

  test('root of an image writes to its own layer, unless its root is to be read only', async () => {
    const root = { is: 'image', path: join(real.folder, 'image') } as const;
    await real.inside.start(shell(place.uid, 'echo new > /etc/release; cat /etc/release', { name: 'writes', root }));
    expect(await endOf(real.inside, { pod: place.uid, name: 'writes' })).toMatchObject({ exitCode: 0 });
    expect(logOf(real.folder, place, { container: 'writes' })).toBe('new\n');
    await real.inside.start(
      shell(place.uid, 'cat /etc/release; echo new > /etc/release', { name: 'reads', root, isRootReadOnly: true }),
    );
    expect(await endOf(real.inside, { pod: place.uid, name: 'reads' })).toMatchObject({ exitCode: 2 });
    expect(logOf(real.folder, place, { container: 'reads' })).toMatch(/^mine\n.*Read-only file system/);
  });

  test('a file is mounted at and among the machine’s, wherever its links lead', async () => {
    const at = ['/etc/localtime', '/etc/ssl/certs/own.pem', '/etc/passwd'];
    const mounts = at.map((mountPath) => ({ mountPath, source: { volume: 'v' }, subPath: 'token', isReadOnly: true }));
    const script = `for f in ${at.join(' ')}; do cat $f; echo; done; ls /etc/ssl/certs | wc -l`;
    await real.inside.start(shell(place.uid, script, { name: 'among', mounts }));
    expect(await endOf(real.inside, { pod: place.uid, name: 'among' })).toMatchObject({ exitCode: 0 });
    const [one, two, three, count] = logOf(real.folder, place, { container: 'among' }).split('\n');
    expect([one, two, three]).toEqual(['secret', 'secret', 'secret']);
    expect(Number(count)).toBeGreaterThan(1);
  });

  test('an ordinary user of a container reaches what is mounted deep', async () => {
    const mounts = [{ mountPath: '/some/where/deep', source: { volume: 'v' }, isReadOnly: true }];
    const user = { uid: 1234, gid: 99, groups: [] };
    const cwd = '/some/where/deep';
    await real.inside.start(shell(place.uid, 'cat token', { name: 'deep', mounts, user, cwd }));
    expect(await endOf(real.inside, { pod: place.uid, name: 'deep' })).toMatchObject({ exitCode: 0 });
    expect(logOf(real.folder, place, { container: 'deep' })).toBe('secret\n');
  });

  test('a terminal is one, has a size, and takes what is typed', async () => {
    await real.inside.start(shell(place.uid, 'sleep 100'));
    const app = { pod: place.uid, name: 'app' };
    const sized = 'until [ "$(stty size)" = "33 101" ]; do sleep 0.05; done';
    const argv = ['/bin/sh', '-c', `test -t 0 && echo terminal; read x; ${sized}; echo "got $x"; exit 6`];
    const session = await real.inside.exec(app, { argv, stdin: true, tty: true }, waiting);
    let said = '';
    session.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
    await expect.poll(() => said).toContain('terminal');
    session.resize({ columns: 80, rows: 24 });
    session.resize({ columns: 101, rows: 33 });
    session.stdin?.write('typed\r');
    expect(await session.ended).toBe(6);
    expect(said).toContain('got typed');
    expect(session.stderr).toBeUndefined();
  });

  test('a terminal has a name in its container, and is its user’s', async () => {
    const user = { uid: 1234, gid: 99, groups: [] };
    const says = 'tty; echo named > "$(tty)"';
    const waitsForSize = 'while [ "$(stty size)" != "27 91" ]; do sleep 0.05; done';
    await real.inside.start(shell(place.uid, says, { name: 'own', user, tty: true }));
    expect(await endOf(real.inside, { pod: place.uid, name: 'own' })).toMatchObject({ exitCode: 0 });
    expect(logOf(real.folder, place, { container: 'own' })).toMatch(/^\/dev\/pts\/0\r?\nnamed\r?\n$/);
    const root = { is: 'image', path: join(real.folder, 'image') } as const;
    for (const [name, of] of Object.entries({ program: { user }, packed: { root } })) {
      await real.inside.start(shell(place.uid, 'sleep 100', { name, ...of }));
      const argv = ['/bin/sh', '-c', `${says} && ${waitsForSize}`];
      const session = await real.inside.exec({ pod: place.uid, name }, { argv, stdin: true, tty: true }, waiting);
      // Clients say their size at once, before there is a terminal.
      session.resize({ columns: 91, rows: 27 });
      let said = '';
      session.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
      expect(await session.ended).toBe(0);
      await expect.poll(() => said).toBe('/dev/pts/0\r\nnamed\r\n');
    }
  });

  test('attach gives a container with a terminal what is typed', async () => {
    const id = { pod: place.uid, name: 'tty' };
    await real.inside.start(
      shell(place.uid, 'while read x; do echo "got $x"; done; exit 3', { name: 'tty', stdin: true, tty: true }),
    );
    const one = await real.inside.attach(id, waiting);
    one.stdin?.write('first\r');
    let said = '';
    one.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
    await expect.poll(() => said).toContain('got first');
    one.stdin?.end();
    const other = await real.inside.attach(id, waiting);
    other.stdin?.write('second\r');
    await expect.poll(() => said).toContain('got second');
    other.stdin?.write('\x04');
    expect(await other.ended).toBe(3);
    expect(logOf(real.folder, place, { container: 'tty' })).toContain('got first');
  });

  test('stdin that is given once ends with who gave it', async () => {
    const id = { pod: place.uid, name: 'once' };
    await real.inside.start(shell(place.uid, 'cat; echo done', { name: 'once', stdin: true, stdinOnce: true }));
    const session = await real.inside.attach(id, waiting);
    session.stdin?.end('all of it\n');
    expect(await session.ended).toBe(0);
    expect(logOf(real.folder, place, { container: 'once' })).toBe('all of it\ndone\n');
  });

  test.runIf(who === 'root')('containers that share processes see each other, and end each for itself', async () => {
    const shared = podPlace(3, { sharesProcesses: true });
    await real.inside.addPod(shared);
    const [one, other] = ['one', 'other'].map((name) => ({ pod: shared.uid, name })) as [
      { pod: string; name: string },
      { pod: string; name: string },
    ];
    await real.inside.start(shell(shared.uid, 'setsid sleep 111 & exec sleep 112', { name: 'one' }));
    await real.inside.start(shell(shared.uid, 'exec sleep 113', { name: 'other' }));
    const seen = async (): Promise<readonly string[]> =>
      (await execOf(real.inside, other, 'ps -eo args=')).stdout
        .split('\n')
        .filter((line) => line.startsWith('sleep'))
        .toSorted();
    await expect.poll(seen).toEqual(['sleep 111', 'sleep 112', 'sleep 113']);
    expect((await execOf(real.inside, other, 'ls /proc/1/root/home /proc/1/root/etc; echo $$')).stdout).toMatch(
      /^\d+\n$/,
    );
    expect((await execOf(real.inside, other, 'ps -eo args=')).stdout).not.toContain('bwrap --args');
    await real.inside.signal(one, 'SIGKILL');
    expect(await endOf(real.inside, one)).toMatchObject({ exitCode: 137 });
    expect(await seen()).toEqual(['sleep 113']);
    await real.inside.removePod(shared.uid);
    expect((await real.inside.state()).pods).toHaveLength(1);
  });

  test('who looks at another container sees its processes, as far as the machine lets', async () => {
    const looked = podPlace(5);
    await real.inside.addPod(looked);
    const [app, debug] = [
      { pod: looked.uid, name: 'app' },
      { pod: looked.uid, name: 'debug' },
    ];
    const looking = shell(looked.uid, 'setsid sleep 222 & exec sleep 223', { name: 'debug', processesOf: 'app' });
    await expect(real.inside.start(looking)).rejects.toThrow('running container app');
    await real.inside.start(shell(looked.uid, 'sleep 221; exit 3'));
    await real.inside.start(looking);
    const { stdout } = await execOf(real.inside, debug, 'ps -eo args=');
    expect(stdout.includes('sleep 221')).toBe(who === 'root');
    const events = real.inside.events(0, waiting)[Symbol.asyncIterator]();
    if (who !== 'root') {
      const told = async (): Promise<unknown> => (await events.next()).value as unknown;
      await expect
        .poll(told)
        .toMatchObject({ is: 'told', pod: looked.uid, message: expect.stringMatching(/alone/) as unknown });
    }
    await events.return?.();
    expect((await execOf(real.inside, debug, 'hostname; cat /etc/hostname')).stdout).toBe('pod-5\npod-5\n');
    await real.inside.signal(debug, 'SIGKILL');
    expect(await endOf(real.inside, debug)).toMatchObject({ exitCode: 137 });
    expect((await execOf(real.inside, app, 'ps -eo args=')).stdout).toContain('sleep 221');
    expect((await execOf(real.inside, app, 'ps -eo args=')).stdout).not.toMatch(/sleep 22[23]/);
    // Who is seen takes along who looks, as the kernel has it.
    await real.inside.start({ ...looking, attempt: 1 });
    await real.inside.signal(app, 'SIGKILL');
    const endedOf = async (name: string) =>
      (await real.inside.state()).containers.find((each) => each.pod === looked.uid && each.name === name)?.ended;
    await expect.poll(() => endedOf('app')).toMatchObject({ exitCode: 137 });
    if (who === 'root') await expect.poll(() => endedOf('debug')).toMatchObject({ exitCode: 137 });
    await real.inside.removePod(looked.uid);
  });

  test('a pod of the host network lives in the cluster’s own namespace', async () => {
    const host = podPlace(4, { address: undefined });
    await real.inside.addPod(host);
    await real.inside.start(shell(host.uid, 'ip -4 -o addr; sleep 100'));
    await expect.poll(() => logOf(real.folder, host)).toContain('10.64.0.1/16');
    expect(logOf(real.folder, host)).not.toContain('eth0');
    await real.inside.removePod(host.uid);
  });
});
