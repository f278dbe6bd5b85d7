import type { Container, LimitRange, Pod } from '../../../api/generated/core-v1.ts';

const annotation = 'kubernetes.io/limit-ranger';

type Amounts = Readonly<Record<string, string>>;

interface Defaults {
  readonly requests: Amounts;
  readonly limits: Amounts;
}

/** A pod whose containers ask for what the limits of their namespace say of those that ask for nothing. */
export function withLimitDefaults(pod: Pod, { spec }: LimitRange): Pod {
  // One may say nothing.
  const { limits = [] } = (spec as Partial<LimitRange['spec']> | undefined) ?? {};
  const ofContainers = limits.filter(({ type }) => type === 'Container');
  const defaults: Defaults = {
    requests: Object.assign({}, ...ofContainers.map(({ defaultRequest }) => defaultRequest)) as Amounts,
    limits: Object.assign({}, ...ofContainers.map((item) => item.default)) as Amounts,
  };
  if (Object.keys({ ...defaults.requests, ...defaults.limits }).length === 0 || !hasContainers(pod)) return pod;
  const notes: string[] = [];
  const complete = (what: string) => (container: Container) => completed(container, { defaults, what, notes });
  const containers = pod.spec.containers.map(complete('container'));
  const initContainers = pod.spec.initContainers?.map(complete('init container'));
  if (notes.length === 0) return pod;
  const annotations = { ...pod.metadata.annotations, [annotation]: `LimitRanger plugin set: ${notes.join('; ')}` };
  return {
    ...pod,
    metadata: { ...pod.metadata, annotations },
    spec: { ...pod.spec, containers, ...(initContainers && { initContainers }) },
  };
}

/** It is not yet found valid. */
function hasContainers({ spec }: Pod): boolean {
  return Array.isArray((spec as Partial<Pod['spec']> | undefined)?.containers);
}

interface Completing {
  readonly defaults: Defaults;
  readonly what: string;
  readonly notes: string[];
}

function completed(container: Container, { defaults, what, notes }: Completing): Container {
  const { requests = {}, limits = {} } = container.resources ?? {};
  const missing = (given: Amounts, all: Amounts): Amounts =>
    Object.fromEntries(Object.entries(all).filter(([name]) => given[name] === undefined));
  const added = { requests: missing(requests, defaults.requests), limits: missing(limits, defaults.limits) };
  const names = { request: Object.keys(added.requests).sort(), limit: Object.keys(added.limits).sort() };
  for (const [kind, list] of Object.entries(names))
    if (list.length > 0) notes.push(`${list.join(', ')} ${kind} for ${what} ${container.name}`);
  if (names.request.length + names.limit.length === 0) return container;
  return {
    ...container,
    resources: {
      ...container.resources,
      limits: { ...limits, ...added.limits },
      requests: { ...requests, ...added.requests },
    },
  };
}
