import { createHash } from 'node:crypto';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { Header } from 'tar';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Image } from '../image.ts';
import { createArchives } from './archives.ts';
import { planEntry } from './entries.ts';

let folder: string;
let images: string;
let cache: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'signalbox-'));
  images = join(folder, 'images');
  cache = join(folder, 'cache');
  mkdirSync(images);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

type Entry = readonly [path: string, content?: string, more?: { type?: string; linkpath?: string; mode?: number }];

function tar(entries: readonly Entry[]): Buffer {
  const blocks = entries.flatMap(([path, content = '', { type = 'File', linkpath, mode = 0o644 } = {}]) => {
    const body = Buffer.from(content, 'latin1');
    const header = new Header({
      ...{ path, mode, uid: 0, gid: 0, size: body.length, mtime: new Date(0) },
      ...{ type: type as 'File', linkpath: linkpath ?? '' },
    });
    const block = Buffer.alloc(512);
    header.encode(block, 0);
    return [block, body, Buffer.alloc((512 - (body.length % 512)) % 512)];
  });
  return Buffer.concat([...blocks, Buffer.alloc(1024)]);
}

const sha = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

interface Made {
  readonly layers: readonly Buffer[];
  readonly config?: object;
  /** What is written in the place of a layer. */
  readonly packed?: (layer: Buffer) => Buffer;
}

function parts({ layers, config = {}, packed = (layer) => layer }: Made) {
  const rootfs = { type: 'layers', diff_ids: layers.map((layer) => `sha256:${sha(layer)}`) };
  const text = Buffer.from(JSON.stringify({ architecture: 'amd64', os: 'linux', config, rootfs }));
  return { config: text, layers: layers.map(packed) };
}

function saveDocker(name: string, made: Made, tags: readonly string[] = ['web:1']): void {
  const { config, layers } = parts(made);
  const manifest = [
    { Config: `${sha(config)}.json`, RepoTags: tags, Layers: layers.map((_, index) => `${index}/layer.tar`) },
  ];
  const entries: Entry[] = [
    ['manifest.json', JSON.stringify(manifest)],
    [`${sha(config)}.json`, config.toString('latin1')],
    ...layers.map((layer, index): Entry => [`${index}/layer.tar`, layer.toString('latin1')]),
  ];
  writeFileSync(join(images, name), tar(entries));
}

function saveLayout(name: string, made: Made, annotations: Readonly<Record<string, string>>): string {
  const { config, layers } = parts(made);
  const blob = (bytes: Buffer): { digest: string; size: number } => {
    const path = join(images, name, 'blobs/sha256', sha(bytes));
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, bytes);
    return { digest: `sha256:${sha(bytes)}`, size: bytes.length };
  };
  const manifest = Buffer.from(JSON.stringify({ config: blob(config), layers: layers.map(blob) }));
  const platforms = ['s390x', 'amd64'].map((architecture) => ({
    ...blob(manifest),
    platform: { os: 'linux', architecture },
  }));
  const index = Buffer.from(JSON.stringify({ manifests: platforms }));
  const mediaType = 'application/vnd.oci.image.index.v1+json';
  writeFileSync(join(images, name, 'oci-layout'), '{"imageLayoutVersion":"1.0.0"}');
  writeFileSync(
    join(images, name, 'index.json'),
    JSON.stringify({ manifests: [{ ...blob(index), mediaType, annotations }] }),
  );
  return join(images, name);
}

const archives = () => createArchives({ folder: images, cache, isRoot: process.getuid?.() === 0, arch: 'x64' });

async function rootOf(name = 'docker.io/library/web:1'): Promise<string> {
  const image = await archives().unpacked(name);
  if (image?.root.is !== 'image') throw new Error(`no ${name}`);
  return image.root.path;
}

const web: Made = {
  config: {
    Entrypoint: ['/web'],
    Cmd: ['--x'],
    Env: ['PATH=/bin', 'A=b=c', 'EMPTY='],
    User: 'web:log',
    WorkingDir: '/srv',
  },
  layers: [
    tar([
      ['etc/', '', { type: 'Directory', mode: 0o755 }],
      ['etc/passwd', 'web:x:7:8::/srv:/bin/sh\n'],
      ['usr/bin/web', 'program', { mode: 0o755 }],
      ['bin', '', { type: 'SymbolicLink', linkpath: '/usr/bin' }],
      ['old/a', '1'],
      ['old/b', '2'],
      ['gone', 'x'],
    ]),
    tar([
      ['.wh.gone'],
      ['old/new', '3'],
      ['old/.wh..wh..opq'],
      ['bin/more', 'by a link'],
      ['usr/bin/again', '', { type: 'Link', linkpath: 'usr/bin/web' }],
      ['dev/null', '', { type: 'CharacterDevice' }],
    ]),
  ],
};

describe('archives of docker save', () => {
  test('become an image with its own root', async () => {
    saveDocker('web.tar', web, ['web:1', 'example.com/web:2']);
    const image = (await archives().unpacked('example.com/web:2')) as Image;
    const root = await rootOf();
    expect(image).toMatchObject({
      id: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
      root: { is: 'image', path: root },
      entrypoint: ['/web'],
      cmd: ['--x'],
      env: { PATH: '/bin', A: 'b=c', EMPTY: '' },
      user: 'web:log',
      workingDir: '/srv',
      accounts: { passwd: 'web:x:7:8::/srv:/bin/sh\n', group: '' },
    });
    expect(readdirSync(root).sort()).toEqual(['bin', 'etc', 'old', 'usr']);
    expect(readdirSync(join(root, 'old'))).toEqual(['new']);
    expect(readdirSync(join(root, 'usr/bin')).sort()).toEqual(['again', 'more', 'web']);
    expect(readFileSync(join(root, 'usr/bin/more'), 'utf8')).toBe('by a link');
    expect(statSync(join(root, 'usr/bin/again')).ino).toBe(statSync(join(root, 'usr/bin/web')).ino);
    expect(statSync(join(root, 'usr/bin/web')).mode & 0o777).toBe(0o755);
    expect(readdirSync(cache)).toHaveLength(1);
  });

  test('are unpacked once', async () => {
    saveDocker('web.tar', web);
    writeFileSync(join(await rootOf(), 'mark'), '');
    expect(existsSync(join(await rootOf(), 'mark'))).toBe(true);
  });

  test('layers may be packed by gzip', async () => {
    saveDocker('web.tar', { ...web, packed: (layer) => gzipSync(layer) });
    expect(readFileSync(join(await rootOf(), 'old/new'), 'utf8')).toBe('3');
  });

  test('nobody has a name that no archive has, until one has', async () => {
    const found = archives();
    expect(await found.unpacked('docker.io/library/web:1')).toBeUndefined();
    saveDocker('web.tar', web);
    expect(await found.unpacked('docker.io/library/web:1')).toBeDefined();
  });
});

test('another archive of the same name is another image', async () => {
  const found = archives();
  saveDocker('web.tar', web);
  const before = await found.unpacked('docker.io/library/web:1');
  expect(await found.unpacked('docker.io/library/web:1')).toBe(before);
  saveDocker('web.tar', { layers: [tar([['only', 'x']])] });
  const after = await found.unpacked('docker.io/library/web:1');
  expect(after?.id).not.toBe(before?.id);
});

describe('layouts', () => {
  test('are found by what they are called, for this kind of machine', async () => {
    saveLayout('shop', web, { 'org.opencontainers.image.ref.name': '2' });
    expect(await archives().unpacked('docker.io/library/shop:2')).toMatchObject({ entrypoint: ['/web'] });
    saveLayout('other', web, { 'io.containerd.image.name': 'quay.io/team/web:9' });
    expect(await archives().unpacked('quay.io/team/web:9')).toMatchObject({ entrypoint: ['/web'] });
  });

  test('a blob that leads out of the layout is refused', async () => {
    const layout = saveLayout('shop', web, {});
    writeFileSync(join(folder, 'secret'), '{}');
    rmSync(join(layout, 'index.json'));
    symlinkSync(join(folder, 'secret'), join(layout, 'index.json'));
    await expect(archives().unpacked('docker.io/library/shop:latest')).rejects.toThrow('leads out of the archive');
  });
});

/** In two frames, with a checksum and without, and one between them that is to be passed over: `zstd --check` and `--no-check`. */
const zstdLayer = tar([['bin/web', 'zstd '.repeat(40)]]);
const zstdPacked = Buffer.from(
  'KLUv/WS8AUUCALQCYmluL3dlYgAwMDA2NDQgADAwMzExMDI2NyAAMAB1c3RhcgAwMAB6c3RkIAoANBRKSUAF2CCAQDoAl26nBi/ZuAjAdXICXD9j36FQKk0YAwAAAGFiYyi1L/1gRAR9AAAwZCB6c3QAAgA04b6AW7Q=',
  'base64',
);

test('a layer may be compressed by zstd', async () => {
  saveLayout('web', { layers: [zstdLayer], packed: () => zstdPacked }, { 'io.containerd.image.name': 'web:1' });
  expect(readFileSync(join(await rootOf(), 'bin/web'), 'utf8')).toBe('zstd '.repeat(40));
});

describe('what is refused', () => {
  test.each<[string, Made, string]>([
    ['a path upwards', { layers: [tar([['../evil', 'x']])] }, 'leads out of the image'],
    ['a path upwards within', { layers: [tar([['a/../../evil', 'x']])] }, 'leads out of the image'],
    [
      'a name of a file elsewhere',
      { layers: [tar([['x', '', { type: 'Link', linkpath: '../../secret' }]])] },
      'leads out of the image',
    ],
    ['another content', { layers: [tar([['a', 'x']])], packed: () => tar([['a', 'y']]) }, 'and should be sha256:'],
    [
      'damage',
      { layers: [tar([['a', 'x']])], packed: (layer) => gzipSync(layer).subarray(0, 30) },
      'unexpected end of file',
    ],
    [
      'zstd',
      { layers: [zstdLayer], packed: () => zstdPacked.subarray(0, 60) },
      'compressed by zstd cannot be read: unexpected EOF',
    ],
    [
      'a file below a file',
      {
        layers: [
          tar([
            ['a', 'x'],
            ['a/b', 'y'],
          ]),
        ],
      },
      'below what is no folder',
    ],
  ])('%s', async (_, made, text) => {
    saveDocker('web.tar', made);
    writeFileSync(join(folder, 'secret'), 'mine');
    await expect(rootOf()).rejects.toThrow(text);
    expect(readdirSync(folder).sort()).toEqual(['cache', 'images', 'secret']);
    expect(readdirSync(cache)).toEqual([]);
  });

  test('links of an image are followed within it only', async () => {
    const outside = join(folder, 'outside');
    mkdirSync(outside);
    const links: Entry[] = [
      ['abs', '', { type: 'SymbolicLink', linkpath: outside }],
      ['up', '', { type: 'SymbolicLink', linkpath: '../../../../../..' }],
      ['file', '', { type: 'SymbolicLink', linkpath: join(outside, 'target') }],
    ];
    saveDocker('web.tar', {
      layers: [
        tar(links),
        tar([
          ['abs/x', '1'],
          ['up/y', '2'],
          ['file', '3'],
        ]),
      ],
    });
    const root = await rootOf();
    expect(readdirSync(outside)).toEqual([]);
    expect(readFileSync(join(root, outside, 'x'), 'utf8')).toBe('1');
    expect(readFileSync(join(root, 'y'), 'utf8')).toBe('2');
    expect(lstatSync(join(root, 'file')).isFile()).toBe(true);
  });
});

test.each([
  ['./a/./b', 'File', 'file a/b'],
  ['/a', 'Directory', 'folder a'],
  ['a/.wh.b', 'File', 'remove a/b'],
  ['.wh..wh..opq', 'File', 'clear '],
  ['a/.wh..wh..opq', 'File', 'clear a'],
  ['.wh..wh.plnk', 'Directory', 'nothing '],
  ['dev/x', 'BlockDevice', 'nothing '],
  ['run/fifo', 'FIFO', 'nothing '],
])('%s (%s): %s', (path, type, expected) => {
  const action = planEntry({ path, type });
  expect(`${action.is} ${'path' in action ? action.path : ''}`).toBe(expected);
});

test('a removal cannot lead out either', () => {
  expect(() => planEntry({ path: 'a/.wh...', type: 'File' })).toThrow('leads out of the image');
});
