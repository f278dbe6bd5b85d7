/** What further random requests to upstream's API server and to ours have shown of where a mistake is told. */
import { expect, test } from 'vitest';
import { type Issue, root } from '../api/issue.ts';
import type { KubeObject } from '../api/meta.ts';
import { jobDefinition } from './batch/job.ts';
import { persistentvolumeDefinition } from './core/persistentvolume.ts';
import { podDefinition } from './core/pod/pod.ts';
import { endpointsliceDefinition } from './discovery/endpointslice.ts';
import { ingressDefinition } from './networking/ingress.ts';
import { networkpolicyDefinition } from './networking/networkpolicy.ts';
import { servicecidrDefinition } from './networking/servicecidr.ts';
import type { ResourceDefinition } from './resource.ts';
import { storageclassDefinition } from './storage/storageclass.ts';
import { volumeattachmentDefinition } from './storage/volumeattachment.ts';

function told(issues: Iterable<Issue> | undefined): readonly string[] {
  return [...(issues ?? [])].map(({ field, message }) => `${field}: ${message}`);
}

function judged<T extends KubeObject>({ validate }: ResourceDefinition<T>, object: object): readonly string[] {
  return told(validate?.({ metadata: { name: 'a' }, ...object } as unknown as T, root));
}

const container = { name: 'c', image: 'i' };

test('mistakes of projected volumes are told of the source, or of all of them', () => {
  const items = [{ key: 'a', path: 'same' }];
  const sources = [
    { serviceAccountToken: { path: '' }, secret: { name: 's', items } },
    { configMap: { name: 'm', items } },
  ];
  const found = judged(podDefinition, {
    spec: { containers: [container], volumes: [{ name: 'v', projected: { sources } }] },
  });
  expect(found.filter((text) => text.includes('volumes'))).toEqual([
    'spec.volumes[0].projected.path: Required value',
    'spec.volumes[0].projected.sources[0]: Forbidden: may not specify more than 1 volume type per source',
    'spec.volumes[0].projected: Invalid value: "m": conflicting duplicate paths',
  ]);
});

test('keys of labels are not judged where there is no selector for them', () => {
  const term = { topologyKey: 'zone', mismatchLabelKeys: ['/x'] };
  const affinity = { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } };
  const found = judged(podDefinition, { spec: { containers: [container], affinity } });
  expect(found.filter((text) => text.includes('affinity'))).toEqual([
    expect.stringContaining('mismatchLabelKeys: Forbidden: must not be specified when labelSelector is not set'),
  ]);
});

test('a file that cannot be read from is not counted among the sources of a variable', () => {
  const valueFrom = { configMapKeyRef: { name: 'm', key: 'k' }, fileKeyRef: { path: 'p', volumeName: 'v', key: 'k' } };
  const found = judged(podDefinition, { spec: { containers: [{ ...container, env: [{ name: 'A', valueFrom }] }] } });
  expect(found.filter((text) => text.includes('.valueFrom'))).toEqual([
    expect.stringContaining('fileKeyRef: Forbidden'),
  ]);
});

test('codes of a job’s rule are ordered, and its labels are not looked for by a selector that is none', () => {
  const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [container], restartPolicy: 'Never' } };
  const rules = [{ action: 'FailJob', onExitCodes: { operator: 'In', values: [2, 1] } }];
  const job = (selector: object): readonly string[] =>
    judged(jobDefinition, { spec: { template, selector, podFailurePolicy: { rules } } });
  expect(job({ matchLabels: { a: 'b' } })).toContain(
    'spec.podFailurePolicy.rules[0].onExitCodes.values: Invalid value: [2,1]: must be ordered',
  );
  expect(job({ matchLabels: { a: 'c' } }).join()).toContain('does not match template');
  expect(job({ matchLabels: { a: 'x'.repeat(64) } }).join()).not.toContain('does not match template');
});

test('both ranges of addresses are judged when a second one comes', () => {
  const ranges = (...cidrs: readonly string[]): never => ({ metadata: { name: 'a' }, spec: { cidrs } }) as never;
  const change = (next: never): readonly string[] =>
    told(servicecidrDefinition.validateUpdate?.(next, ranges('10.0.0.0/24'), root));
  expect(change(ranges('10.0.0.0/24', 'fd00::/64'))).toEqual([]);
  expect(change(ranges('x', 'y'))).toEqual([
    'spec.cidrs[0]: Invalid value: "x": field is immutable',
    expect.stringMatching(/^spec\.cidrs\[0\]: .*must be a valid CIDR value/),
    expect.stringMatching(/^spec\.cidrs\[1\]: .*must be a valid CIDR value/),
  ]);
});

test('a place that may be anywhere is one too many', () => {
  const storage = { provisioner: 'a/b', reclaimPolicy: 'Delete', volumeBindingMode: 'Immediate' };
  const zone = (value: string): object => ({ matchLabelExpressions: [{ key: 'zone', values: [value] }] });
  const places = (...allowedTopologies: readonly object[]): readonly string[] =>
    judged(storageclassDefinition, { ...storage, allowedTopologies });
  expect(places(zone('a'), zone('b'))).toEqual([]);
  expect(places(zone('a'), zone('a'))).toEqual(['allowedTopologies[1].matchLabelExpressions: Duplicate value: ""']);
  expect(places({})).toEqual(['allowedTopologies[0].matchLabelExpressions: Duplicate value: ""']);
});

test('a source of a volume has its defaults wherever it stands', () => {
  const azureDisk = { diskName: 'a', diskURI: '/a' };
  const filled = { ...azureDisk, cachingMode: 'ReadWrite', fsType: 'ext4', kind: 'Shared', readOnly: false };
  expect(persistentvolumeDefinition.defaults?.({ spec: { azureDisk } } as never)).toHaveProperty(
    'spec.azureDisk',
    filled,
  );
  const source = { inlineVolumeSpec: { azureDisk } };
  expect(volumeattachmentDefinition.defaults?.({ spec: { source } } as never)).toHaveProperty(
    'spec.source.inlineVolumeSpec.azureDisk',
    filled,
  );
});

test('processes on Windows run as somebody who can be', () => {
  const told = (windowsOptions: object): readonly string[] =>
    judged(podDefinition, { spec: { containers: [{ ...container, securityContext: { windowsOptions } }] } })
      .filter((text) => text.includes('windowsOptions'))
      .map((text) => text.replace(/^.*windowsOptions\.(\w+): Invalid value: .*?": /s, '$1: '));
  expect(told({ gmsaCredentialSpecName: 'a.b', gmsaCredentialSpec: 'x', runAsUserName: 'DOMAIN\\user' })).toEqual([]);
  expect(told({ gmsaCredentialSpecName: 'Not Valid!', gmsaCredentialSpec: '' })).toEqual([
    expect.stringMatching(/^gmsaCredentialSpecName: a lowercase RFC 1123 subdomain/),
    'gmsaCredentialSpec: gmsaCredentialSpec cannot be an empty string',
  ]);
  expect(told({ gmsaCredentialSpec: 'x'.repeat(65537) })).toEqual([
    'gmsaCredentialSpec: gmsaCredentialSpec size must be under 64 KiB',
  ]);
  const users: readonly (readonly [string, string])[] = [
    ['', 'runAsUserName cannot be an empty string'],
    ['a\u0001', 'runAsUserName cannot contain control characters'],
    ['a\\b\\c', 'runAsUserName cannot contain more than one backslash'],
    ['a\\', "runAsUserName's User cannot be empty"],
    ['. .', "runAsUserName's User cannot contain only periods or spaces"],
    ['a/b', 'runAsUserName\'s User cannot contain the following characters: "/\\:;|=,+*?<>@[]'],
    ['x'.repeat(105), "runAsUserName's User length must not be longer than 104 characters"],
    ['.<\\a', "runAsUserName's Domain doesn't match the NetBios nor the DNS format"],
  ];
  for (const [runAsUserName, why] of users) expect(told({ runAsUserName })).toEqual([`runAsUserName: ${why}`]);
});

test('addresses of no kind are not judged, and a third type of policy hides the others', () => {
  const slice = { endpoints: [{ addresses: ['x'] }], ports: [] };
  expect(judged(endpointsliceDefinition, slice).filter((text) => text.includes('addresses'))).toEqual([]);
  expect(judged(endpointsliceDefinition, { ...slice, addressType: 'IPv4' }).join()).toContain('addresses[0]');
  const spec = { podSelector: {}, policyTypes: ['x', 'Ingress', 'Egress'] };
  expect(judged(networkpolicyDefinition, { spec })).toEqual([
    expect.stringContaining('may not specify more than two policyTypes'),
  ]);
});

test('a path of an Ingress without its type is told of that alone', () => {
  const rules = [{ host: 'a.b', http: { paths: [{ path: 'x', backend: {} }] } }];
  expect(judged(ingressDefinition, { spec: { rules } })).toEqual([
    'spec.rules[0].http.paths[0].pathType: Required value: pathType must be specified',
  ]);
});
