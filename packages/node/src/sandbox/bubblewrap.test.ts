import { expect, test } from 'vitest';
import type { ContainerLaunch } from '../protocol/launch.ts';
import { type EtcFolder, type MachineRoot, type SandboxOf, sandboxCommand } from './bubblewrap.ts';
import { allCapabilities, capabilitiesOf, defaultCapabilities, unknownCapabilities } from './capabilities.ts';

const machine: MachineRoot = {
  isRoot: true,
  links: [
    { path: '/bin', target: 'usr/bin' },
    { path: '/lib64', target: undefined },
  ],
  setpriv: { program: '/usr/bin/setpriv', libraries: ['/lib64/ld-linux.so.2', '/lib/libc.so.6'] },
};

const etc: EtcFolder = {
  ...{ folder: '/run/machine', paths: ['/etc/ssl/certs', '/etc/passwd', '/etc/localtime'] },
  namesIn: (path) => (path === '/etc/ssl/certs' ? ['all.crt', 'one.pem'] : []),
};

const launch: ContainerLaunch = {
  ...{
    pod: 'u1',
    name: 'app',
    attempt: 0,
    root: { is: 'programs', paths: ['/opt/agent/bin'] },
    argv: ['agent', '--flag'],
  },
  ...{ env: {}, cwd: '/', mounts: [], user: { groups: [] }, capabilities: { add: [], drop: [] } },
  ...{ isPrivileged: false, allowsPrivilegeEscalation: false, isRootReadOnly: false, limits: {} },
  ...{ stdin: false, stdinOnce: false, tty: false, termination: { path: '/dev/termination-log', isFromLog: false } },
};

function made(change: Partial<ContainerLaunch> = {}, of: Partial<SandboxOf> = {}): { options: string; argv: string } {
  const { options, argv } = sandboxCommand({
    ...{ launch: { ...launch, ...change }, machine, etc, mounts: [], imageRoot: undefined, podMounts: [] },
    ...{ env: { SECRET: 'x' }, sharesProcesses: false },
    ...of,
  });
  return { options: options.join(' '), argv: argv.join(' ') };
}

test('only what is named is bound from the machine', () => {
  const { options, argv } = made();
  const bound = [...options.matchAll(/--(?:ro-)?bind (\S+) \S+/g)].map(([, source]) => source);
  expect(bound).toEqual(['/usr', '/lib64', '/run/machine/etc', '/opt/agent/bin']);
  expect(options).not.toMatch(/--bind /);
  expect(options).toContain('--unshare-pid --as-pid-1 --die-with-parent --new-session');
  expect(argv).toBe('agent --flag');
});

test('files of the machine are links into one mount, at which others can still be mounted', () => {
  const mounts = [{ source: '/v', target: '/etc/ssl/certs', isReadOnly: true }];
  const { options } = made({}, { mounts });
  expect(options).toContain('--ro-bind /run/machine/etc /.signalbox --dir /etc --dir /etc/ssl ');
  expect(made().options).toContain('--symlink ../../.signalbox/ssl/certs /etc/ssl/certs');
  expect(options).toContain('--symlink ../.signalbox/passwd /etc/passwd');
});

test('where something is mounted is no link, and around it is a folder of links', () => {
  const at = (target: string): string => made({}, { mounts: [{ source: '/v', target, isReadOnly: true }] }).options;
  // On most machines a link that leads out of `/etc`: nothing could be mounted there.
  expect(at('/etc/localtime')).not.toContain('/.signalbox/localtime');
  expect(at('/etc/ssl/certs/')).not.toContain('/.signalbox/ssl/certs');
  expect(at('/etc/ssl/certs/own.pem')).toContain(
    '--dir /etc/ssl/certs --symlink ../../../.signalbox/ssl/certs/all.crt /etc/ssl/certs/all.crt --symlink',
  );
  const { options } = made({}, { mounts: [{ source: '/v', target: '/etc/ssl/certs/one.pem', isReadOnly: true }] });
  expect(options).not.toContain('.signalbox/ssl/certs/one.pem');
});

test('the environment stands in the options, which nobody else can read', () => {
  const { options, argv } = made();
  expect(options).toContain('--clearenv --setenv SECRET x');
  expect(argv).not.toContain('SECRET');
});

test('an outer mount comes before what is mounted in it, and everybody may go there', () => {
  const mounts = [
    { source: '/v/inner', target: '/a/b/c', isReadOnly: true },
    { source: '/v/outer', target: '/a', isReadOnly: false },
  ];
  expect(made({}, { mounts }).options).toContain('--bind /v/outer /a --dir /a --dir /a/b --ro-bind /v/inner /a/b/c');
});

test('a root that is read only is so after everything has been mounted', () => {
  const { options } = made({ isRootReadOnly: true }, { mounts: [{ source: '/v', target: '/a', isReadOnly: false }] });
  expect(options.indexOf('--remount-ro /')).toBeGreaterThan(options.indexOf('--bind /v /a'));
});

test('as root another user is become by setpriv, which gives up all else', () => {
  const { options, argv } = made({ user: { uid: 65_534, gid: 100, groups: [5, 6] } });
  expect(options).toContain('--cap-drop ALL --cap-add CAP_SETGID --cap-add CAP_SETPCAP --cap-add CAP_SETUID');
  expect(options).not.toContain('--unshare-user');
  expect(argv).toBe(
    '/usr/bin/setpriv --reuid 65534 --regid 100 --groups 5,6 --bounding-set=-all --inh-caps=-all --ambient-caps=-all --pdeathsig KILL -- agent --flag',
  );
});

test('an ordinary user is called as asked in a namespace of users', () => {
  const { options, argv } = made({ user: { uid: 65_534, groups: [] } }, { machine: { ...machine, isRoot: false } });
  expect(options).toContain('--unshare-user --uid 65534 --gid 65534 --cap-drop ALL');
  expect(options).not.toContain('--cap-add');
  expect(argv).toBe('agent --flag');
});

test('an image has its own files, and setpriv with all that it needs', () => {
  const root = { is: 'image', path: '/images/i' } as const;
  const { options, argv } = made({ root, user: { uid: 1, groups: [] } }, { imageRoot: '/pods/u1/root' });
  expect(options).toContain('--bind /pods/u1/root / ');
  expect(options).not.toContain('/usr /usr');
  expect(options).toContain('--ro-bind /lib64/ld-linux.so.2 /.signalbox/ld-linux.so.2');
  expect(argv).toMatch(
    /^\/\.signalbox\/ld-linux\.so\.2 --library-path \/\.signalbox \/\.signalbox\/setpriv --reuid 1 /,
  );
});

test('processes in common, and a terminal', () => {
  const { options } = made({ tty: true }, { sharesProcesses: true });
  expect(options).not.toMatch(/--unshare-pid|--as-pid-1|--new-session/);
  expect(options).toContain('--dev-bind /dev/pts /dev/pts');
});

test.each<[string, Partial<ContainerLaunch>, readonly string[]]>([
  ['root has the usual', {}, defaultCapabilities],
  ['another user none', { user: { uid: 1, groups: [] }, capabilities: { add: ['NET_ADMIN'], drop: [] } }, []],
  ['some dropped', { capabilities: { add: [], drop: ['ALL'] } }, []],
  ['all but one dropped', { capabilities: { add: ['CAP_NET_BIND_SERVICE'], drop: ['all'] } }, ['NET_BIND_SERVICE']],
  ['one added', { capabilities: { add: ['SYS_PTRACE'], drop: [] } }, [...defaultCapabilities, 'SYS_PTRACE']],
  ['privileged', { isPrivileged: true }, allCapabilities],
])('capabilities: %s', (_, change, capabilities) => {
  expect([...capabilitiesOf({ ...launch, ...change })].sort()).toEqual([...capabilities].sort());
});

test('capabilities that nobody knows are named', () => {
  expect(unknownCapabilities({ capabilities: { add: ['NET_ADMIN', 'FLY'], drop: ['ALL'] } })).toEqual(['FLY']);
});
