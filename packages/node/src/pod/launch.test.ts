import type { Container, Pod } from '@signalbox/cluster';
import { describe, expect, test } from 'vitest';
import type { Image } from '../images/image.ts';
import type { ContainerLaunch } from '../protocol/launch.ts';
import { around, podWith, testImage } from '../testing/pods.ts';
import { containerLaunch } from './launch.ts';

function launched(pod: Pod, image: Partial<Image> = {}): ContainerLaunch | string {
  const made = containerLaunch(pod, pod.spec.containers[0] as Container, around({ image: { ...testImage, ...image } }));
  return made.ok ? made.value.launch : `${made.reason}: ${made.message}`;
}

function launchOf(container: Partial<Container>, image: Partial<Image> = {}): ContainerLaunch {
  const launch = launched(podWith({ container }), image);
  if (typeof launch === 'string') throw new Error(launch);
  return launch;
}

test('a container that says nothing is as its image', () => {
  expect(launchOf({}, { env: { LANG: 'C' }, workingDir: '/srv' })).toEqual({
    pod: 'uid-web-0',
    name: 'app',
    attempt: 0,
    root: { is: 'programs', paths: [] },
    argv: ['/bin/web', '--serve'],
    env: {
      PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
      HOME: '/root',
      HOSTNAME: 'web-0',
      LANG: 'C',
    },
    cwd: '/srv',
    mounts: [],
    user: { uid: 0, gid: 0, groups: [] },
    capabilities: { add: [], drop: [] },
    isPrivileged: false,
    allowsPrivilegeEscalation: true,
    isRootReadOnly: false,
    limits: {},
    stdin: false,
    stdinOnce: false,
    tty: false,
    termination: { path: '/dev/termination-log', isFromLog: false },
  });
});

test.each<[string, Partial<Container>, readonly string[]]>([
  ['both of the image', {}, ['/bin/web', '--serve']],
  ['own arguments', { args: ['--debug'] }, ['/bin/web', '--debug']],
  ['an own command drops the arguments of the image', { command: ['sh'] }, ['sh']],
  ['both of its own', { command: ['sh', '-c'], args: ['exit'] }, ['sh', '-c', 'exit']],
  [
    'expanded',
    { command: ['echo'], args: ['$(A) $$(A) $(B)'], env: [{ name: 'A', value: '1' }] },
    ['echo', '1 $(A) $(B)'],
  ],
])('command: %s', (_, container, argv) => {
  expect(launchOf(container).argv).toEqual(argv);
});

test("a command of the pod's finds the program wherever the real image has it", () => {
  const aliases = { 'prometheus-config-reloader': ['/usr/bin/node', '/opt/signalbox', 'reloader'] };
  const command = ['/bin/prometheus-config-reloader'];
  expect(launchOf({ command, args: ['--once'] }, { aliases }).argv).toEqual([
    ...aliases['prometheus-config-reloader'],
    '--once',
  ]);
});

test('without any command it cannot be made', () => {
  expect(launched(podWith(), { entrypoint: [], cmd: [] })).toBe('CreateContainerError: no command specified');
});

test('a program that cannot do with less has so much; no limit stays none', () => {
  const least = { cpuMilliLeast: 500, memoryBytesLeast: 167_772_160 };
  const limitsOf = (limits: Readonly<Record<string, string>>): ContainerLaunch['limits'] =>
    launchOf({ resources: { limits } }, least).limits;
  expect(limitsOf({ cpu: '10m', memory: '50Mi' })).toEqual({ cpuMilli: 500, memoryBytes: 167_772_160 });
  expect(limitsOf({ cpu: '1', memory: '1Gi' })).toEqual({ cpuMilli: 1_000, memoryBytes: 1_073_741_824 });
  expect(limitsOf({})).toEqual({});
});

test('what it says of itself is taken over', () => {
  const container: Partial<Container> = {
    ...{ workingDir: '/work', stdin: true, stdinOnce: true, tty: true },
    ...{ terminationMessagePath: '/tmp/last', terminationMessagePolicy: 'FallbackToLogsOnError' },
    env: [{ name: 'HOME', value: '/home' }],
    resources: { limits: { cpu: '250m', memory: '64Mi' } },
    securityContext: {
      ...{ privileged: true, allowPrivilegeEscalation: false, readOnlyRootFilesystem: true },
      capabilities: { add: ['NET_ADMIN'], drop: ['ALL'] },
    },
  };
  expect(launchOf(container, { env: { PATH: '/only' } })).toMatchObject({
    cwd: '/work',
    env: { HOME: '/home', PATH: '/only', TERM: 'xterm' },
    isPrivileged: true,
    allowsPrivilegeEscalation: false,
    isRootReadOnly: true,
    capabilities: { add: ['NET_ADMIN'], drop: ['ALL'] },
    limits: { cpuMilli: 250, memoryBytes: 67_108_864 },
    ...{ stdin: true, stdinOnce: true, tty: true },
    termination: { path: '/tmp/last', isFromLog: true },
  });
});

describe('users', () => {
  const accounts = {
    passwd: 'root:x:0:0::/root:/bin/sh\nweb:x:101:102::/var/web:/bin/sh\n',
    group: 'root:x:0:\nweb:x:102:\nlog:x:4:web,other\n',
  };
  const refusal = (text: string): string =>
    `CreateContainerConfigError: ${text} (pod: "web-0_shop(uid-web-0)", container: app)`;
  test.each<[string, object, object, string, unknown]>([
    ['the image says', {}, {}, 'web', { uid: 101, gid: 102, groups: [4] }],
    ['the image says with a group', {}, {}, '101:log', { uid: 101, gid: 4, groups: [] }],
    ['a number that nobody knows', {}, {}, '77', { uid: 77, gid: 0, groups: [] }],
    ['the pod says', { runAsUser: 1000, runAsGroup: 2000 }, {}, 'web', { uid: 1000, gid: 2000, groups: [] }],
    ['the container wins', { runAsUser: 1 }, { runAsUser: 101 }, '', { uid: 101, gid: 102, groups: [4] }],
    [
      'further groups',
      { fsGroup: 9, supplementalGroups: [4, 8, 9] },
      {},
      'web',
      { uid: 101, gid: 102, groups: [4, 8, 9] },
    ],
    ['those asked for only', { supplementalGroupsPolicy: 'Strict' }, {}, 'web', { uid: 101, gid: 102, groups: [] }],
    ['not root, and is not', { runAsNonRoot: true }, { runAsUser: 5 }, '', { uid: 5, gid: 0, groups: [] }],
    ['not root, by the image', { runAsNonRoot: true }, {}, '101', { uid: 101, gid: 102, groups: [4] }],
    [
      'not root, but told to be',
      { runAsNonRoot: true, runAsUser: 0 },
      {},
      'web',
      refusal("container's runAsUser breaks non-root policy"),
    ],
    [
      'not root, but its image is',
      { runAsNonRoot: true },
      {},
      '',
      refusal('container has runAsNonRoot and image will run as root'),
    ],
    [
      'not root, but nobody can know',
      {},
      { runAsNonRoot: true },
      'web',
      refusal('container has runAsNonRoot and image has non-numeric user (web), cannot verify user is non-root'),
    ],
    [
      'nobody',
      {},
      {},
      'mary',
      "CreateContainerError: unable to find user mary: no matching entries in the image's accounts",
    ],
  ])('%s', (_, wide, own, user, expected) => {
    const launch = launched(podWith({ securityContext: wide, container: { securityContext: own } }), {
      user,
      accounts,
    });
    expect(typeof launch === 'string' ? launch : launch.user).toEqual(expected);
  });

  test('its home is that of the account', () => {
    expect(launchOf({}, { user: 'web', accounts }).env['HOME']).toBe('/var/web');
  });
});

describe('mounts', () => {
  const volumes = [
    { name: 'data', emptyDir: {} },
    { name: 'config', configMap: { name: 'c' } },
    { name: 'logs', hostPath: { path: '/var/log', type: 'Directory' } },
    { name: 'claimed', persistentVolumeClaim: { claimName: 'p', readOnly: true } },
  ];
  const mounts = (container: Partial<Container>): unknown => {
    const launch = launched(podWith({ volumes, container }));
    return typeof launch === 'string' ? launch : launch.mounts;
  };

  test('outer ones come first; what nobody may write is read only', () => {
    const volumeMounts = [
      { name: 'config', mountPath: '/data/etc/app' },
      { name: 'data', mountPath: 'data' },
      { name: 'logs', mountPath: '/var/log', readOnly: true, mountPropagation: 'HostToContainer' },
      { name: 'claimed', mountPath: '/claimed' },
    ];
    expect(mounts({ volumeMounts })).toEqual([
      { mountPath: '/data', source: { volume: 'data' }, isReadOnly: false },
      { mountPath: '/claimed', source: { volume: 'claimed' }, isReadOnly: true },
      { mountPath: '/var/log', source: { hostPath: '/var/log', type: 'Directory' }, isReadOnly: true },
      { mountPath: '/data/etc/app', source: { volume: 'config' }, isReadOnly: true },
    ]);
  });

  test.each<[string, Partial<Container>, string]>([
    ['a path', { volumeMounts: [{ name: 'data', mountPath: '/d', subPath: 'a/b' }] }, 'a/b'],
    [
      'an expression',
      { env: [{ name: 'A', value: 'x' }], volumeMounts: [{ name: 'data', mountPath: '/d', subPathExpr: 'a/$(A)' }] },
      'a/x',
    ],
    [
      'nobody knows it',
      { volumeMounts: [{ name: 'data', mountPath: '/d', subPathExpr: '$(NO)' }] },
      'missing value for "NO"',
    ],
    [
      'absolute',
      { volumeMounts: [{ name: 'data', mountPath: '/d', subPath: '/a' }] },
      'error SubPath `/a` must not be an absolute path',
    ],
    [
      'upwards',
      { env: [{ name: 'A', value: '..' }], volumeMounts: [{ name: 'data', mountPath: '/d', subPathExpr: 'x/$(A)/y' }] },
      "unable to provision SubPath `x/../y`: must not contain '..'",
    ],
  ])('below the volume: %s', (_, container, expected) => {
    const found = mounts(container);
    if (typeof found === 'string') expect(found).toBe(`CreateContainerConfigError: ${expected}`);
    else expect(found).toMatchObject([{ subPath: expected }]);
  });

  test.each<[Partial<Container>, string]>([
    [{ volumeMounts: [{ name: 'x', mountPath: '/d' }] }, 'cannot find volume "x" to mount into container'],
    [{ volumeDevices: [{ name: 'data', devicePath: '/dev/x' }] }, 'this node has no block devices'],
    [
      { volumeMounts: [{ name: 'data', mountPath: '/d', mountPropagation: 'Bidirectional' }] },
      'mountPropagation Bidirectional',
    ],
    [{ resources: { limits: { 'nvidia.com/gpu': '1' } } }, 'asks for nvidia.com/gpu, which this node does not have'],
  ])('what this node does not offer is refused: %j', (container, text) => {
    expect(mounts(container)).toContain(text);
  });
});
