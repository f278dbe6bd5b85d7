import type { Rejection } from './plugin.ts';
import type { PodView } from './pod-view.ts';

export interface MakesRoom {
  readonly outcome: 'makesRoom';
  readonly node: string;
  /** Who has to go; the most important first. */
  readonly victims: readonly PodView[];
  /** Those of them whom a disruption budget would keep. */
  readonly violating: readonly PodView[];
  /** What is compared of it besides. */
  readonly loss: Loss;
}

export interface Loss {
  readonly highest: number;
  readonly sum: number;
  readonly earliestStartMs: number;
}

/** What became of it on one node. */
export type DryRun = MakesRoom | Rejection;

/** Fewest budgets hurt, lowest priority lost, least priority in sum, fewest pods, those that have run the shortest. */
export function isBetter(a: MakesRoom, b: MakesRoom): boolean {
  const [violations, others] = [a.violating.length, b.violating.length];
  if (violations !== others) return violations < others;
  if (a.loss.highest !== b.loss.highest) return a.loss.highest < b.loss.highest;
  if (a.loss.sum !== b.loss.sum) return a.loss.sum < b.loss.sum;
  if (a.victims.length !== b.victims.length) return a.victims.length < b.victims.length;
  return a.loss.earliestStartMs > b.loss.earliestStartMs;
}
