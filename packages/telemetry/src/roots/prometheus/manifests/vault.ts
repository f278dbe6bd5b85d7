import { configmaps, secrets } from '@signalbox/cluster';
import type { SourceVault } from '../../../scrape/jobs.ts';
import type { Reference } from '../../../world/findings.ts';
import { byReferenceId, type KeyReference, lookup, referenceId } from '../../../world/references.ts';
import type { World } from '../../../world/world.ts';
import { assetPath } from './secrets.ts';

export interface PrometheusVault {
  readonly vault: SourceVault;
  /** Everything that was asked for so far, sorted. */
  references(): readonly Reference[];
}

/** Answers from the world, and remembers what was asked: a configuration refers to exactly what its rendering looked up. */
export function createPrometheusVault(world: World): PrometheusVault {
  const asked = new Map<string, KeyReference>();
  const note = (reference: KeyReference): KeyReference => {
    asked.set(referenceId(reference), reference);
    return reference;
  };
  return {
    vault: {
      lookup: (reference) => lookup(world, note(reference)),
      pathOf: assetPath,
      sourceOf: (reference) => {
        const { kind, namespace, name } = note(reference);
        const key = `${namespace}/${name}`;
        return kind === 'Secret' ? world.get(secrets, key) : world.get(configmaps, key);
      },
    },
    references: () =>
      [...asked.values()].sort(byReferenceId).map((reference) => {
        const { kind, namespace, name, key } = reference;
        return { kind, namespace, name, key, state: lookup(world, reference).state };
      }),
  };
}
