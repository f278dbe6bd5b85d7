import type { Container, Pod } from '../../../api/generated/core-v1.ts';

const demanded: readonly string[] = ['cpu', 'memory'].flatMap((name) => [name, `requests.${name}`, `limits.${name}`]);

/**
 * What the containers of a pod have to say and do not, because a quota limits it: `must specify limits.cpu for: a,b`. A pod
 * that asks for itself as a whole has said enough.
 */
export function missingDemands({ spec }: Pod, isLimited: (name: string) => boolean): string | undefined {
  const wanted = demanded.filter(isLimited).sort();
  if (wanted.length === 0 || asksAsWhole(spec)) return undefined;
  const containers = [...spec.containers, ...(spec.initContainers ?? [])];
  const missing = wanted.flatMap((name) => {
    const silent = containers.filter((container) => !says(container, name)).map((container) => container.name);
    return silent.length === 0 ? [] : [`${name} for: ${[...new Set(silent)].sort().join(',')}`];
  });
  return missing.length === 0 ? undefined : `must specify ${missing.join('; ')}`;
}

function asksAsWhole({ resources }: Pod['spec']): boolean {
  const names = [...Object.keys(resources?.requests ?? {}), ...Object.keys(resources?.limits ?? {})];
  return names.length > 0;
}

function says({ resources }: Container, demand: string): boolean {
  const [first = '', second] = demand.split('.');
  if (second === undefined) return resources?.requests?.[first] !== undefined;
  return resources?.[first === 'limits' ? 'limits' : 'requests']?.[second] !== undefined;
}
