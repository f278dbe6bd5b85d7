import type { Served } from '../context/registry.ts';
import type { ResourceFacts } from '../context/served-api.ts';

/** What is to be known of the answers of a resource, or of one of its doors. Undefined where there is no such door. */
export function factsOf(served: Served, subresource: string | undefined): ResourceFacts | undefined {
  const { crd, traits, subresources } = served;
  const custom = crd !== undefined;
  if (subresource === undefined) return { custom, hasTables: traits.verbs.includes('get'), isText: false };
  const door = subresources.get(subresource);
  if (door === undefined) return undefined;
  return { custom, hasTables: door.read !== undefined, isText: door.does === 'log' };
}
