/** Objects of different clusters with everything replaced that chance or the time has decided, so that the rest can be compared. Pure. */
import type { JsonObject, KubeObject } from '@signalbox/cluster';

/** The same objects, by a name that they share with their likes: several pods of one ReplicaSet have one. */
export function alike(objects: readonly KubeObject[]): readonly Alike[] {
  const words = wordsOf(objects);
  return objects.map((object) => {
    const plain = plainOf(object, words) as JsonObject & { readonly metadata: Named };
    const { namespace, name } = plain.metadata;
    const at = namespace === undefined ? name : `${namespace}/${name}`;
    return { called: `${object.kind} ${at}`, object: plain };
  });
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
    const { name = '', generateName } = metadata;
    const isChosen = generateName !== undefined && /^[a-z0-9]{5}$/.test(name.slice(generateName.length));
    if (isChosen && name.startsWith(generateName)) words.set(name.slice(generateName.length), '<any>');
    for (const ip of [spec?.clusterIP, status?.podIP])
      if (ip !== undefined && /^[\d.]+$/.test(ip)) words.set(ip, '<ip>');
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
  readonly status?: { readonly podIP?: string };
}

const times = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g;
const certificates = /-----BEGIN CERTIFICATE-----[\s\S]+-----END CERTIFICATE-----\n?/g;
/** Versions of an object, and who wrote which field of it in which order. */
const counted: ReadonlySet<string> = new Set(['resourceVersion', 'managedFields']);
/** Which of several equal places a scheduler takes. */
const placed: ReadonlySet<string> = new Set(['nodeName', 'hostIP']);
/** Lists whose order says nothing. */
const unordered: ReadonlySet<string> = new Set(['endpoints', 'addresses', 'hostIPs', 'podIPs']);

function plainOf(value: unknown, words: Words, key = ''): unknown {
  if (typeof value === 'string')
    return placed.has(key) ? `<${key}>` : words(value).replace(times, '<time>').replace(certificates, '<certificate>');
  if (Array.isArray(value)) {
    const items = value.map((item) => plainOf(item, words, key));
    return unordered.has(key) ? items.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)) : items;
  }
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).filter(([name]) => !counted.has(name));
  return Object.fromEntries(fields.map(([name, field]) => [words(name), plainOf(field, words, name)]));
}
