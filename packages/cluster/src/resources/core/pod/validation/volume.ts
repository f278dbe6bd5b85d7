import type {
  DownwardAPIVolumeFile,
  EphemeralVolumeSource,
  KeyToPath,
  ProjectedVolumeSource,
  ServiceAccountTokenProjection,
  Volume,
  VolumeProjection,
} from '../../../../api/generated/core-v1.ts';
import type { Issue } from '../../../../api/issue.ts';
import { parseQuantity } from '../../../../api/quantity.ts';
import { dnsLabel, dnsSubdomain, isDnsLabel, isDnsSubdomain } from '../../../validation/names.ts';
import { iscsiIssues } from '../../iscsi.ts';
import { isSharedSource, sharedSourceIssues } from '../../volume-sources.ts';
import { apiAccessSource } from '../api-access.ts';
import { fileFields, validateFieldRef, validateResourceFieldRef } from './env.ts';
import { validateDescendingPath, validateNoBacksteps } from './mount.ts';
import { inside, type Place } from './place.ts';

const modeText = 'must be a number between 0 and 0777 (octal), both inclusive';
export const hostPathTypes: readonly string[] = [
  '',
  'BlockDevice',
  'CharDevice',
  'Directory',
  'DirectoryOrCreate',
  'File',
  'FileOrCreate',
  'Socket',
];
const tokenSecondsMin = 600;
const tokenSecondsMax = 2 ** 32;
const pullPolicies: readonly string[] = ['Always', 'IfNotPresent', 'Never'];
const accessModes: readonly string[] = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod'];

/** The names of the volumes go into `names`, which the mounts are checked against. */
export function* validateVolumes(volumes: readonly Volume[], place: Place, names: Set<string>): Iterable<Issue> {
  for (let index = 0; index < volumes.length; index++) {
    const volume = volumes[index] as Partial<Volume>;
    const at = inside(place, index);
    const { name = '' } = volume;
    if (name === '') yield at()('name').required();
    else {
      if (!isDnsLabel(name)) yield* dnsLabel(name, at()('name'));
      if (names.has(name)) yield at()('name').duplicate(name);
      names.add(name);
    }
    yield* validateSource(volume, at);
  }
}

type SourceName = Exclude<keyof Volume, 'name'>;
type SourceChecks = {
  readonly [name in SourceName]?: (source: Partial<NonNullable<Volume[name]>>, at: Place) => Iterable<Issue>;
};

/** In the order in which upstream looks at them: the first of several is the one that counts. */
const sourceOrder: readonly SourceName[] = [
  ...(['emptyDir', 'hostPath', 'gitRepo', 'gcePersistentDisk', 'awsElasticBlockStore', 'secret', 'nfs'] as const),
  ...(['iscsi', 'glusterfs', 'flocker', 'persistentVolumeClaim', 'rbd', 'cinder', 'cephfs', 'quobyte'] as const),
  ...(['downwardAPI', 'fc', 'flexVolume', 'configMap', 'azureFile', 'vsphereVolume', 'photonPersistentDisk'] as const),
  ...(['portworxVolume', 'azureDisk', 'storageos', 'projected', 'scaleIO', 'csi', 'ephemeral', 'image'] as const),
];

/** What upstream calls them there. */
const surplusNames: { readonly [name in SourceName]?: string } = { cephfs: 'cephFS', downwardAPI: 'downwarAPI' };

function* validateSource(volume: Partial<Volume>, at: Place): Iterable<Issue> {
  const [name, ...surplus] = sourcesOf(volume);
  if (name === undefined) {
    yield at().required('must specify a volume type');
    return;
  }
  const check = Object.hasOwn(sourceChecks, name)
    ? (sourceChecks[name] as ((source: unknown, at: Place) => Iterable<Issue>) | undefined)
    : undefined;
  if (check !== undefined) yield* check(volume[name], inside(at, name));
  else if (isSharedSource(name)) yield* sharedSourceIssues(name, volume[name] ?? {}, at()(name));
  else if (name === 'iscsi') yield* iscsiOf(volume, at);
  for (const other of surplus)
    yield at()(surplusNames[other] ?? other).forbidden('may not specify more than 1 volume type');
}

function* iscsiOf({ iscsi, name = '' }: Partial<Volume>, at: Place): Iterable<Issue> {
  const refuseName = (why: string): Issue => at()('name').invalid(name, why);
  yield* iscsiIssues(iscsi ?? {}, { at: at()('iscsi'), name, refuseName, isOwn: false });
}

function sourcesOf(volume: Partial<Volume>): readonly SourceName[] {
  const found: SourceName[] = [];
  for (const key in volume) {
    const name = key as keyof Volume;
    if (name !== 'name' && volume[name] !== undefined) found.push(name);
  }
  return found.length < 2 ? found : found.sort((a, b) => sourceOrder.indexOf(a) - sourceOrder.indexOf(b));
}

/** What pods and PersistentVolumes have in common is judged elsewhere. */
const sourceChecks: SourceChecks = {
  *emptyDir({ sizeLimit }, at) {
    if (sizeLimit !== undefined && (parseQuantity(sizeLimit) ?? -1n) < 0n)
      yield at()('sizeLimit').forbidden('SizeLimit field must be a valid resource quantity');
  },
  *hostPath({ path = '', type }, at) {
    if (path === '') {
      yield at()('path').required();
      return;
    }
    yield* validateNoBacksteps(path, inside(at, 'path'));
    if (type !== undefined && !hostPathTypes.includes(type)) yield at()('type').notSupported(type, hostPathTypes);
  },
  *gitRepo({ repository = '', directory = '' }, at) {
    if (repository === '') yield at()('repository').required();
    yield* validateDescendingPath(directory, inside(at, 'directory'));
  },
  *secret({ secretName = '', defaultMode, items }, at) {
    if (secretName === '') yield at()('secretName').required();
    yield* validateFiles({ defaultMode, items }, at);
  },
  *configMap({ name = '', defaultMode, items }, at) {
    if (name === '') yield at()('name').required();
    yield* validateFiles({ defaultMode, items }, at);
  },
  *persistentVolumeClaim({ claimName = '' }, at) {
    if (claimName === '') yield at()('claimName').required();
    else if (!isDnsSubdomain(claimName)) yield* dnsSubdomain(claimName, at()('claimName'));
  },
  *downwardAPI({ defaultMode, items = [] }, at) {
    yield* validateMode(defaultMode, inside(at, 'defaultMode'));
    for (const [index, file] of items.entries()) yield* validateDownwardFile(file, inside(at, 'items', index));
  },
  projected: validateProjected,
  *csi({ driver = '', nodePublishSecretRef }, at) {
    if (driver === '') yield at()('driver').required();
    else if (!isDnsSubdomain(driver.toLowerCase())) yield* dnsSubdomain(driver, at()('driver'));
    if (nodePublishSecretRef !== undefined && (nodePublishSecretRef.name ?? '') === '')
      yield at()('nodePublishSecretRef', 'name').required();
  },
  ephemeral: validateEphemeral,
  *image({ reference = '', pullPolicy }, at) {
    if (reference === '') yield at()('reference').required();
    if (pullPolicy !== undefined && !pullPolicies.includes(pullPolicy))
      yield at()('pullPolicy').notSupported(pullPolicy, pullPolicies);
  },
};

interface Files {
  readonly defaultMode: number | undefined;
  readonly items: readonly KeyToPath[] | undefined;
}

function* validateFiles({ defaultMode, items }: Files, at: Place): Iterable<Issue> {
  yield* validateMode(defaultMode, inside(at, 'defaultMode'));
  if (items === undefined) return;
  for (const [index, { key = '', path = '', mode }] of items.entries()) {
    const place = inside(at, 'items', index);
    if (key === '') yield place()('key').required();
    yield* validateFilePath(path, inside(place, 'path'));
    yield* validateMode(mode, inside(place, 'mode'));
  }
}

function* validateMode(mode: number | undefined, at: Place): Iterable<Issue> {
  if (mode !== undefined && (mode < 0 || mode > 0o777)) yield at().invalid(mode, modeText);
}

/** Paths of files in volumes go down, and keep clear of the names that the volume itself uses. */
function* validateFilePath(path: string, at: Place): Iterable<Issue> {
  if (path === '') {
    yield at().required();
    return;
  }
  yield* validateDescendingPath(path, at);
  if (path.startsWith('..') && !path.startsWith('../')) yield at().invalid(path, "must not start with '..'");
}

function* validateDownwardFile(file: Partial<DownwardAPIVolumeFile>, at: Place): Iterable<Issue> {
  const { path = '', fieldRef, resourceFieldRef, mode } = file;
  yield* validateFilePath(path, inside(at, 'path'));
  if (fieldRef !== undefined) {
    yield* validateFieldRef(fieldRef, inside(at, 'fieldRef'), { allowed: fileFields });
    if (resourceFieldRef !== undefined)
      yield at().invalid('resource', 'fieldRef and resourceFieldRef can not be specified simultaneously');
  } else if (resourceFieldRef !== undefined)
    yield* validateResourceFieldRef(resourceFieldRef, inside(at, 'resourceFieldRef'), { inVolume: true });
  else yield at().required('one of fieldRef and resourceFieldRef is required');
  yield* validateMode(mode, inside(at, 'mode'));
}

function* validateProjected(source: ProjectedVolumeSource, at: Place): Iterable<Issue> {
  if (source === apiAccessSource) return;
  const { defaultMode, sources = [] } = source;
  yield* validateMode(defaultMode, inside(at, 'defaultMode'));
  const paths = new Set<string>();
  for (const [index, projection] of sources.entries()) {
    const place = inside(at, 'sources', index);
    const { podCertificate: _off, ...projected } = projection;
    yield* validateProjection(projection, { at: place, all: at });
    for (const [path, named] of pathsOf(projection)) {
      if (path !== '' && paths.has(path)) yield at().invalid(named, 'conflicting duplicate paths');
      paths.add(path);
    }
    const count = Object.values(projected).filter((source) => source !== undefined).length;
    if (count > 1) yield place().forbidden('may not specify more than 1 volume type per source');
  }
}

interface ProjectionPlace {
  readonly at: Place;
  /** Of the whole volume, where upstream tells of some mistakes. */
  readonly all: Place;
}

function* validateProjection(projection: VolumeProjection, { at, all }: ProjectionPlace): Iterable<Issue> {
  const { secret, configMap, downwardAPI, serviceAccountToken, clusterTrustBundle } = projection;
  if (secret !== undefined) {
    if ((secret.name ?? '') === '') yield at()('secret', 'name').required();
    yield* validateFiles({ defaultMode: undefined, items: secret.items }, inside(at, 'secret'));
  }
  if (configMap !== undefined) {
    if ((configMap.name ?? '') === '') yield at()('configMap', 'name').required();
    yield* validateFiles({ defaultMode: undefined, items: configMap.items }, inside(at, 'configMap'));
  }
  for (const [index, file] of (downwardAPI?.items ?? []).entries())
    yield* validateDownwardFile(file, inside(at, 'downwardAPI', 'items', index));
  if (serviceAccountToken !== undefined)
    yield* validateToken(serviceAccountToken, { at: inside(at, 'serviceAccountToken'), all });
  if (clusterTrustBundle !== undefined)
    yield* validateFilePath(clusterTrustBundle.path ?? '', inside(at, 'clusterTrustBundle', 'path'));
}

function* validateToken(
  { expirationSeconds = 3600, path = '' }: Partial<ServiceAccountTokenProjection>,
  { at, all }: ProjectionPlace,
): Iterable<Issue> {
  if (expirationSeconds < tokenSecondsMin)
    yield at()('expirationSeconds').invalid(expirationSeconds, 'may not specify a duration less than 10 minutes');
  if (expirationSeconds > tokenSecondsMax)
    yield at()('expirationSeconds').invalid(expirationSeconds, 'may not specify a duration larger than 2^32 seconds');
  yield* validateFilePath(path, inside(all, 'path'));
}

/** With what a refusal names. A token may lie where another one does; pods that ask for that are told. */
function* pathsOf({ secret, configMap, downwardAPI }: VolumeProjection): Iterable<readonly [string, string]> {
  for (const { path = '' } of secret?.items ?? []) yield [path, secret?.name ?? ''];
  for (const { path = '' } of configMap?.items ?? []) yield [path, configMap?.name ?? ''];
  for (const { path = '' } of downwardAPI?.items ?? []) yield [path, path];
}

function* validateEphemeral({ volumeClaimTemplate }: EphemeralVolumeSource, at: Place): Iterable<Issue> {
  if (volumeClaimTemplate === undefined) {
    yield at()('volumeClaimTemplate').required();
    return;
  }
  const place = inside(at, 'volumeClaimTemplate', 'spec');
  const { accessModes: modes = [], resources } = volumeClaimTemplate.spec ?? {};
  if (modes.length === 0) yield place()('accessModes').required('at least 1 access mode is required');
  for (const mode of modes)
    if (!accessModes.includes(mode)) yield place()('accessModes').notSupported(mode, accessModes);
  if (resources?.requests?.['storage'] === undefined) yield place()('resources').key('storage').required();
}
