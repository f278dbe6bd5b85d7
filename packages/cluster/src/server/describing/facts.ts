import type { Served } from '../context/registry.ts';
import type { ResourceFacts } from '../context/served-api.ts';

/** What is to be known of the answers of a resource, or of one of its doors. Undefined where there is no such door. */
export function factsOf(served: Served, subresource: string | undefined): ResourceFacts | undefined {
  const { definition, crd, traits, subresources } = served;
  const facts = { custom: crd !== undefined, hasTables: false, isText: false, isConnection: false };
  if (subresource === undefined) return { ...facts, hasTables: traits.verbs.includes('get') };
  if (definition.connections.includes(subresource)) return { ...facts, isConnection: true };
  const door = subresources.get(subresource);
  return door && { ...facts, hasTables: door.read !== undefined, isText: door.does === 'log' };
}
