import type { PersistentVolumeSpec, Volume } from '../../api/generated/core-v1.ts';
import type { FieldPath, Issue } from '../../api/issue.ts';
import { oneOf } from '../validation/fields.ts';
import { dnsLabel, dnsSubdomain } from '../validation/names.ts';

/** Sources that pods and PersistentVolumes have in common and that have no more to them than what must be said. */
export type SharedSource = Exclude<keyof Volume & keyof PersistentVolumeSpec, 'csi' | 'hostPath' | 'iscsi'>;

type Rule<Name extends SharedSource> = (
  source: Partial<NonNullable<Volume[Name]> | NonNullable<PersistentVolumeSpec[Name]>>,
  at: FieldPath,
) => Iterable<Issue>;

const cachingModes = ['None', 'ReadOnly', 'ReadWrite'] as const;
const diskKinds = ['Dedicated', 'Managed', 'Shared'] as const;
const managedDisk = '/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}';
const blobDisk = 'https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd';
const pairs = 'must be a host:port pair or multiple pairs separated by commas';
const tenantMax = 64;

const rules: { readonly [Name in SharedSource]: Rule<Name> } = {
  *awsElasticBlockStore({ volumeID, partition }, at) {
    yield* required({ volumeID }, at);
    yield* partitionIssues(partition, at);
  },
  *azureDisk({ diskName, diskURI, cachingMode, kind }, at) {
    yield* required({ diskName, diskURI }, at);
    yield* oneOf(cachingMode, cachingModes, at('cachingMode'));
    yield* oneOf(kind, diskKinds, at('kind'));
    if (kind === undefined) return;
    const [start, form] = kind === 'Managed' ? ['/subscriptions/', managedDisk] : ['https://', blobDisk];
    if (!(diskURI ?? '').startsWith(start)) yield at('diskURI').notSupported(diskURI ?? '', [form]);
  },
  *azureFile({ secretName, shareName, ...more }, at) {
    yield* required({ secretName, shareName }, at);
    if ('secretNamespace' in more && more.secretNamespace === '') yield at('secretNamespace').required();
  },
  *cephfs({ monitors = [] }, at) {
    if (monitors.length === 0) yield at('monitors').required();
  },
  *cinder({ volumeID, secretRef }, at) {
    yield* required({ volumeID }, at);
    if (secretRef !== undefined) yield* required({ name: secretRef.name }, at('secretRef'));
  },
  *fc({ targetWWNs = [], wwids = [], lun }, at) {
    if (targetWWNs.length === 0 && wwids.length === 0)
      yield at('targetWWNs').required('must specify either targetWWNs or wwids, but not both');
    if (targetWWNs.length === 0) return;
    if (wwids.length > 0)
      yield at('targetWWNs').invalid(targetWWNs, 'targetWWNs and wwids can not be specified simultaneously');
    if (lun === undefined) yield at('lun').required('lun is required if targetWWNs is specified');
    else yield* unitIssues(lun, at);
  },
  *flexVolume({ driver, options = {} }, at) {
    yield* required({ driver }, at);
    for (const option of Object.keys(options).sort())
      if (/(?:^|\.)(?:kubernetes|k8s)\.io$/.test((option.split('/', 1)[0] ?? '').toLowerCase()))
        yield at('options').key(option).invalid(option, 'kubernetes.io and k8s.io namespaces are reserved');
  },
  *flocker({ datasetName = '', datasetUUID = '' }, at) {
    if (datasetName === '' && datasetUUID === '') yield at.required('one of datasetName and datasetUUID is required');
    if (datasetName !== '' && datasetUUID !== '')
      yield at.invalid('resource', 'datasetName and datasetUUID can not be specified simultaneously');
    if (datasetName.includes('/')) yield at('datasetName').invalid(datasetName, "must not contain '/'");
  },
  *gcePersistentDisk({ pdName, partition }, at) {
    yield* required({ pdName }, at);
    yield* partitionIssues(partition, at);
  },
  *glusterfs({ endpoints, path, ...more }, at) {
    yield* required({ endpoints, path }, at);
    if (!('endpointsNamespace' in more) || more.endpointsNamespace === undefined) return;
    const { endpointsNamespace: namespace } = more;
    const why = 'if the endpointnamespace is set, it must be a valid namespace name';
    if (namespace === '') yield at('endpointsNamespace').invalid(namespace, why);
    else yield* dnsLabel(namespace, at('endpointsNamespace'));
  },
  *nfs({ server, path = '' }, at) {
    yield* required({ server, path }, at);
    if (!path.startsWith('/')) yield at('path').invalid(path, 'must be an absolute path');
  },
  *photonPersistentDisk({ pdID }, at) {
    yield* required({ pdID }, at);
  },
  *portworxVolume({ volumeID }, at) {
    yield* required({ volumeID }, at);
  },
  *quobyte({ registry = '', tenant = '', volume }, at) {
    if (registry === '') yield at('registry').required(pairs);
    else if (Buffer.byteLength(tenant) > tenantMax)
      yield at('tenant').required('must be a UUID and may not exceed a length of 64 characters');
    else for (const pair of registry.split(',')) if (!isHostPort(pair)) yield at('registry').invalid(registry, pairs);
    yield* required({ volume }, at);
  },
  *rbd({ monitors = [], image }, at) {
    if (monitors.length === 0) yield at('monitors').required();
    yield* required({ image }, at);
  },
  *scaleIO({ gateway, system, volumeName }, at) {
    yield* required({ gateway, system, volumeName }, at);
  },
  *storageos({ volumeName = '', volumeNamespace = '', secretRef }, at) {
    if (volumeName === '') yield at('volumeName').required();
    else yield* dnsLabel(volumeName, at('volumeName'));
    if (volumeNamespace !== '') yield* dnsLabel(volumeNamespace, at('volumeNamespace'));
    if (secretRef !== undefined) yield* required({ name: secretRef.name }, at('secretRef'));
  },
  *vsphereVolume({ volumePath }, at) {
    yield* required({ volumePath }, at);
  },
};

export function isSharedSource(name: string): name is SharedSource {
  return Object.hasOwn(rules, name);
}

export function sharedSourceIssues(name: SharedSource, source: object, at: FieldPath): Iterable<Issue> {
  return (rules[name] as (source: object, at: FieldPath) => Iterable<Issue>)(source, at);
}

export function* required(fields: Readonly<Record<string, string | undefined>>, at: FieldPath): Iterable<Issue> {
  for (const [name, value = ''] of Object.entries(fields)) if (value === '') yield at(name).required();
}

function* partitionIssues(partition = 0, at: FieldPath): Iterable<Issue> {
  // As upstream, which takes 0 for none and leaves it out of what it says.
  if (partition < 0 || partition > 255)
    yield at('partition').invalid(partition, 'must be between 1 and 255, inclusive');
}

export function* unitIssues(lun: number, at: FieldPath): Iterable<Issue> {
  if (lun < 0 || lun > 255) yield at('lun').invalid(lun, 'must be between 0 and 255, inclusive');
}

function isHostPort(text: string): boolean {
  return /^(?:\[[^[\]]*\]|[^[\]:]*):[^[\]:]*$/.test(text);
}

export interface Secret {
  readonly name?: string | undefined;
  readonly namespace?: string | undefined;
}

/** A secret that a driver is given has both names, and both are good ones. */
export function* driverSecretIssues({ name = '', namespace = '' }: Secret, at: FieldPath): Iterable<Issue> {
  if (name === '') yield at('name').required();
  else yield* dnsSubdomain(name, at('name'));
  if (namespace === '') yield at('namespace').required();
  else yield* dnsLabel(namespace, at('namespace'));
}
