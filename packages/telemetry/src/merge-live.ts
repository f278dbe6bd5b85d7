import { createHash } from 'node:crypto';
import { equal, type KubeObject, type New } from '@signalbox/cluster';
import { isSatisfied } from './satisfied.ts';

/** Which object was wanted last: tells a field that is no longer wanted from one that the server filled in. */
export const hashAnnotation = 'signalbox.dev/input-hash';

type Loose = Readonly<Record<string, unknown>> & New<KubeObject>;

/** The wanted object with the hash of what it says, for kinds whose fields the server adds to. */
export function hashed(wanted: New<KubeObject>): New<KubeObject> {
  if (!('spec' in wanted)) return wanted;
  const { ownerReferences: _owners, ...metadata } = wanted.metadata;
  const hash = createHash('sha256')
    .update(JSON.stringify({ ...wanted, metadata }))
    .digest('hex')
    .slice(0, 16);
  return {
    ...wanted,
    metadata: { ...wanted.metadata, annotations: { ...wanted.metadata.annotations, [hashAnnotation]: hash } },
  };
}

export interface MergeOptions {
  /** Prefixes of labels and annotations that only we set: old ones go. All others stay. */
  readonly ownedPrefixes: readonly string[];
}

/**
 * The live object as it should be, or undefined when it is so already. Ours are the labels, annotations and owner that
 * we name and everything outside metadata; others' labels, annotations, owners and finalizers stay.
 */
export function mergedLive(live: KubeObject, wanted: New<KubeObject>, options: MergeOptions): KubeObject | undefined {
  const metadata = {
    ...live.metadata,
    ...mergedMaps(live.metadata, wanted.metadata, options),
    ...owners(live, wanted),
  };
  const content = contentOf(live as unknown as Loose, wanted as Loose);
  const { apiVersion, kind } = live;
  const isSame = equal(metadata, live.metadata) && isUnchanged(content, live as unknown as Loose);
  if (isSame) return undefined;
  const { status } = live as unknown as { readonly status?: unknown };
  return { apiVersion, kind, metadata, ...content, ...(status !== undefined && { status }) } as KubeObject;
}

/** Changes that the API refuses to existing workloads: only a new object can have them. */
export function needsReplacement(live: KubeObject, wanted: New<KubeObject>): boolean {
  const before = specOf(live as unknown as Loose);
  const after = specOf(wanted as Loose);
  switch (wanted.kind) {
    case 'StatefulSet':
      return (
        ['serviceName', 'podManagementPolicy', 'volumeClaimTemplates'].some(
          (field) =>
            !isSatisfied(after[field] ?? [], before[field] ?? []) || sizeOf(after[field]) !== sizeOf(before[field]),
        ) || hasNewSelector(live, wanted)
      );
    case 'DaemonSet':
    case 'Deployment':
      return hasNewSelector(live, wanted);
    default:
      return false;
  }
}

/** Pods of the old selector are out of the new workload's reach: they must go with the old one. */
export function hasNewSelector(live: KubeObject, wanted: New<KubeObject>): boolean {
  return !equal(specOf(live as unknown as Loose)['selector'], specOf(wanted as Loose)['selector']);
}

function mergedMaps(
  live: KubeObject['metadata'],
  wanted: New<KubeObject>['metadata'],
  { ownedPrefixes }: MergeOptions,
): Pick<New<KubeObject>['metadata'], 'annotations' | 'labels'> {
  const merged = (before: Readonly<Record<string, string>> = {}, after: Readonly<Record<string, string>> = {}) => {
    const others = Object.entries(before).filter(([key]) => !ownedPrefixes.some((prefix) => key.startsWith(prefix)));
    return { ...Object.fromEntries(others), ...after };
  };
  const labels = merged(live.labels, wanted.labels);
  const annotations = merged(live.annotations, wanted.annotations);
  return {
    ...(Object.keys(labels).length > 0 && { labels }),
    ...(Object.keys(annotations).length > 0 && { annotations }),
  };
}

function owners(live: KubeObject, wanted: New<KubeObject>): Pick<New<KubeObject>['metadata'], 'ownerReferences'> {
  const ours = wanted.metadata.ownerReferences ?? [];
  const there = live.metadata.ownerReferences ?? [];
  // In the order in which they came: roots that share an object would go on swapping places.
  const all = [
    ...there.map((owner) => ours.find(({ uid }) => uid === owner.uid) ?? owner),
    ...ours.filter(({ uid }) => !there.some((owner) => owner.uid === uid)),
  ];
  return all.length > 0 ? { ownerReferences: all } : {};
}

function contentOf(live: Loose, wanted: Loose): Readonly<Record<string, unknown>> {
  const { apiVersion: _version, kind: _kind, metadata: _metadata, status: _status, ...content } = wanted;
  if (wanted.kind === 'Service') return { ...content, spec: withAddresses(specOf(live), specOf(wanted)) };
  return 'template' in specOf(wanted) ? { ...content, spec: withRestarts(specOf(live), specOf(wanted)) } : content;
}

type Spec = Readonly<Record<string, unknown>>;

/** The server gave these out, and takes a Service without them for one that wants to change them. */
function withAddresses(live: Spec, wanted: Spec): Spec {
  const given = ['clusterIP', 'clusterIPs', 'ipFamilies', 'ipFamilyPolicy'].filter((field) => field in live);
  return { ...Object.fromEntries(given.map((field) => [field, live[field]])), ...wanted };
}

/** `kubectl rollout restart` writes into the template; taking it back would restart everything a second time. */
function withRestarts(live: Spec, wanted: Spec): Spec {
  const template = wanted['template'] as Template;
  const restarts = Object.entries((live['template'] as Template | undefined)?.metadata?.annotations ?? {}).filter(
    ([key]) => key.startsWith('kubectl.kubernetes.io/'),
  );
  if (restarts.length === 0) return wanted;
  const annotations = { ...Object.fromEntries(restarts), ...template.metadata?.annotations };
  return { ...wanted, template: { ...template, metadata: { ...template.metadata, annotations } } };
}

interface Template {
  readonly metadata?: { readonly annotations?: Readonly<Record<string, string>> };
}

/** Kinds with a spec are compared by what they say; the hash among the annotations finds what they no longer say. */
function isUnchanged(content: Readonly<Record<string, unknown>>, live: Loose): boolean {
  return Object.entries(content).every(([field, value]) =>
    field === 'data' || field === 'binaryData'
      ? equal(value ?? {}, live[field] ?? {})
      : isSatisfied(value, live[field]),
  );
}

function specOf(object: Loose): Spec {
  return (object['spec'] ?? {}) as Spec;
}

function sizeOf(value: unknown): number {
  return Array.isArray(value) ? value.length : 0;
}
