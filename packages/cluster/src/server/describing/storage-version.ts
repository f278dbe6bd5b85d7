import { createHash } from 'node:crypto';
import type { Served } from '../context/registry.ts';

/**
 * Stands for the kind and version in which objects are kept: whoever moves them compares it with the one before. Undefined of
 * what is not kept. Eight bytes as upstream makes them, so that clients find the ones that they know.
 */
export function storageVersionHash({ definition, traits }: Pick<Served, 'definition' | 'traits'>): string | undefined {
  if (!traits.verbs.includes('get') || !traits.verbs.includes('create')) return undefined;
  const { group, version } = definition.storedAs?.resource ?? definition;
  const named = `${group}/${definition.storageVersion ?? version}/${definition.kind}`;
  return createHash('sha256').update(named).digest().subarray(0, 8).toString('base64');
}
