import { expect, test } from 'vitest';
import { lacksOf, type MachineFacts } from './preflight.ts';

const able: MachineFacts = {
  ...{ platform: 'linux', isRoot: false, missingPrograms: [], refusal: undefined },
  ...{ userNamespacesMax: 15_000, restriction: undefined, isInContainer: false },
};
const refusal = 'unshare: unshare failed: Operation not permitted';

test.each<[string, Partial<MachineFacts>, readonly string[]]>([
  ['a machine that can', {}, []],
  [
    'another system',
    { platform: 'darwin' },
    ['real nodes need Linux, and this is darwin: run it in a virtual machine'],
  ],
  [
    'programs that are missing are named with their packages',
    { missingPrograms: ['bwrap', 'unshare', 'nsenter'] },
    ['not installed: bwrap, unshare, nsenter; on Debian and Ubuntu: apt-get install bubblewrap util-linux'],
  ],
  [
    'AppArmor',
    { refusal, restriction: 'apparmor' },
    [
      `namespaces are refused (${refusal}) by AppArmor: sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0, or start as root`,
    ],
  ],
  [
    'a container',
    { refusal, isInContainer: true, isRoot: true },
    [`namespaces are refused (${refusal}) by this container: start it with --privileged, or use a virtual machine`],
  ],
  [
    'none allowed',
    { refusal, userNamespacesMax: 0 },
    [`namespaces are refused (${refusal}): sudo sysctl user.max_user_namespaces=15000, or start as root`],
  ],
  ['no reason known', { refusal }, [`namespaces are refused (${refusal}) to this user: start as root`]],
])('%s', (_, facts, lacks) => {
  expect(lacksOf({ ...able, ...facts })).toEqual(lacks);
});
