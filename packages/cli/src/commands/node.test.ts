import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { RunningNode } from '@signalbox/node';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Ending, type EndingSignal } from '../io/ending.ts';
import type { RealNodeStart } from '../io/real-nodes.ts';
import { run } from '../run.ts';
import { createTestIo, type TestIo } from '../testing/io.ts';

const authority = '-----BEGIN CERTIFICATE-----\nMTIz\n-----END CERTIFICATE-----\n';
let io: TestIo;
let told: string[];
let started: RealNodeStart[];
let lacks: readonly string[];
let fail: (error: Error) => void;
const ending = (): AbortController => new AbortController();

beforeEach(async () => {
  io = await createTestIo();
  told = [];
  started = [];
  lacks = [];
  await io.file('kubeconfig', kubeconfig('https://127.0.0.1:6443'));
});
afterEach(() => io.remove());

const kubeconfig = (server: string): string => `apiVersion: v1
kind: Config
current-context: a
clusters: [{ name: a, cluster: { server: "${server}", certificate-authority-data: ${btoa(authority)} } }]
users: [{ name: a, user: { token: secret } }]
contexts: [{ name: a, context: { cluster: a, user: a } }]
`;

interface Given {
  /** When it has started. */
  readonly next?: EndingSignal | Error;
  /** It comes before it has. */
  readonly isEarly?: boolean;
}

/** Resolves with the exit code. */
async function node(argv: readonly string[], { next = 'SIGTERM', isEarly = false }: Given = {}): Promise<number> {
  const aborting = ending();
  const failed = new Promise<Error>((resolve) => {
    fail = resolve;
  });
  const running: RunningNode = {
    failed,
    leave: async () => void told.push('left'),
    end: async () => void told.push('ended'),
  };
  const realNodes = {
    lacks: async () => lacks,
    address: async () => '10.64.0.1',
    async start(options: RealNodeStart) {
      started.push(options);
      if (next instanceof Error) fail(next);
      else aborting.abort(new Ending(next));
      if (isEarly) options.signal.throwIfAborted();
      return running;
    },
    async endLeftIn(folder: string) {
      told.push(`ended ${folder.slice(io.cwd.length)}`);
      return false;
    },
  };
  return run(['node', '--kubeconfig', 'kubeconfig', ...argv], { ...io, realNodes, signal: aborting.signal });
}

test('a node is what was asked for', async () => {
  await io.file('rules', '# of ours\n\nshop/*=shop\n');
  await io.file('tls.crt', 'certificate');
  await io.file('tls.key', 'key');
  await io.file('network', kubeconfig('https://127.0.0.1:6443'));
  for (const folder of ['saved', 'pods']) await mkdir(join(io.cwd, folder));
  const argv = ['--name', 'box-1', '--labels', 'disk=ssd,zone=a', '--taints', 'real=yes:NoSchedule,only:NoExecute'];
  const images = [
    '--image',
    'grafana/agent=/opt/agent',
    '--image',
    'x=y',
    '--images-file',
    'rules',
    '--images',
    'saved',
  ];
  const open = ['--egress', 'example.com:443', '--egress', 'example.org', '--host-path', '/var/log', '--max-pods', '5'];
  const files = ['--static-pods', 'pods', '--tls-cert-file', 'tls.crt', '--tls-private-key-file', 'tls.key'];
  expect(await node([...argv, ...images, ...open, ...files, '--network-kubeconfig', 'network']), io.err()).toBe(0);
  expect(started).toEqual([
    expect.objectContaining({
      name: 'box-1',
      folder: join(io.cwd, '.signalbox-node'),
      api: { host: '127.0.0.1', port: 6443 },
      authority,
      serving: { certificate: 'certificate', key: 'key' },
      labels: { disk: 'ssd', zone: 'a' },
      taints: [
        { key: 'real', value: 'yes', effect: 'NoSchedule' },
        { key: 'only', effect: 'NoExecute' },
      ],
      podsMax: 5,
      images: ['grafana/agent=/opt/agent', 'x=y', 'shop/*=shop'],
      imagesFolder: join(io.cwd, 'saved'),
      egress: ['example.com:443', 'example.org'],
      hostPaths: ['/var/log'],
      staticPods: join(io.cwd, 'pods'),
    }),
  ]);
  expect(started[0]?.transport).not.toBe(started[0]?.networkTransport);
});

test('unasked it is called as the machine, opens nothing, and looks at services as itself', async () => {
  expect(await node([]), io.err()).toBe(0);
  expect(started[0]).toMatchObject({ name: 'test', podsMax: 110, images: [], egress: [], hostPaths: [], labels: {} });
  expect(started[0]?.serving).toBeUndefined();
  expect(started[0]?.transport).toBe(started[0]?.networkTransport);
});

describe('at the end', () => {
  test.each<[EndingSignal, readonly string[], string]>([
    ['SIGINT', [], 'ended'],
    ['SIGTERM', [], 'ended'],
    ['SIGHUP', [], 'left'],
    ['SIGTERM', ['--keep'], 'left'],
  ])('%s %j: what runs is %s', async (by, argv, expected) => {
    expect(await node(argv, { next: by })).toBe(0);
    expect(told).toEqual([expected]);
  });

  test.each<[EndingSignal, readonly string[]]>([
    ['SIGINT', ['ended /.signalbox-node']],
    ['SIGHUP', []],
  ])('%s before it is a node ends it at once', async (by, expected) => {
    expect(await node([], { next: by, isEarly: true })).toBe(0);
    expect(told).toEqual(expected);
    expect(io.err()).toContain('stopped before the node was registered');
  });

  test('who asks twice is told what goes on', async () => {
    await node([], { next: 'SIGINT' });
    io.hurry();
    expect(io.err()).toContain('what still runs in its pods ends by itself within five minutes');
  });

  test('a node that fails by itself says why, and what runs goes on for the next', async () => {
    expect(await node([], { next: new Error('the process inside is gone') })).toBe(1);
    expect(told).toEqual(['left']);
    expect(io.err()).toMatch(
      /error: the node ends because the process inside is gone; what runs in its pods goes on\n$/,
    );
  });
});

describe('one line says what is wrong and the mend', () => {
  test('with a machine that cannot, before anything is done', async () => {
    lacks = ['not installed: bwrap; on Debian and Ubuntu: apt-get install bubblewrap'];
    expect(await node([])).toBe(1);
    expect(io.err()).toBe('error: not installed: bwrap; on Debian and Ubuntu: apt-get install bubblewrap\n');
    expect(await readdir(io.cwd)).toEqual(['kubeconfig']);
  });

  test.each<[readonly string[], number, RegExp]>([
    [['--images-file', 'nowhere'], 1, /cannot read nowhere: no such file or folder; check the path \(--images-file\)/],
    [
      ['--images', 'nowhere'],
      1,
      /cannot use nowhere: there is no such folder; make it and put OCI layouts .* \(--images\)/,
    ],
    [['--images', 'kubeconfig'], 1, /cannot use kubeconfig: a file stands where a folder is needed/],
    [['--static-pods', 'nowhere'], 1, /there is no such folder; make it and put manifests .* \(--static-pods\)/],
    [['--name', 'Box'], 2, /small letters, digits, dots and hyphens/],
    [['--labels', 'a'], 2, /"a" is no label such as team=a/],
    [['--taints', 'a=b:Never'], 2, /"a=b:Never" is no taint such as real=true:NoSchedule/],
    [['--max-pods', '0'], 2, /a whole number from 1 to 1000/],
    [['--image', 'agent'], 2, /a pattern and a program, e\.g\. grafana\/agent=/],
    [['--egress', 'a b'], 2, /a name, perhaps with a port/],
    [['--egress', '192.0.2.1:443'], 2, /a name, perhaps with a port/],
    [['--host-path', 'logs'], 2, /an absolute path/],
    [['--tls-cert-file', 'tls.crt'], 2, /--tls-cert-file and --tls-private-key-file go together/],
  ])('%j', async (argv, code, message) => {
    expect(await node(argv)).toBe(code);
    expect(io.err()).toMatch(message);
    expect(io.err().trim().split('\n')).toHaveLength(1);
  });

  test('a path of the machine that is not there yet is told, and may come', async () => {
    expect(await node(['--host-path', '/nowhere/at/all', '--host-path', '/tmp'])).toBe(0);
    expect(io.err()).toMatch(/ \/nowhere\/at\/all: no such file or folder; check the path; until it is there/);
    expect(io.err()).not.toContain('/tmp:');
  });

  test('with a machine whose name no node may have', async () => {
    io = Object.assign(io, { host: 'My_Box' });
    expect(await node([])).toBe(1);
    expect(io.err()).toContain('this machine is called "My_Box"');
    expect(io.err()).toContain('--name NAME');
  });

  test('with a kubeconfig that is not there', async () => {
    await writeFile(join(io.cwd, 'kubeconfig'), '');
    expect(await node([])).toBe(1);
    expect(io.err()).toContain('no current-context');
  });
});
