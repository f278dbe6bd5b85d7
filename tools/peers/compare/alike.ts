/** Objects of different clusters with everything replaced that chance or the time has decided, so that the rest can be compared. Pure. */
import type { JsonObject, KubeObject } from '@signalbox/cluster';

/** The same objects, by a name that they share with their likes: several pods of one ReplicaSet have one. All count for what was chosen. */
export function alike(
  objects: readonly KubeObject[],
  { only }: { readonly only: (object: KubeObject) => boolean },
): readonly Alike[] {
  const words = wordsOf(objects);
  return objects.filter(only).map((object) => {
    const plain = plainOf(oftenWritten(object), words) as JsonObject & { readonly metadata: Named };
    const { namespace, name } = plain.metadata;
    const at = namespace === undefined ? name : `${namespace}/${name}`;
    return { called: `${object.kind} ${at}`, object: plain };
  });
}

/** Which kinds of events there were, about which kinds of objects: how often is a matter of chance. */
export function told(objects: readonly KubeObject[]): readonly Alike[] {
  const events = (objects as readonly Partial<Told>[]).flatMap(({ type, reason, involvedObject, ...event }) => {
    if (involvedObject === undefined) return [];
    const component = event.source?.component ?? event.reportingComponent;
    return [`Event ${type} ${reason} of ${involvedObject.kind} by ${component}`];
  });
  return [...new Set(events)].map((called) => ({ called, object: {} }));
}

interface Told {
  readonly type: string;
  readonly reason: string;
  readonly involvedObject: { readonly kind: string };
  readonly source: { readonly component?: string };
  readonly reportingComponent: string;
}

export interface Alike {
  /** `Pod shop/checkout-<hash>-<any>` */
  readonly called: string;
  readonly object: JsonObject;
}

interface Named {
  readonly name: string;
  readonly namespace?: string;
}

/** How often slices were written hangs on how many changes were seen at once. */
function oftenWritten(object: KubeObject): KubeObject {
  if (object.kind !== 'EndpointSlice') return object;
  const { generation: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}

/** What is the same about chosen words in whatever text they stand. */
type Words = (text: string) => string;

const hashLabels = ['pod-template-hash', 'controller-revision-hash', 'controller.kubernetes.io/hash'];

/** Words that a cluster has chosen: ids, hashes, ends of names, addresses. */
function wordsOf(objects: readonly KubeObject[]): Words {
  const words = new Map<string, string>();
  for (const { metadata, spec, status } of objects as readonly Chosen[]) {
    words.set(metadata.uid ?? '', '<uid>');
    for (const label of hashLabels) {
      // That of a StatefulSet is the name of a revision.
      const hash = metadata.labels?.[label]?.split('-').at(-1);
      if (hash !== undefined) words.set(hash, '<hash>');
    }
    const { name, generateName } = metadata;
    const isChosen = generateName !== undefined && /^[a-z0-9]{5}$/.test(name.slice(generateName.length));
    if (isChosen && name.startsWith(generateName)) words.set(name.slice(generateName.length), '<any>');
    for (const ip of [spec?.clusterIP, status?.podIP])
      if (ip !== undefined && /^[\d.]+$/.test(ip)) words.set(ip, '<ip>');
    for (const { address } of status?.addresses ?? []) words.set(address, '<node>');
  }
  words.delete('');
  const longestFirst = [...words.keys()].sort((a, b) => b.length - a.length);
  if (longestFirst.length === 0) return (text) => text;
  const pattern = new RegExp(
    longestFirst.map((word) => `(?<![\\w])${word.replaceAll('.', '\\.')}(?![\\w])`).join('|'),
    'g',
  );
  return (text) => text.replace(pattern, (word) => words.get(word) ?? word);
}

interface Chosen {
  readonly metadata: KubeObject['metadata'];
  readonly spec?: { readonly clusterIP?: string };
  readonly status?: {
    readonly podIP?: string;
    /** A node's. */
    readonly addresses?: readonly { readonly address: string }[];
  };
}

const patterns: readonly (readonly [RegExp, string])[] = [
  [/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, '<time>'],
  [/-----BEGIN CERTIFICATE-----[\s\S]+-----END CERTIFICATE-----\n?/g, '<certificate>'],
  [/\bkube-api-access-[a-z0-9]{5}\b/g, 'kube-api-access-<any>'],
  [/\bsimulated:\/\/[0-9a-f]{64}\b/g, 'simulated://<id>'],
  // Of objects that are not among those that are compared.
  [/\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, '<uid>'],
];

const passing: ReadonlySet<string> = new Set([
  'resourceVersion',
  // Who wrote which field, in which order.
  'managedFields',
  // Hangs on which changes are seen together.
  'endpoints.kubernetes.io/last-change-trigger-time',
]);
/** Lists whose order says nothing. */
const unordered: ReadonlySet<string> = new Set(['endpoints', 'addresses', 'hostIPs', 'podIPs']);

/** Annotations of which none but passing ones are there, or none at all. */
function saysNothing(name: string, field: unknown): boolean {
  if (name !== 'annotations' || typeof field !== 'object' || field === null) return false;
  return Object.keys(field).every((each) => passing.has(each));
}

function plainOf(value: unknown, words: Words, key = ''): unknown {
  if (typeof value === 'string')
    return patterns.reduce((text, [pattern, word]) => text.replace(pattern, word), words(value));
  if (Array.isArray(value)) {
    const items = value.map((item) => plainOf(item, words, key));
    return unordered.has(key) ? items.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)) : items;
  }
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).filter(([name, field]) => !passing.has(name) && !saysNothing(name, field));
  return Object.fromEntries(fields.map(([name, field]) => [words(name), plainOf(field, words, name)]));
}
