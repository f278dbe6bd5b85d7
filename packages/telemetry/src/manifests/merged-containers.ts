import { applyStrategicPatch, type Container, schemaOf } from '@signalbox/cluster';
import { given } from '../scrape/given.ts';

export interface Containers {
  readonly containers: readonly Container[];
  readonly initContainers: readonly Container[];
}

type Patches = { readonly [List in keyof Containers]?: Containers[List] | undefined };

/**
 * The user's containers change ours of the same name, and come after ours otherwise. The order is that of both upstream
 * operators: another one would restart the pods of an installation that is taken over.
 */
export function mergedContainers(own: Containers, patches: Patches): Containers {
  const patch = given({ containers: patches.containers, initContainers: patches.initContainers });
  if (Object.keys(patch).length === 0) return own;
  const schema = schemaOf('io.k8s.api.core.v1.PodSpec');
  const merged = applyStrategicPatch({ ...own }, patch, schema) as unknown as Containers;
  const { containers = [], initContainers = [] } = patches;
  return {
    containers: inOrder(merged.containers, { own: own.containers, patch: containers }),
    initContainers: inOrder(merged.initContainers, { own: own.initContainers, patch: initContainers }),
  };
}

function inOrder(
  merged: readonly Container[],
  { own, patch }: { readonly own: readonly Container[]; readonly patch: readonly Container[] },
): readonly Container[] {
  const names = [...new Set([...own, ...patch].map(({ name }) => name))];
  return names.flatMap((name) => {
    const found = merged.find((each) => each.name === name);
    return found === undefined
      ? []
      : [
          withOneHandler(
            found,
            patch.find((each) => each.name === name),
          ),
        ];
  });
}

const probes = ['livenessProbe', 'readinessProbe', 'startupProbe'] as const;
const handlers = ['exec', 'grpc', 'httpGet', 'tcpSocket'] as const;

/** A probe asks in one way: the user's, where there are two. */
function withOneHandler(merged: Container, patch: Container | undefined): Container {
  const changed = probes.flatMap((probe) => {
    const wanted = handlers.filter((handler) => patch?.[probe]?.[handler] !== undefined);
    if (wanted.length === 0) return [];
    const kept = Object.entries(merged[probe] ?? {}).filter(
      ([field]) => !handlers.some((handler) => handler === field) || wanted.some((handler) => handler === field),
    );
    return [[probe, Object.fromEntries(kept)] as const];
  });
  return { ...merged, ...Object.fromEntries(changed) };
}
