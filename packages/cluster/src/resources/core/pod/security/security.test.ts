import { describe, expect, test } from 'vitest';
import type { Judged } from './check.ts';
import { asksMore, type Level, policyIssues, policyOf, violations, violationText } from './levels.ts';

type Spec = Readonly<Record<string, unknown>>;

const judged = (spec: Spec, annotations: Record<string, string> = {}): Judged =>
  ({ metadata: { annotations }, spec: { containers: [{ name: 'a' }], ...spec } }) as unknown as Judged;
const context = (securityContext: object): Spec => ({ containers: [{ name: 'a', securityContext }] });
const level = (name: Level['name'], version = 'latest'): Level => ({ name, version });
const told = (pod: Judged, name: Level['name'], version?: string): string =>
  violationText(violations(pod, level(name, version)));

/** What the restricted level asks for. */
const good = {
  securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
  containers: [{ name: 'a', securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } } }],
};

describe('the baseline', () => {
  test.each<[string, Judged, string]>([
    ['a plain pod', judged({}), ''],
    [
      'AppArmor',
      judged({
        ...context({ appArmorProfile: { type: 'Unconfined' } }),
        securityContext: { appArmorProfile: { type: 'Unconfined' } },
      }),
      'forbidden AppArmor profile (pod and container "a" must not set AppArmor profile type to "Unconfined")',
    ],
    [
      'AppArmor of old',
      judged({}, { 'container.apparmor.security.beta.kubernetes.io/a': 'unconfined' }),
      'forbidden AppArmor profile (annotation must not set AppArmor profile type to "container.apparmor.security.beta.kubernetes.io/a="unconfined"")',
    ],
    [
      'capabilities',
      judged(context({ capabilities: { add: ['SYS_TIME', 'CHOWN', 'NET_RAW'] } })),
      'non-default capabilities (container "a" must not include "NET_RAW", "SYS_TIME" in securityContext.capabilities.add)',
    ],
    [
      'the namespaces of the host',
      judged({ hostNetwork: true, hostPID: true }),
      'host namespaces (hostNetwork=true, hostPID=true)',
    ],
    [
      'paths of the host',
      judged({
        volumes: [
          { name: 'x', hostPath: { path: '/' } },
          { name: 'y', emptyDir: {} },
        ],
      }),
      'hostPath volumes (volume "x")',
    ],
    [
      'ports of the host',
      judged({
        containers: [
          { name: 'a', ports: [{ hostPort: 80 }, { hostPort: 0 }] },
          { name: 'b', ports: [{ hostPort: 443 }] },
        ],
      }),
      'hostPort (containers "a", "b" use hostPorts 443, 80)',
    ],
    [
      'probes of others',
      judged({ containers: [{ name: 'a', livenessProbe: { httpGet: { host: 'example.com' } } }] }),
      'probe or lifecycle host (container "a" uses probe or lifecycle host "example.com")',
    ],
    [
      'privileges',
      judged(context({ privileged: true })),
      'privileged (container "a" must not set securityContext.privileged=true)',
    ],
    [
      'the whole of /proc',
      judged(context({ procMount: 'Unmasked' })),
      'procMount (container "a" must not set securityContext.procMount to "Unmasked")',
    ],
    [
      'SELinux',
      judged(context({ seLinuxOptions: { type: 'spc_t', user: 'u' } })),
      'seLinuxOptions (container "a" set forbidden securityContext.seLinuxOptions: type "spc_t"; user may not be set)',
    ],
    [
      'seccomp',
      judged({ securityContext: { seccompProfile: { type: 'Unconfined' } } }),
      'seccompProfile (pod must not set securityContext.seccompProfile.type to "Unconfined")',
    ],
    [
      'settings of the kernel',
      judged({ securityContext: { sysctls: [{ name: 'kernel.msgmax' }, { name: 'net.ipv4.tcp_rmem' }] } }),
      'forbidden sysctls (kernel.msgmax)',
    ],
    [
      'processes of a Windows host',
      judged({ securityContext: { windowsOptions: { hostProcess: true } } }),
      'hostProcess (pod must not set securityContext.windowsOptions.hostProcess=true)',
    ],
    [
      'containers that come before, and that are there to look',
      judged({
        initContainers: [{ name: 'i', securityContext: { privileged: true } }],
        ephemeralContainers: [{ name: 'e', securityContext: { privileged: true } }],
      }),
      'privileged (containers "i", "e" must not set securityContext.privileged=true)',
    ],
  ])('%s', (_, pod, expected) => {
    expect(told(pod, 'baseline')).toBe(expected);
    expect(told(pod, 'privileged')).toBe('');
  });

  test('as a version had it', () => {
    const sysctl = judged({ securityContext: { sysctls: [{ name: 'net.ipv4.tcp_rmem' }] } });
    expect(told(sysctl, 'baseline', 'v1.31')).toBe('forbidden sysctls (net.ipv4.tcp_rmem)');
    expect(told(sysctl, 'baseline', 'v1.32')).toBe('');
    const probe = judged({ containers: [{ name: 'a', livenessProbe: { tcpSocket: { host: 'x' } } }] });
    expect(told(probe, 'baseline', 'v1.33')).toBe('');
  });
});

describe('the restricted level', () => {
  test('is met', () => expect(told(judged(good), 'restricted')).toBe(''));
  test('a plain pod asks for too much, in the order in which upstream says it', () => {
    expect(told(judged({}), 'restricted')).toBe(
      'allowPrivilegeEscalation != false (container "a" must set securityContext.allowPrivilegeEscalation=false), ' +
        'unrestricted capabilities (container "a" must set securityContext.capabilities.drop=["ALL"]), ' +
        'runAsNonRoot != true (pod or container "a" must set securityContext.runAsNonRoot=true), ' +
        'seccompProfile (pod or container "a" must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost")',
    );
  });
  test.each<[string, Spec, string]>([
    [
      'volumes',
      {
        volumes: [
          { name: 'x', nfs: {} },
          { name: 'y', hostPath: {} },
          { name: 'z', secret: {} },
        ],
      },
      'restricted volume types (volumes "x", "y" use restricted volume types "hostPath", "nfs")',
    ],
    [
      'root by name',
      { securityContext: { ...good.securityContext, runAsNonRoot: false } },
      'runAsNonRoot != true (pod must not set securityContext.runAsNonRoot=false)',
    ],
    [
      'root by number',
      { securityContext: { ...good.securityContext, runAsUser: 0 } },
      'runAsUser=0 (pod must not set runAsUser=0)',
    ],
    [
      'capabilities',
      {
        containers: [
          {
            name: 'a',
            securityContext: {
              allowPrivilegeEscalation: false,
              capabilities: { drop: ['ALL'], add: ['CHOWN', 'NET_BIND_SERVICE'] },
            },
          },
        ],
      },
      'unrestricted capabilities (container "a" must not include "CHOWN" in securityContext.capabilities.add)',
    ],
    [
      'seccomp',
      { securityContext: { ...good.securityContext, seccompProfile: { type: 'Unconfined' } } },
      'seccompProfile (pod must not set securityContext.seccompProfile.type to "Unconfined")',
    ],
  ])('%s', (_, more, expected) => expect(told(judged({ ...good, ...more }), 'restricted')).toBe(expected));
  test('Windows has none of what it asks for', () => {
    const pod = judged({ os: { name: 'windows' }, securityContext: { runAsNonRoot: true } });
    expect(told(pod, 'restricted')).toBe('');
    expect(told(pod, 'restricted', 'v1.24')).toContain('allowPrivilegeEscalation');
  });
});

describe('labels of a namespace', () => {
  const of = (labels: Record<string, string>): Record<string, string> =>
    Object.fromEntries(Object.entries(labels).map(([key, value]) => [`pod-security.kubernetes.io/${key}`, value]));
  const open = level('privileged');
  test.each<[Record<string, string>, Partial<ReturnType<typeof policyOf>>]>([
    [{}, {}],
    [{ enforce: 'baseline' }, { enforce: level('baseline'), warn: level('baseline') }],
    [
      { enforce: 'baseline', warn: 'restricted' },
      { enforce: level('baseline'), warn: level('restricted') },
    ],
    [{ enforce: 'baseline', warn: 'privileged' }, { enforce: level('baseline') }],
    [
      { enforce: 'baseline', 'enforce-version': 'v1.20' },
      { enforce: level('baseline', 'v1.20'), warn: level('baseline', 'v1.20') },
    ],
    [{ audit: 'restricted' }, { audit: level('restricted') }],
    [{ enforce: 'high' }, { enforce: level('restricted') }],
    [{ warn: 'high' }, {}],
  ])('%j', (labels, expected) =>
    expect(policyOf(of(labels))).toEqual({ enforce: open, audit: open, warn: open, ...expected }),
  );
  test('that say nothing are found wanting', () => {
    const lines = [...policyIssues(of({ enforce: 'high', 'warn-version': '1.20' }))].map(
      ({ field, message }) => `${field}: ${message}`,
    );
    expect(lines).toEqual([
      'metadata.labels[pod-security.kubernetes.io/enforce]: Invalid value: "high": must be one of privileged, baseline, restricted',
      'metadata.labels[pod-security.kubernetes.io/warn-version]: Invalid value: "1.20": must be "latest" or "v1.x"',
    ]);
  });
  test('ask for more, or not', () => {
    expect(asksMore(level('restricted'), level('baseline'))).toBe(true);
    expect(asksMore(level('baseline'), level('restricted'))).toBe(false);
    expect(asksMore(level('baseline', 'v1.20'), level('baseline'))).toBe(true);
    expect(asksMore(level('privileged', 'v1.20'), level('baseline'))).toBe(false);
  });
});
