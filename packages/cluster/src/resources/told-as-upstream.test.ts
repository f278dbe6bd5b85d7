/** What random requests to upstream's API server and to ours have shown of what is told of an object that is wrong. */
import { expect, test } from 'vitest';
import type { Pod } from '../api/generated/core-v1.ts';
import { type Issue, root } from '../api/issue.ts';
import type { KubeObject } from '../api/meta.ts';
import { customresourcedefinitionDefinition } from './apiextensions/customresourcedefinition.ts';
import { jobDefinition } from './batch/job.ts';
import { persistentvolumeDefinition } from './core/persistentvolume.ts';
import { persistentvolumeclaimDefinition } from './core/persistentvolumeclaim.ts';
import { podDefinition } from './core/pod/pod.ts';
import { quotaAmounts } from './core/quota/validation.ts';
import type { ResourceDefinition } from './resource.ts';
import { csinodeDefinition } from './storage/csinode.ts';
import { volumeattachmentDefinition } from './storage/volumeattachment.ts';

function told(issues: Iterable<Issue> | undefined): readonly string[] {
  return [...(issues ?? [])].map(({ field, message }) => `${field}: ${message}`);
}

function judged<T extends KubeObject>({ validate }: ResourceDefinition<T>, spec: object): readonly string[] {
  return told(validate?.({ metadata: { name: 'a' }, spec } as unknown as T, root));
}

const surplus = 'Forbidden: may not specify more than 1 volume type';
const container = { name: 'c', image: 'i' };

test('of several sources of a volume the first counts, in an order of their own', () => {
  const capacity = { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'] };
  const csi = { driver: 'a.b', volumeHandle: 'h' };
  expect(judged(persistentvolumeDefinition, { ...capacity, csi, hostPath: { path: '/a' } })).toContain(
    `spec.csi: ${surplus}`,
  );
  const volume = { name: 'v', csi: { driver: 'a.b' }, cephfs: { monitors: ['m'] }, emptyDir: {} };
  expect(judged(podDefinition, { containers: [container], volumes: [volume] })).toEqual(
    expect.arrayContaining([`spec.volumes[0].cephFS: ${surplus}`, `spec.volumes[0].csi: ${surplus}`]),
  );
  const nowhere = { name: 'v', hostPath: { type: 'other' } };
  const found = judged(podDefinition, { containers: [container], volumes: [nowhere] });
  expect(found).toContain('spec.volumes[0].hostPath.path: Required value');
  expect(found.filter((text) => text.includes('hostPath.type'))).toEqual([]);
});

test('a rule of a job names a container that there is', () => {
  const rules = (containerName: string): readonly string[] => {
    const onExitCodes = { containerName, operator: 'In', values: [1] };
    const template = { spec: { containers: [container], restartPolicy: 'Never' } };
    const spec = { template, podFailurePolicy: { rules: [{ action: 'FailJob', onExitCodes }, { onExitCodes }] } };
    return judged(jobDefinition, spec).filter((text) => text.includes('podFailurePolicy'));
  };
  const noAction =
    'spec.podFailurePolicy.rules[1].action: Required value: valid values: ["Count" "FailIndex" "FailJob" "Ignore"]';
  expect(rules('c')).toEqual([noAction]);
  expect(rules('d')).toContain(
    'spec.podFailurePolicy.rules[0].onExitCodes.containerName: Invalid value: "d": must be one of the container or initContainer names in the pod template',
  );
});

test('names are told as they were given', () => {
  expect(judged(csinodeDefinition, { drivers: [{ name: 'Not Valid!', nodeID: 'a' }] })[0]).toMatch(
    /^spec\.drivers\[0\]\.name: Invalid value: "Not Valid!": a lowercase RFC 1123/,
  );
});

test('what is foreign to a quota is counted in whole ones', () => {
  expect(told(quotaAmounts({ 'count/things.example.com': '100m' }, root('spec', 'hard')))).toEqual([
    'spec.hard[count/things.example.com]: Invalid value: "100m": must be an integer',
  ]);
});

test('the mode of a claim stays', () => {
  const claim = (volumeMode: string): never =>
    ({
      metadata: { name: 'a' },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, volumeMode },
    }) as never;
  expect(told(persistentvolumeclaimDefinition.validateUpdate?.(claim('Block'), claim('Filesystem'), root))).toContain(
    'volumeMode: Invalid value: "Block": field is immutable',
  );
});

test('some is asked of what is new alone', () => {
  const { validate, validateCreate } = volumeattachmentDefinition;
  const spec = { attacher: '/a', nodeName: 'n', source: { persistentVolumeName: 'Exists' } };
  const attachment = { metadata: { name: 'a' }, spec } as never;
  expect(told(validate?.(attachment, root))).toEqual([]);
  expect(told(validateCreate?.(attachment, root)).map((text) => text.split(':')[0])).toEqual([
    'spec.attacher',
    'spec.source.persistentVolumeName',
  ]);
  const status = { storedVersions: ['v1'] };
  const spec1 = { group: 'Other', names: {}, versions: [{ name: 'v1', storage: true }] };
  const definition = { metadata: { name: 'x' }, spec: spec1, status } as never;
  const name = 'metadata.name: Invalid value: "x": must be spec.names.plural+"."+spec.group';
  expect(told(customresourcedefinitionDefinition.validateCreate?.(definition, root))).toEqual([name]);
  const later = told(customresourcedefinitionDefinition.validate?.(definition, root));
  expect(later.filter((text) => text.includes('must be spec.names') || text.includes('at least one dot'))).toEqual([]);
});

test('processes of a Windows host are all of a pod or none, on the host’s network', () => {
  const onHost = (hostProcess: boolean): object => ({ windowsOptions: { hostProcess } });
  const pod = (first: object | undefined, rest: object = {}): readonly string[] =>
    judged(podDefinition, {
      containers: [
        { ...container, securityContext: first },
        { name: 'd', image: 'i' },
      ],
      ...rest,
    }).filter((text) => /host(?:Process|Network)/i.test(text));
  const network =
    'spec.hostNetwork: Invalid value: false: hostNetwork must be true if pod contains any hostProcess containers';
  const all =
    'spec: Invalid value: "": If pod contains any hostProcess containers then all containers must be HostProcess containers';
  expect(pod(onHost(true))).toEqual([all, network]);
  expect(pod(onHost(false))).toEqual([]);
  expect(pod(undefined, { securityContext: onHost(true), hostNetwork: true })).toEqual([]);
  expect(pod(onHost(false), { securityContext: onHost(true), hostNetwork: true })).toEqual([
    'spec.containers[0].securityContext.windowsOptions.hostProcess: Invalid value: false: pod hostProcess value must be identical if both are specified, was true',
    all,
  ]);
});

test('rules of a container for its own restarts are dropped, but that an init container runs beside the others', () => {
  const one = (restartPolicy: string): object => ({
    ...container,
    restartPolicy,
    restartPolicyRules: [{ action: 'Restart' }],
  });
  const pod = {
    metadata: { name: 'a' },
    spec: { containers: [one('Always')], initContainers: [one('Always'), one('Exists')] },
  };
  const filled = podDefinition.defaults?.(pod as unknown as Pod) as Pod | undefined;
  const kept = [...(filled?.spec.containers ?? []), ...(filled?.spec.initContainers ?? [])];
  expect(kept.map(({ restartPolicy, restartPolicyRules }) => [restartPolicy, restartPolicyRules])).toEqual([
    [undefined, undefined],
    ['Always', undefined],
    [undefined, undefined],
  ]);
});
