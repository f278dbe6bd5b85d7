import { readFile } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { describeVersion, version } from './io/version.ts';
import { run } from './run.ts';
import { createTestIo, type TestIo } from './testing/io.ts';

let io: TestIo;
beforeEach(async () => {
  io = await createTestIo();
});
afterEach(() => io.remove());

describe('wrong usage ends with 2 and one line that helps', () => {
  test.each<[string, readonly string[], string]>([
    ['an unknown command', ['upp'], "unknown command 'upp' (Did you mean up?)"],
    ['help for an unknown command', ['help', 'upp'], "unknown command 'upp' (Did you mean up?)"],
    ['an unknown command that is asked for help', ['upp', '--help'], "unknown command 'upp' (Did you mean up?)"],
    ['an unknown flag', ['up', '--node', '3'], "unknown option '--node' (Did you mean --nodes?)"],
    ['nodes that are no number', ['up', '--nodes', 'many'], 'It must be a whole number from 0 to 100000'],
    ['nodes below nothing', ['up', '--nodes=-1'], 'It must be a whole number'],
    ['half a node', ['up', '--nodes', '1.5'], 'It must be a whole number'],
    ['too many nodes', ['up', '--nodes', '100001'], 'It must be a whole number'],
    ['a port that there is not', ['up', '--port', '65536'], 'from 0 to 65535'],
    ['a folder and memory', ['up', '--data', 'x', '--memory'], "'--data <dir>' cannot be used with option '--memory'"],
    ['an address that nobody can call', ['up', '--advertise', 'https://box'], 'e.g. box.example.com:16443'],
    ['a name that no certificate can have', ['up', '--tls-san', 'a b'], 'a DNS name or an IP address'],
    [
      'a cluster in memory that is left alone',
      ['up', '--memory', '-d'],
      "'-d, --detach' cannot be used with option '--memory'",
    ],
    [
      'a wait that nobody waits for',
      ['up', '--detach', '--exit-when-ready'],
      "cannot be used with option '--exit-when-ready'",
    ],
    ['a part that there is not', ['up', '--without', 'scheduler,etcd'], 'There is no part "etcd": controllers, '],
    ['an operator without its definitions', ['up', '--no-crds'], '--no-crds goes with --no-operator'],
    ['a time-out that is no duration', ['up', '--timeout', 'soon'], 'such as 90s, 2m or 1h'],
    ['a form that there is not', ['up', '-o', 'xml'], 'Allowed choices are text, json'],
    ['nothing to render', ['render'], "required option '-f, --file <path...>' not specified"],
    ['a shell that there is not', ['completion', 'tcsh'], 'Allowed choices are bash, zsh, fish, powershell'],
    ['a label that is none', ['operator', '--labels', 'team=a,b'], '"b" is no label such as team=a'],
    ['a label with a value that is none', ['operator', '--labels', 'team=a b'], '"team=a b" is no label'],
    ['a selector that is none', ['operator', '--agent-selector', 'a in'], 'a label selector such as team=a,env!=test'],
    ['a Service without a namespace', ['operator', '--kubelet-service', 'kubelet'], 'such as default/kubelet'],
    ['a flag without its value', ['tree', '--context'], "'--context <name>' argument missing"],
  ])('%s', async (_, argv, message) => {
    expect(await run(argv, io)).toBe(2);
    expect(io.err()).toContain(message);
    expect(io.err().trimEnd().split('\n')).toHaveLength(1);
    const command = argv.includes('upp') ? '' : ` ${argv[0]}`;
    expect(io.err()).toMatch(new RegExp(`^error: .*; see signalbox${command} --help\\n$`));
    expect(io.out()).toBe('');
  });
});

const commands = [
  'up',
  'status',
  'down',
  'render',
  'operator',
  'adapter',
  'node',
  'tree',
  'explain',
  'plan',
  'diff',
  'backup',
  'restore',
  'check',
  'clock',
  'test-assets',
  'reloader',
  'completion',
];

describe('help', () => {
  test.each([['--help'], ['help'], []])('of the whole is on standard output: %s', async (...argv) => {
    expect(await run(argv, io)).toBe(0);
    for (const name of commands) expect(io.out()).toContain(`\n  ${name} `);
    expect(io.out()).toContain('Exit codes: 0 done, 1 it failed, 2 wrong usage');
    expect(io.err()).toBe('');
  });
  test.each(commands)('of %s has examples', async (name) => {
    expect(await run([name, '--help'], io)).toBe(0);
    expect(io.out()).toMatch(new RegExp(`Examples:\\n(.*\\n)*.*signalbox ${name}`));
  });
  test('fits into a terminal of 120 columns', async () => {
    for (const name of commands) await run([name, '--help'], io);
    expect(
      io
        .out()
        .split('\n')
        .filter((line) => line.length > 120),
    ).toEqual([]);
  });
});

test.each(['--version', '-v', '-V'])('%s tells what a report of a problem needs', async (flag) => {
  expect(await run([flag], io)).toBe(0);
  expect(io.out()).toBe(`${version} (Node.js v20.19.0)\n`);
  expect(describeVersion('v20.19.0', '3f2a9c1')).toBe(`${version} (commit 3f2a9c1, Node.js v20.19.0)`);
});

test('the version is that of the package', async () => {
  const file = await readFile(new URL('../package.json', import.meta.url), 'utf8');
  expect(version).toBe((JSON.parse(file) as { version: string }).version);
});

describe('colours', () => {
  test.each<[string, Parameters<typeof createTestIo>[0], boolean]>([
    ['on a terminal', { isTerminal: true }, true],
    ['in a file', {}, false],
    ['with NO_COLOR', { isTerminal: true, env: { NO_COLOR: '1' } }, false],
    ['with an empty NO_COLOR', { isTerminal: true, env: { NO_COLOR: '' } }, true],
    ['on a dumb terminal', { isTerminal: true, env: { TERM: 'dumb' } }, false],
  ])('%s', async (_, options, isColoured) => {
    const own = await createTestIo(options);
    await run(['upp'], own);
    expect(own.err().includes('\u001B[')).toBe(isColoured);
    await own.remove();
  });
});

describe('completion', () => {
  test.each(['bash', 'zsh', 'fish', 'powershell'])('has a script for %s', async (shell) => {
    expect(await run(['completion', shell], io)).toBe(0);
    expect(io.out()).toContain('signalbox complete');
  });
  test.each<[readonly string[], readonly string[]]>([
    [
      [''],
      [
        'up',
        'status',
        'down',
        'render',
        'operator',
        'adapter',
        'node',
        'tree',
        'explain',
        'plan',
        'diff',
        'backup',
        'restore',
        'check',
        'clock',
        'test-assets',
        'reloader',
        'completion',
        'help',
      ],
    ],
    [['re'], ['render', 'restore', 'reloader']],
    [
      ['up', '--no'],
      ['--nodes', '--no-operator', '--no-crds', '--node-name', '--node-labels', '--node-taints'],
    ],
    [
      ['up', '-o', ''],
      ['text', 'json'],
    ],
    [
      ['completion', ''],
      ['zsh', 'bash', 'fish', 'powershell'],
    ],
  ])('of %j is %j', async (words, expected) => {
    expect(await run(['complete', '--', ...words], io)).toBe(0);
    const lines = io.out().trimEnd().split('\n');
    expect(lines.slice(0, -1).map((line) => line.split('\t')[0])).toEqual(expected);
  });
  test('after an option that takes a path leaves it to the shell', async () => {
    await run(['complete', '--', 'up', '-f', 'ex'], io);
    expect(io.out()).toBe(':0\n');
  });
});
