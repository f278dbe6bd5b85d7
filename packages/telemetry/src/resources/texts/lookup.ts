import { descriptionOf } from '@signalbox/cluster';
import { everyKindTexts } from './every-kind.ts';
import { grafanaAgentTexts } from './grafana-agent.ts';
import { logTexts } from './logs.ts';
import { monitorTexts } from './monitors.ts';
import { prometheusTexts } from './prometheus.ts';
import { prometheusServerTexts } from './prometheus-server.ts';
import { remoteWriteTexts } from './remote-write.ts';
import { requestTexts } from './requests.ts';
import { ruleTexts } from './rules.ts';
import { scrapeConfigTexts } from './scrape-config.ts';
import type { Texts } from './texts.ts';
import { workloadTexts } from './workloads.ts';

export const allTexts: readonly Texts[] = [
  everyKindTexts,
  requestTexts,
  monitorTexts,
  scrapeConfigTexts,
  logTexts,
  remoteWriteTexts,
  grafanaAgentTexts,
  prometheusTexts,
  prometheusServerTexts,
  workloadTexts,
  ruleTexts,
];

/** Fields that hold what a pod or a claim has, with all that is in them. */
const podParts: ReadonlySet<string> = new Set([
  'affinity',
  'containers',
  'dnsConfig',
  'emptyDir',
  'ephemeral',
  'hostAliases',
  'imagePullSecrets',
  'initContainers',
  'resources',
  'securityContext',
  'tolerations',
  'topologySpreadConstraints',
  'volumeClaimTemplate',
  'volumeMounts',
  'volumes',
]);

/** Whether a field of this name holds what a pod or a claim has. */
export function isPodPart(field: string): boolean {
  return podParts.has(field);
}

/** Built-in definitions that have texts, by the fields that hold them in pods. */
const builtins: Readonly<Record<string, string>> = {
  containers: 'core.v1.Container',
  env: 'core.v1.EnvVar',
  initContainers: 'core.v1.Container',
  metadata: 'meta.v1.ObjectMeta',
  ports: 'core.v1.ContainerPort',
  resources: 'core.v1.ResourceRequirements',
  tolerations: 'core.v1.Toleration',
  volumeMounts: 'core.v1.VolumeMount',
};

/** What stands in one object of a schema. */
export interface Teller {
  /** From the kind to the object. */
  readonly path: readonly string[];
  /** Whether it is a part of pods or claims, which Kubernetes has texts of. */
  readonly isOfPods: boolean;
  /** The texts that are for it, the nearest first. */
  readonly groups: readonly Group[];
}

interface Group {
  readonly key: string;
  readonly fields: Readonly<Record<string, string>>;
}

/** Who tells about the fields of an object; `members` are all of them. */
export function tellerOf(path: readonly string[], members: readonly string[]): Teller {
  const isOfPods = path.some(isPodPart);
  book ??= bookOf(allTexts);
  const near = (book.byEnd.get(path.at(-1) ?? '') ?? []).filter(({ end }) => endsWith(path, end));
  const shape = book.byKey.get(`{${[...members].sort().join(' ')}}`) ?? [];
  return { path, isOfPods, groups: [...near, ...shape, ...(isOfPods ? [] : (book.byKey.get('*') ?? []))] };
}

/** What a field means. Of pods: what Kubernetes says. Undefined: nobody has described it. */
export function textOf(field: string, { path, isOfPods, groups }: Teller): string | undefined {
  const own = groupWith(field, groups)?.fields[field];
  if (own !== undefined || !isOfPods) return own;
  const builtin = builtins[path.at(-1) ?? ''];
  const told = builtin === undefined ? undefined : descriptionOf(builtin, field);
  return told ?? (path.includes('volumeClaimTemplate') ? 'As in a PersistentVolumeClaim.' : 'As in a pod.');
}

/** Where the text of a field stands. */
export function groupWith(field: string, groups: readonly Group[]): Group | undefined {
  return groups.find(({ fields }) => Object.hasOwn(fields, field));
}

function endsWith(path: readonly string[], end: readonly string[]): boolean {
  const from = path.length - end.length;
  return from >= 0 && end.every((field, index) => path[from + index] === field);
}

interface Book {
  /** By the last field of an end of paths, the longest end first. */
  readonly byEnd: ReadonlyMap<string, readonly (Group & { readonly end: readonly string[] })[]>;
  readonly byKey: ReadonlyMap<string, readonly Group[]>;
}

let book: Book | undefined;

function bookOf(all: readonly Texts[]): Book {
  const groups = all.flatMap((texts) =>
    Object.entries(texts).flatMap(([keys, fields]) =>
      keys.split(', ').map((key) => ({ key, fields, end: key.split('.') })),
    ),
  );
  const longestFirst = [...groups].sort((a, b) => b.end.length - a.end.length);
  return {
    byEnd: groupedBy(longestFirst, ({ end }) => end.at(-1) ?? ''),
    byKey: groupedBy(groups, ({ key }) => key),
  };
}

function groupedBy<T>(all: readonly T[], keyOf: (one: T) => string): ReadonlyMap<string, readonly T[]> {
  const grouped = new Map<string, T[]>();
  for (const one of all) {
    const key = keyOf(one);
    const group = grouped.get(key);
    if (group === undefined) grouped.set(key, [one]);
    else group.push(one);
  }
  return grouped;
}
