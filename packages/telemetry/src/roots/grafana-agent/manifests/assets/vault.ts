import { configmaps, type Secret, secrets } from '@signalbox/cluster';
import type { SourceVault } from '../../../../scrape/jobs.ts';
import type { Reference } from '../../../../world/findings.ts';
import { type KeyReference, lookup, referenceId } from '../../../../world/references.ts';
import { compare, type World } from '../../../../world/world.ts';
import { assetKeys } from './keys.ts';

/** Where the agents find the assets Secret. */
export const secretsFolder = '/var/lib/grafana-agent/secrets';

export interface Assets {
  readonly vault: SourceVault;
  /** The content of the assets Secret, base64, sorted by key. */
  readonly content: NonNullable<Secret['data']>;
  readonly references: readonly Reference[];
  /** The assets Secret's key of a reference. */
  keyOf(reference: KeyReference): string;
}

/** Looks up everything that a hierarchy refers to. What is missing is left out of the content and marked. */
export function collectAssets(wanted: readonly KeyReference[], world: World): Assets {
  const keys = assetKeys(wanted);
  const keyOf = (reference: KeyReference): string => keys.get(referenceId(reference)) ?? referenceId(reference);
  const content: [string, string][] = [];
  const references = wanted.map((reference): Reference => {
    const found = lookup(world, reference);
    if (found.state === 'found') content.push([keyOf(reference), Buffer.from(found.bytes).toString('base64')]);
    const { kind, namespace, name, key } = reference;
    return { kind, namespace, name, key, state: found.state };
  });
  return {
    vault: {
      lookup: (reference) => lookup(world, reference),
      pathOf: (reference) => `${secretsFolder}/${keyOf(reference)}`,
      sourceOf: ({ kind, namespace, name }) =>
        kind === 'Secret' ? world.get(secrets, `${namespace}/${name}`) : world.get(configmaps, `${namespace}/${name}`),
    },
    content: Object.fromEntries(content.sort(([a], [b]) => compare(a, b))),
    references,
    keyOf,
  };
}
