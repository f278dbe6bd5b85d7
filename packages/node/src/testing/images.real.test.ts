/** An image from an archive to a container with its own root, as root and as an ordinary user. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, realpathSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createMachineImages } from '../images/machine-images.ts';
import { containerLaunch } from '../pod/launch.ts';
import { nodePlaces } from '../protocol/places.ts';
import { around, podWith } from './pods.ts';
import { endOf, everybody, logOf, podPlace, type RealInside, realInside } from './real-inside.ts';

describe.each(everybody)('as %s', (who) => {
  let real: RealInside;
  const place = podPlace(1);

  beforeAll(async () => {
    real = await realInside(who);
    await real.inside.addPod(place);
  });
  afterAll(() => real.end());

  test('an image runs with its own files, user and folder; what it writes is not kept', async () => {
    const { images: cache } = nodePlaces(real.folder);
    const folder = join(real.folder, 'archives');
    saveShell(folder);
    const archives = { folder, cache, isRoot: process.getuid?.() === 0, arch: process.arch };
    const images = createMachineImages({ rules: [], path: '', reloader: undefined, archives });
    const found = await images.find({ image: 'shell:1' }, []);
    if (!found.ok) throw new Error(found.message);
    const { root } = found.image;
    if (root.is !== 'image') throw new Error('no image');
    // Whoever starts inside unpacks images, too.
    const { uid, gid } = statSync(nodePlaces(real.folder).pods);
    if (who !== 'root') execFileSync('chown', ['-R', `${uid}:${gid}`, cache]);
    const pod = podWith({}, { uid: place.uid });
    const [container] = pod.spec.containers;
    if (container === undefined) throw new Error('no container');
    const launch = containerLaunch(pod, container, around({ image: found.image }));
    if (!launch.ok) throw new Error(launch.message);
    await real.inside.start(launch.value.launch);
    await endOf(real.inside, { pod: place.uid, name: 'app' });
    expect(logOf(real.folder, place).trim().split('\n')).toEqual([
      'shell from the image',
      '/work',
      '7',
      'no machine',
      'kept',
    ]);
    expect(existsSync(join(root.path, 'work/new'))).toBe(false);
  });
});

const script = [
  'echo "$0 $WHERE"; pwd',
  'while read name value rest; do [ "$name" = Uid: ] && echo "$value"; done < /proc/self/status',
  '[ -e /usr/bin/env ] || echo no machine',
  'echo kept > /work/new; read text < /work/new; echo "$text"',
].join('; ');

/** As `docker save` writes it, by the machine's own tar: a shell, its libraries, and a user. */
function saveShell(folder: string): void {
  const layer = join(folder, 'layer');
  const shell = realpathSync('/bin/sh');
  const libraries = [...execFileSync('ldd', [shell], { encoding: 'utf8' }).matchAll(/(\/\S+) \(0x/g)];
  const files = [[shell, '/bin/sh'], ...libraries.map(([, path = '']) => [path, path])] as const;
  for (const [from = '', to = ''] of files) {
    mkdirSync(join(layer, dirname(to)), { recursive: true });
    execFileSync('cp', ['-L', from, join(layer, to)]);
  }
  for (const name of ['etc', 'work']) mkdirSync(join(layer, name), { recursive: true });
  execFileSync('chmod', ['777', join(layer, 'work')]);
  writeFileSync(join(layer, 'etc/passwd'), 'shell:x:7:7::/work:/bin/sh\n');
  const saved = join(folder, 'saved');
  mkdirSync(saved);
  execFileSync('tar', ['-C', layer, '-cf', join(saved, 'layer.tar'), '.']);
  const sha = createHash('sha256')
    .update(readFileSync(join(saved, 'layer.tar')))
    .digest('hex');
  const config = {
    Entrypoint: ['/bin/sh', '-c', script],
    Cmd: ['shell'],
    Env: ['WHERE=from the image'],
    User: 'shell',
    WorkingDir: '/work',
  };
  writeFileSync(join(saved, 'config.json'), JSON.stringify({ config, rootfs: { diff_ids: [`sha256:${sha}`] } }));
  const manifest = [{ Config: 'config.json', RepoTags: ['shell:1'], Layers: ['layer.tar'] }];
  writeFileSync(join(saved, 'manifest.json'), JSON.stringify(manifest));
  execFileSync('tar', ['-C', saved, '-czf', join(folder, 'shell.tar.gz'), '.']);
}
