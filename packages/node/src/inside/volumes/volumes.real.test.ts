/** Volumes as containers find them, as root and as an ordinary user. */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, readlinkSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Mount } from '../../protocol/launch.ts';
import { nodePlaces, podFolder } from '../../protocol/places.ts';
import type { VolumeContent, VolumeFile } from '../../protocol/volume.ts';
import { familyOf } from '../../testing/family.ts';
import {
  endOf,
  everybody,
  execOf,
  logOf,
  podPlace,
  type RealInside,
  realInside,
  shell,
} from '../../testing/real-inside.ts';

const file = (path: string, text: string, more: Partial<VolumeFile> = {}): VolumeFile => ({
  path,
  base64: Buffer.from(text).toString('base64'),
  mode: 0o644,
  ...more,
});

const mountOf = (volume: string, mountPath: string, more: Partial<Mount> = {}): Mount => ({
  mountPath,
  source: { volume },
  isReadOnly: false,
  ...more,
});

describe.each(everybody)('as %s', (who) => {
  let real: RealInside;
  const place = podPlace(1);
  let count = 0;

  /** What a container says that has these mounts. */
  const said = async (script: string, mounts: readonly Mount[], more: object = {}): Promise<string> => {
    const name = `c${++count}`;
    const { event } = await real.inside.state();
    await real.inside.start(shell(place.uid, script, { name, mounts, ...more }));
    await endOf(real.inside, { pod: place.uid, name }, event);
    return logOf(real.folder, place, { container: name }).trim();
  };
  const write = (content: VolumeContent) => real.inside.writeVolume(place.uid, content);

  beforeAll(async () => {
    real = await realInside(who);
    await real.inside.addPod(place);
  });
  afterAll(() => real.end());

  test('secrets are in memory, for the user of the pod alone, and on no disk', async () => {
    const files = [file('token', 'hush-hush', { mode: 0o400, owner: 1000 })];
    await write({ name: 'token', is: 'files', isSecret: true, files });
    const mounts = [mountOf('token', '/secret', { isReadOnly: true })];
    const user = { user: { uid: 1000, gid: 1000, groups: [] } };
    const script = 'cat /secret/token; stat -L -c " %a %u" /secret/token; stat -f -c %T /secret';
    expect(await said(script, mounts, user)).toBe('hush-hush 400 1000\ntmpfs');
    expect(await said('echo x > /secret/new || echo refused', mounts)).toContain('refused');
    expect(filesBelow(real.folder).filter((path) => readText(path).includes('hush-hush'))).toEqual([
      expect.stringContaining('/var/log/pods/'),
    ]);
    if (who === 'root')
      expect(await said('cat /secret/token || echo denied', mounts, { user: { uid: 2000, groups: [] } })).toContain(
        'denied',
      );
  });

  test('a secret that everybody in its pod may read nobody else can: no other pod, no other user of the machine', async () => {
    const files = [file('password', 'sesame-sesame', { mode: 0o644 })];
    await write({ name: 'open', is: 'files', isSecret: true, files });
    const mounts = [mountOf('open', '/open', { isReadOnly: true })];
    const id = { pod: place.uid, name: 'keeps' };
    await real.inside.start(shell(place.uid, 'sleep 100', { ...id, mounts, user: { uid: 1000, groups: [] } }));
    expect((await execOf(real.inside, id, 'cat /open/password')).stdout).toBe('sesame-sesame');

    const other = podPlace(7);
    await real.inside.addPod(other);
    await real.inside.start(
      shell(other.uid, 'sleep 100', {
        mounts: [{ mountPath: '/node', source: { hostPath: '/', type: '' }, isReadOnly: false }],
        capabilities: { add: ['SYS_PTRACE', 'DAC_READ_SEARCH'], drop: [] },
      }),
    );
    const look = (from: string): string =>
      `for root in ${from}; do find $root/ -xdev -path "$root/proc" -prune -o -name 'password*' -print -exec cat {} + ; done 2>/dev/null; true`;
    const inOther = await execOf(real.inside, { pod: other.uid, name: 'app' }, look('"" /proc/[0-9]*/root /node /run'));
    expect(inOther.stdout).not.toContain('sesame');

    // Who has the rights of the node finds it so, and nobody else of the machine.
    const all = familyOf(real.folder);
    const places = all.flatMap((pid) => ['root/open', 'root/run', 'cwd/open'].map((path) => `/proc/${pid}/${path}`));
    const script = look(places.join(' '));
    const as = (user: readonly string[]): string => execFileSync('setpriv', [...user, 'sh', '-c', script]).toString();
    expect(as([])).toContain('sesame-sesame');
    if (process.getuid?.() === 0) expect(as(['--reuid', '65001', '--regid', '65001', '--clear-groups'])).toBe('');
    await real.inside.removePod(other.uid);
  });

  test('mounted files change as a whole while the container runs', async () => {
    const files = (text: string): VolumeContent => ({
      ...{ name: 'config', is: 'files', isSecret: false },
      files: [file('a', text), file('b', text)],
    });
    await write(files('one'));
    const id = { pod: place.uid, name: 'reads' };
    const mounts = [mountOf('config', '/config', { isReadOnly: true })];
    await real.inside.start(shell(place.uid, 'sleep 100', { ...id, mounts }));
    expect((await execOf(real.inside, id, 'cat /config/a /config/b')).stdout).toBe('oneone');
    await write(files('two'));
    expect((await execOf(real.inside, id, 'cat /config/a /config/b; ls /config')).stdout).toBe('twotwoa\nb\n');
    await real.inside.signal(id, 'SIGKILL');
  });

  test('a folder is shared by the containers of the pod, and its group may write it', async () => {
    await write({ name: 'data', is: 'empty', medium: 'disk', group: 3000 });
    const user = { user: { uid: 1000, gid: 1000, groups: [3000] } };
    const mounts = [mountOf('data', '/data')];
    expect(await said('echo hello > /data/x && stat -c %g /data/x', mounts, user)).toBe(
      who === 'root' ? '3000' : '1000',
    );
    await write({ name: 'data', is: 'empty', medium: 'disk', group: 3000 });
    expect(await said('cat /data/x', mounts)).toBe('hello');
  });

  test('memory has a limit that hurts only who meets it', async () => {
    await write({ name: 'memory', is: 'empty', medium: 'memory', limitBytes: 1 << 20 });
    const script = 'head -c 4M /dev/zero > /memory/x || echo full; stat -c %s /memory/x';
    expect(await said(script, [mountOf('memory', '/memory')])).toMatch(/full\n1048576$/);
  });

  test('paths below a volume are followed inside of it only', async () => {
    await write({ name: 'sub', is: 'empty', medium: 'disk' });
    const all = mountOf('sub', '/sub');
    await said(
      'mkdir -p /sub/in; echo in > /sub/in/f; ln -s in /sub/link; ln -s /etc /sub/abs; ln -s ../../.. /sub/up',
      [all],
    );
    const below = (subPath: string) => [mountOf('sub', '/m', { subPath })];
    expect(await said('cat /m/f', below('in'))).toBe('in');
    expect(await said('cat /m/f', below('link'))).toBe('in');
    expect(await said('cat /m', below('in/f'))).toBe('in');
    expect(await said('echo made > /m/x', below('new/er'))).toBe('');
    expect(await said('cat /sub/new/er/x', [all])).toBe('made');
    for (const path of ['abs', 'abs/passwd', 'up', 'up/x'])
      await expect(said('true', below(path))).rejects.toThrow(`${path} leaves its volume`);
    await expect(said('true', below('in/f/x'))).rejects.toThrow('subPath in/f/x leads through a file');
  });

  test('a link that changes while containers start never shows what is outside', async () => {
    await write({ name: 'race', is: 'empty', medium: 'disk' });
    const id = { pod: place.uid, name: 'swaps' };
    const swap =
      'mkdir -p /race/good /race/t; while :; do ln -sfn / /race/t/x; rm -f /race/t/x; mkdir /race/t/x; rmdir /race/t/x; done';
    await real.inside.start(shell(place.uid, swap, { ...id, mounts: [mountOf('race', '/race')] }));
    const mounts = [mountOf('race', '/m', { subPath: 't/x' })];
    for (let attempt = 0; attempt < 12; attempt++) {
      const seen = await said('ls -A /m', mounts).catch(() => 'refused');
      expect(seen).not.toMatch(/\b(etc|proc|usr)\b/);
    }
    await real.inside.signal(id, 'SIGKILL');
  });

  test('paths of the node are below its own folder', async () => {
    const { host: root } = nodePlaces(real.folder);
    const at = (hostPath: string, type = ''): readonly Mount[] => [
      { mountPath: '/m', source: { hostPath, type }, isReadOnly: false },
    ];
    expect(await said('echo position > /m/x; ls /m', at('/var/lib/agent', 'DirectoryOrCreate'))).toBe('x');
    expect(readFileSync(join(root, 'var/lib/agent/x'), 'utf8')).toBe('position\n');
    expect(await said('ls /m', at('/var/log/pods'))).toContain('default_pod-1_uid-1');
    await expect(said('true', at('/etc/passwd', 'File'))).rejects.toThrow('/etc/passwd is not a file');
    // Nothing is left open of what did not start, its log above all.
    const [, inside = 0] = familyOf(real.folder);
    const open = readdirSync(`/proc/${inside}/fd`).map((name) => linkOf(`/proc/${inside}/fd/${name}`));
    expect(open.filter((path) => path.endsWith(`/c${count}/0.log`))).toEqual([]);
    expect(open).toContain(join(real.folder, 'inside.log'));
    const host = (path: string, type: string) => write({ name: 'host', is: 'host', path, type });
    await host('/var/lib/agent', 'Directory');
    await expect(host('/var/lib/agent/x', 'Directory')).rejects.toThrow(
      'hostPath type check failed: /var/lib/agent/x is not a directory',
    );
    symlinkSync('/', join(root, 'root'));
    expect(await said('ls /m', at('/root'))).toContain('var');
    await expect(said('true', at('/root/etc/passwd', 'File'))).rejects.toThrow('is not a file');
  });

  test('claims outlive the pod, all else of it goes', async () => {
    const other = podPlace(2);
    await real.inside.addPod(other);
    const content: VolumeContent = { name: 'claim', is: 'claim', folder: 'pv-1', group: 3000 };
    await real.inside.writeVolume(other.uid, content);
    await real.inside.writeVolume(other.uid, { name: 'memory', is: 'empty', medium: 'memory' });
    const mounts = [
      mountOf('claim', '/claim'),
      mountOf('claim', '/part', { subPath: 'part' }),
      mountOf('memory', '/mem'),
    ];
    const { event } = await real.inside.state();
    await real.inside.start(shell(other.uid, 'echo kept > /part/x; echo kept > /mem/y', { mounts }));
    await endOf(real.inside, { pod: other.uid, name: 'app' }, event);
    await real.inside.removePod(other.uid);
    const places = nodePlaces(real.folder);
    expect(readFileSync(join(places.claims, 'pv-1/part/x'), 'utf8')).toBe('kept\n');
    expect(existsSync(podFolder(places, other.uid))).toBe(false);
    for (const folder of ['../x', '/etc', '..', ''])
      await expect(real.inside.writeVolume(place.uid, { name: 'bad', is: 'claim', folder })).rejects.toThrow(
        "is no name of a claim's folder",
      );
  });

  test('a folder on disk that grows beyond its limit is told', async () => {
    await write({ name: 'small', is: 'empty', medium: 'disk', limitBytes: 1 << 20 });
    const { event } = await real.inside.state();
    await said('head -c 4M /dev/zero > /small/x', [mountOf('small', '/small')]);
    const { signal } = new AbortController();
    for await (const each of real.inside.events(event, { signal })) {
      if (each.is !== 'overfull') continue;
      expect(each).toMatchObject({ pod: place.uid, volume: 'small', limitBytes: 1 << 20 });
      break;
    }
  });
});

test('real paths of the machine are seen where they are allowed', async () => {
  const [who = 'an ordinary user'] = everybody;
  const real = await realInside(who, { hostPaths: ['/etc/hostname'] });
  try {
    const place = podPlace(1);
    await real.inside.addPod(place);
    const mounts: readonly Mount[] = [
      { mountPath: '/m', source: { hostPath: '/etc/hostname', type: 'File' }, isReadOnly: true },
    ];
    await real.inside.start(shell(place.uid, 'cat /m', { mounts }));
    await endOf(real.inside, { pod: place.uid, name: 'app' });
    expect(logOf(real.folder, place).trim()).toBe(readFileSync('/etc/hostname', 'utf8').trim());
  } finally {
    await real.end();
  }
});

/** Empty for one that was closed meanwhile. */
function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}

function filesBelow(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

function readText(path: string): string {
  return readFileSync(path, 'utf8');
}
