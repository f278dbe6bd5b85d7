import type { KubeObject } from '@signalbox/cluster';
import type { Change } from '../backend.ts';

/** `namespace/name`. */
export type Key = string;
/** Which version of which object: what two observers have to agree on. */
export type State = ReadonlyMap<Key, string>;

/** What clients asked and were told, by the order of asking and of answers: `calledAt` and `endedAt` count up together. */
export interface Recording {
  readonly writes: readonly WriteRecord[];
  readonly lists: readonly ListRecord[];
  readonly watches: readonly WatchRecord[];
  /** What became durable, and the newest revision of each batch. */
  readonly changes: readonly Change[];
  readonly batches: readonly number[];
}

export interface WriteRecord {
  readonly key: Key;
  readonly calledAt: number;
  /** Infinity: nobody was told, and it may have happened or not. */
  readonly endedAt: number;
  /** Undefined: it was refused, or nobody was told. */
  readonly revision: number | undefined;
  /** The version that it had to replace, where it named one. */
  readonly replaces: number | undefined;
}

export interface ListRecord {
  readonly calledAt: number;
  readonly endedAt: number;
  /** What was asked for; undefined: the newest. */
  readonly atLeast: number | undefined;
  readonly exactly: number | undefined;
  readonly revision: number;
  /** Of each page: all are of one moment. */
  readonly pages: readonly number[];
  readonly state: State;
}

export interface WatchRecord {
  /** The revision that it goes on from, and the state then; undefined: nobody has looked. */
  readonly from: number;
  readonly state: State | undefined;
  readonly events: readonly WatchedChange[];
}

export type WatchedChange =
  | {
      readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK';
      readonly revision: number;
      readonly key: Key;
      readonly version: string;
    }
  | { readonly type: 'ERROR'; readonly code: number };

export function keyOf({ metadata }: KubeObject): Key {
  return `${metadata.namespace ?? ''}/${metadata.name}`;
}

export function versionOf({ metadata }: KubeObject): string {
  return `${metadata.uid} ${metadata.resourceVersion}`;
}
