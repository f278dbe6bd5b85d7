import type { LabelSet } from '../relabel/execute.ts';
import type { RelabelRule } from '../relabel/rule.ts';
import type { Miss } from '../world/select.ts';
import type { Look } from './discovery/discover.ts';

/*
 * Why something is scraped, or is not: data, from which text and JSON are made. What is said here was decided elsewhere, by
 * the code that decides.
 */

export interface ObjectRef {
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
}

/**
 * `left out`: it is selected, but something in it is wrong. `withheld`: it is selected, but its root's configuration is not
 * written. `no targets`: nothing is found for it, or everything that is found is dropped. `unknown`: targets are found in
 * ways that cannot be foretold.
 */
export type Outcome = 'left out' | 'no targets' | 'not selected' | 'refused' | 'scraped' | 'unknown' | 'withheld';

/** What became of one monitor. */
export interface MonitorExplanation {
  readonly monitor: ObjectRef;
  readonly outcome: Outcome;
  /** One sentence; empty when it is scraped. */
  readonly cause: string;
  /** What helps, where that is known. */
  readonly mend: string;
  /** What is worth knowing besides. */
  readonly notes: readonly string[];
  readonly selectors: readonly SelectorView[];
}

/** How one root, or an instance of it, takes a monitor. */
export interface SelectorView {
  readonly root: ObjectRef;
  /** The root itself, or its instance. */
  readonly by: ObjectRef;
  /** The fields by which it selects. */
  readonly field: string;
  readonly namespacesField: string;
  /** Everything that keeps the monitor from being selected; empty: nothing does. */
  readonly misses: readonly Miss[];
  /** Why the root does not select the instance. */
  readonly beyond:
    | { readonly field: string; readonly namespacesField: string; readonly misses: readonly Miss[] }
    | undefined;
  /** Why nothing of the root is written at all. */
  readonly withheld: string | undefined;
  readonly isLeftOut: boolean;
  readonly problems: readonly Problem[];
  readonly jobs: readonly JobView[];
  /** Running pods that can be asked how the targets are. */
  readonly agents: readonly AgentView[];
}

/** A pod of a shard. */
export interface AgentView {
  readonly pod: string;
  readonly shard: number;
  /** Where the API server passes the question on. */
  readonly path: string;
}

/** A finding about the monitor or who selects it. */
export interface Problem {
  readonly severity: 'error' | 'warning';
  readonly regarding: ObjectRef;
  readonly field: string;
  readonly message: string;
}

/** A job of the agents' configuration, with everything that it finds. */
export interface JobView {
  readonly name: string;
  /** How many parts its targets are shared between; 0: every agent takes those of its own node. */
  readonly shards: number;
  readonly looks: readonly Look[];
  /** How it finds targets that cannot be foretold: `http_sd_configs`. */
  readonly unknown: readonly string[];
  readonly targets: readonly TargetView[];
}

export interface TargetView {
  /** What it stands for: `Pod shop/web-1`; empty for an address that somebody wrote down. */
  readonly of: string;
  readonly address: string;
  /** It stands for pods that are not among the manifests: its address, and with it its shard, is made up. */
  readonly isImagined: boolean;
  /** As discovery found it. */
  readonly discovered: LabelSet;
  readonly fate: Fate;
  /** What the agents say of it. */
  readonly health?: readonly Health[];
}

export type Fate =
  | { readonly kept: true; readonly labels: LabelSet; readonly shards: readonly number[] }
  | { readonly kept: false; readonly by: DroppingRule | undefined; readonly reason: string };

/** The first rule that dropped a target. */
export interface DroppingRule {
  /** From 1. */
  readonly number: number;
  readonly of: number;
  readonly whose: 'the job' | 'the monitor' | 'the operator' | 'the scrape class';
  /** Where it was written; undefined: nobody wrote it. */
  readonly field: string | undefined;
  readonly rule: RelabelRule;
  /** What the rule compared. */
  readonly saw: string;
}

/** How a target is, as an agent says. */
export interface Health {
  readonly pod: string;
  readonly state: string;
  readonly lastError: string;
  /** Its shard, where that is none that the rules say: it counts otherwise, or runs from another configuration. */
  readonly shard?: number;
}

export function describeRef({ kind, namespace, name }: ObjectRef): string {
  return `${kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`;
}
