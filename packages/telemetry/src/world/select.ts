import {
  type Key,
  type KubeObject,
  type LabelSelector,
  type Labels,
  namespaces,
  type ResourceType,
} from '@signalbox/cluster';
import { type LabelReason, labelMisses, labelReason } from './labels.ts';

/**
 * How one resource picks others, the same at every level of both operators:
 * no label selector picks nothing, an empty one everything; no namespace selector means the namespace of the resource
 * that selects, an empty one every namespace, any other is matched against the labels of the Namespace objects.
 */
export interface Selection {
  readonly labels: LabelSelector | undefined;
  readonly namespaces: LabelSelector | undefined;
  /** The namespace of the resource that selects. */
  readonly home: string;
}

/** Whether an object is picked, or the first reason why not. */
export type Verdict = { readonly selected: true } | { readonly selected: false; readonly reason: string };

/** One thing that keeps an object from being picked, and which of the two selectors says so. */
export interface Miss {
  readonly of: 'labels' | 'namespaces' | 'not set';
  readonly reason: string;
}

/** A selection ready for many objects. */
export interface CompiledSelection {
  (object: KubeObject): Verdict;
  /** Everything that keeps the object from being picked, not only the first; empty: it is picked. */
  misses(object: KubeObject): readonly Miss[];
  /** It can pick nothing at all. */
  readonly nothing: boolean;
}

type Get = <T extends KubeObject>(type: ResourceType<T>, key: Key) => T | undefined;

/** `get` finds Namespaces. Throws a `SelectorError` when a selector is no valid one. */
export function compileSelection(selection: Selection, get: Get): CompiledSelection {
  const labels = selection.labels && labelReason(selection.labels);
  const place = placeMatcher(selection, get);
  const verdictOf = (object: KubeObject): Verdict => {
    if (labels === undefined) return { selected: false, reason: notSet };
    const reason = place(object.metadata.namespace ?? '') ?? labels(object.metadata.labels ?? {});
    return reason === undefined ? selected : { selected: false, reason };
  };
  const misses = ({ metadata }: KubeObject): readonly Miss[] => {
    if (selection.labels === undefined) return [{ of: 'not set', reason: notSet }];
    const elsewhere = place(metadata.namespace ?? '');
    return [
      ...(elsewhere === undefined ? [] : [{ of: 'namespaces', reason: elsewhere } as const]),
      ...labelMisses(selection.labels)(metadata.labels ?? {}).map((reason) => ({ of: 'labels', reason }) as const),
    ];
  };
  return Object.assign(verdictOf, { nothing: labels === undefined, misses });
}

const notSet = 'the selector is not set, so it selects nothing';

const selected: Verdict = Object.freeze({ selected: true });

/**
 * The labels of a namespace. The one that the API server always sets is there even when the Namespace object is not, so
 * that a folder of manifests needs no Namespaces.
 */
export function namespaceLabels(name: string, get: Get): Labels {
  return { 'kubernetes.io/metadata.name': name, ...get(namespaces, name)?.metadata.labels };
}

function placeMatcher(selection: Selection, get: Get): (namespace: string) => string | undefined {
  if (selection.namespaces === undefined) {
    return (namespace) =>
      namespace === selection.home
        ? undefined
        : `it is in namespace "${namespace}", and without a namespace selector only "${selection.home}" is searched`;
  }
  const matches = labelReason(selection.namespaces);
  // Thousands of objects share a few namespaces.
  const reasons = new Map<string, string | undefined>();
  return (namespace) => {
    if (!reasons.has(namespace)) reasons.set(namespace, namespaceReason(namespace, matches, get));
    return reasons.get(namespace);
  };
}

function namespaceReason(namespace: string, matches: LabelReason, get: Get): string | undefined {
  const reason = matches(namespaceLabels(namespace, get));
  return reason === undefined ? undefined : `namespace "${namespace}": ${reason}`;
}
