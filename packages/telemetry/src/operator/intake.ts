import type { KubeObject } from '@signalbox/cluster';
import { bareDefinitions } from '../resources/bare-crds.ts';
import { type CustomKind, kindsOf, type TakenIn, takeInAs } from './taking-in.ts';

/**
 * Does to manifests what an API server does before it stores them: checks them against their definitions, fills in the
 * defaults, drops unknown fields, puts them into the namespace `default` where they name none. So a folder renders to
 * what the running operator would make of it. Kinds that no hierarchy reads pass unchecked.
 */
export function takeIn(manifests: Iterable<KubeObject>): TakenIn {
  return takeInAs(manifests, (kind) => customKinds().get(kind));
}

/** Made on first use: most programs that render at all render more than once. */
function customKinds(): ReadonlyMap<string, CustomKind> {
  known ??= new Map(bareDefinitions().flatMap((definition) => [...kindsOf(definition)]));
  return known;
}

let known: ReadonlyMap<string, CustomKind> | undefined;
