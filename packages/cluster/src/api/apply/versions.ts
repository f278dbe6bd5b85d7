import type { KubeObject } from '../meta.ts';
import { type Comparison, compare } from './compare.ts';
import type { Shape } from './shape.ts';

/** How objects of one resource look in its other versions. */
export interface Versions {
  /** The version that a request speaks. */
  readonly apiVersion: string;
  /** Undefined: there is no such version any more, or it cannot be told how objects look in it. */
  shapeOf(apiVersion: string): Shape | undefined;
  convert(object: KubeObject, apiVersion: string): KubeObject;
}

/** What a change is in each version that somebody's fields are named in; undefined where there is no such version. */
export type Change = (apiVersion: string) => Comparison | undefined;

export function changeOf(before: KubeObject, after: KubeObject, versions: Versions): Change {
  // Nearly always the request's own version is all that is asked for.
  let own: Comparison | undefined;
  let others: Map<string, Comparison | undefined> | undefined;
  return (apiVersion) => {
    if (apiVersion === versions.apiVersion) {
      own ??= compareAt(before, after, { apiVersion, versions });
      return own;
    }
    others ??= new Map();
    if (!others.has(apiVersion)) others.set(apiVersion, compareAt(before, after, { apiVersion, versions }));
    return others.get(apiVersion);
  };
}

function compareAt(
  before: KubeObject,
  after: KubeObject,
  { apiVersion, versions }: { readonly apiVersion: string; readonly versions: Versions },
): Comparison | undefined {
  const shape = versions.shapeOf(apiVersion);
  if (shape === undefined) return undefined;
  if (apiVersion === versions.apiVersion) return compare(before, after, shape);
  return compare(versions.convert(before, apiVersion), versions.convert(after, apiVersion), shape);
}
