import type { Shortage } from '../scheduler/detail.ts';

/** Why an object is as it is, and what would have to change. The same shape for all kinds; the command prints it as JSON. */
export interface Explanation {
  readonly subject: { readonly kind: string; readonly namespace?: string; readonly name: string };
  /** `settled`: it is as it should be. `waits`: something has yet to happen, by itself or by somebody's hand. `failed`: it has ended badly. */
  readonly outcome: 'settled' | 'waits' | 'failed';
  /** The answer as the end of a sentence that begins with the object: `runs on 4 of 5 nodes that should run it`. */
  readonly summary: string;
  /** Why it waits, what matters most first. */
  readonly causes: readonly Cause[];
  /** Numbers and settings that the answer rests on, by name. */
  readonly facts: Readonly<Record<string, string | number | boolean>>;
  /** Nodes, or pods, of which the same is to be said. */
  readonly groups: readonly Group[];
}

export interface Cause {
  readonly cause: string;
  /** What would help; empty where there is nothing to do but wait. */
  readonly mend: string;
}

export interface Group {
  readonly of: 'node' | 'pod' | 'claim' | 'job' | 'volume';
  /** `runs`, `should run`, `ready`, `fits` … */
  readonly state: string;
  /** Empty where there is nothing to add to the state. */
  readonly why: string;
  readonly mend: string;
  /** All of them: nodes and volumes by name, pods, claims and Jobs by `namespace/name`. */
  readonly names: readonly string[];
  /** The rules behind `why`, as the code that decides told them. */
  readonly rules: readonly Rule[];
}

export interface Rule {
  /** The plugin of the scheduler; empty for a rule of a controller. */
  readonly plugin: string;
  readonly text: string;
  readonly mend: string;
  /** How much is missing: the least and the most that is free on the nodes of the group. */
  readonly shortage?: Pick<Shortage, 'resource' | 'wanted'> & { readonly freeMin: number; readonly freeMax: number };
  /** Pods that are in the way, by their keys. */
  readonly pods?: readonly string[];
}
