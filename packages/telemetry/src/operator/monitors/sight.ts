import {
  type Cache,
  type Caches,
  compileSelector,
  type EndpointSlice,
  endpointslices,
  type Index,
  type KubeObject,
  type LabelSelector,
  type ResourceType,
} from '@signalbox/cluster';
import { serviceNameLabel } from '../../scrape/pod-ports.ts';

/** What monitors go by, found by its labels: nobody looks at everything because of one monitor. */
export interface Sight {
  /** Objects that a selector matches. */
  select<T extends KubeObject>(type: ResourceType<T>, wanted: Wanted): Iterable<T>;
  get<T extends KubeObject>(type: ResourceType<T>, key: string): T | undefined;
  slicesOf(service: KubeObject): readonly EndpointSlice[];
}

export interface Wanted {
  readonly selector: LabelSelector;
  /** Undefined: all. */
  readonly namespaces: readonly string[] | undefined;
}

/** Every resource that is asked for must be synced already. */
export function sightOf(caches: Caches): Sight {
  return {
    *select(type, { selector, namespaces }) {
      const matches = compileSelector(selector);
      const cache = caches.of(type);
      for (const object of candidates(cache, { pair: pairOf(selector), namespaces }))
        if (matches(object.metadata.labels ?? {})) yield object;
    },
    get: (type, key) => caches.of(type).get(key),
    slicesOf: ({ metadata }) => caches.of(endpointslices).by(byService, `${metadata.namespace}/${metadata.name}`),
  };
}

function candidates<T extends KubeObject>(
  cache: Cache<T>,
  { pair, namespaces }: { readonly pair: string | undefined; readonly namespaces: readonly string[] | undefined },
): Iterable<T> {
  if (namespaces === undefined) return pair === undefined ? cache.values() : cache.by(byLabel as Index<T>, pair);
  return namespaces.flatMap((namespace) =>
    pair === undefined
      ? cache.inNamespace(namespace)
      : cache.by(byNamespaceAndLabel as Index<T>, `${namespace} ${pair}`),
  );
}

/** A label that all objects have which the selector matches, as `name=value`; undefined: it demands none that helps. */
export function pairOf({ matchLabels = {}, matchExpressions = [] }: LabelSelector): string | undefined {
  const single = matchExpressions.flatMap(({ key, operator, values = [] }): readonly (readonly [string, string])[] => {
    const [value] = values;
    return operator === 'In' && values.length === 1 && value !== undefined ? [[key, value]] : [];
  });
  const [found] = [...Object.entries(matchLabels), ...single].filter(([name]) => !changing.test(name));
  return found === undefined ? undefined : found.join('=');
}

/** `name=value`, of labels that are worth looking anything up by. */
export function pairsOf({ metadata }: KubeObject): readonly string[] {
  return Object.entries(metadata.labels ?? {}).flatMap(([name, value]) =>
    changing.test(name) ? [] : [`${name}=${value}`],
  );
}

// Every rollout brings new ones, of which an index would be full.
const changing = /^(pod-template-hash|controller-revision-hash|statefulset\.kubernetes\.io\/pod-name)$/;

// Caches build an index when it is first asked for: who looks in no namespaces at all pays for none.
const byNamespaceAndLabel: Index<KubeObject> = {
  name: 'namespace and label',
  valuesOf: (object) => pairsOf(object).map((pair) => `${object.metadata.namespace} ${pair}`),
};

const byLabel: Index<KubeObject> = { name: 'label', valuesOf: pairsOf };

const byService: Index<EndpointSlice> = {
  name: 'service',
  valuesOf({ metadata }) {
    const service = metadata.labels?.[serviceNameLabel];
    return service === undefined ? [] : [`${metadata.namespace}/${service}`];
  },
};
