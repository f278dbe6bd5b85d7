import { createHash } from 'node:crypto';
import { equal, formatExactJson, type KubeObject, type New } from '@signalbox/cluster';
import { isSatisfied } from './satisfied.ts';

/** Which object was wanted last: tells a field that is no longer wanted from one that the server filled in. */
export const hashAnnotation = 'signalbox.dev/input-hash';

type Loose = Readonly<Record<string, unknown>> & New<KubeObject>;

/** The wanted object with the hash of what it says, for kinds whose fields the server adds to. */
export function hashed(wanted: New<KubeObject>): New<KubeObject> {
  if (!('spec' in wanted)) return wanted;
  const { ownerReferences: _owners, ...metadata } = wanted.metadata;
  const hash = createHash('sha256')
    .update(formatExactJson({ ...wanted, metadata }))
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
  const { labels: _labels, annotations: _annotations, ...others } = live.metadata;
  const metadata = {
    ...others,
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
  switch (wanted.kind) {
    case 'StatefulSet':
      return hasNewSelector(live, wanted) || changesFixedFields(live, wanted);
    case 'DaemonSet':
    case 'Deployment':
      return hasNewSelector(live, wanted);
    default:
      return false;
  }
}

const fixedFields = ['serviceName', 'podManagementPolicy', 'volumeClaimTemplates'] as const;

/**
 * Whether the live object lacks something that is wanted, or holds something that no longer is. The latter only when we
 * want something else than we did: what the live object has beyond our wishes may have been filled in by its server.
 */
function changesFixedFields(live: KubeObject, wanted: New<KubeObject>): boolean {
  const before = specOf(live as unknown as Loose);
  const after = specOf(wanted as Loose);
  const last = live.metadata.annotations?.[hashAnnotation];
  const wishedOtherwise = last !== undefined && last !== wanted.metadata.annotations?.[hashAnnotation];
  return fixedFields.some((field) => {
    if (!isSatisfied(after[field] ?? [], before[field] ?? [])) return true;
    return wishedOtherwise && !isSatisfied(withoutDefaults(before[field] ?? []), after[field] ?? []);
  });
}

/** Claim templates without what every API server adds to them. */
function withoutDefaults(value: unknown): unknown {
  if (!Array.isArray(value)) return value;
  return value.map(({ status: _status, apiVersion: _version, kind: _kind, metadata, spec, ...rest }) => {
    const { creationTimestamp: _time, ...meta } = metadata ?? {};
    const { volumeMode, ...others } = spec ?? {};
    return { ...rest, metadata: meta, spec: volumeMode === 'Filesystem' ? others : { ...others, volumeMode } };
  });
}

/**
 * Whether the pods of the old workload can be the new one's. Those of another selector are out of its reach; those
 * without one of its claims cannot get it, since a pod's volumes never change.
 */
export function canKeepPods(live: KubeObject, wanted: New<KubeObject>): boolean {
  if (hasNewSelector(live, wanted)) return false;
  const claims = new Set(claimNames(live as unknown as Loose));
  return claimNames(wanted as Loose).every((name) => claims.has(name));
}

function claimNames(workload: Loose): readonly string[] {
  const templates = (specOf(workload)['volumeClaimTemplates'] ?? []) as readonly New<KubeObject>[];
  return templates.map(({ metadata }) => metadata.name ?? '');
}

function hasNewSelector(live: KubeObject, wanted: New<KubeObject>): boolean {
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
  if (!('template' in specOf(wanted))) return content;
  const spec = withVersion(specOf(live), withRestarts(specOf(live), specOf(wanted)));
  return { ...content, spec: { ...spec, ...fixed(live, wanted) } };
}

/** As the server holds them, with what it filled in: it takes no update in which they look different. */
function fixed(live: Loose, wanted: Loose): Spec {
  const before = specOf(live);
  return wanted.kind === 'StatefulSet'
    ? Object.fromEntries(fixedFields.filter((field) => field in before).map((field) => [field, before[field]]))
    : {};
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

const versionLabel = 'app.kubernetes.io/version';

/**
 * The label says who made the template. Another operator, or another release of one, is no reason to restart anything; with
 * the next one it comes along.
 */
function withVersion(live: Spec, wanted: Spec): Spec {
  const [before, after] = [live['template'], wanted['template']] as readonly [Template | undefined, Template];
  const version = before?.metadata?.labels?.[versionLabel];
  if (version === undefined || after.metadata?.labels?.[versionLabel] === undefined) return wanted;
  const labels = { ...after.metadata.labels, [versionLabel]: version };
  const kept = { ...after, metadata: { ...after.metadata, labels } };
  return isSatisfied(kept, before) ? { ...wanted, template: kept } : wanted;
}

interface Template {
  readonly metadata?: {
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
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
