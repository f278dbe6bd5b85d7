import type { HashedText } from './hashed-text.ts';
import { type HeldTarget, heldTargets, targetsIn, wasScraped } from './targets-page.ts';

/*
 * What agents say of themselves while targets are handed over: which configuration they run from, and whether they have
 * scraped everything that it gives them.
 */

/** How the agents of a root are asked: alike for all of its pods. */
export interface AgentDoor {
  readonly scheme: 'http' | 'https';
  readonly port: number;
  /** What stands before every path; empty at the root. */
  readonly prefix: string;
  /** Where it lists its targets. vmagent and Alloy's Prometheus pages are Prometheus'. */
  readonly speaks: 'grafana-agent' | 'prometheus';
}

/** A pod with an agent in it that can be asked. */
export interface AgentQuestion extends AgentDoor {
  readonly namespace: string;
  readonly pod: string;
}

export interface AgentAnswer {
  /** When it was asked, in milliseconds since the epoch. */
  readonly askedMs: number;
  /** When it read its configuration; undefined: it does not say. */
  readonly loadedMs: number | undefined;
  /** It keeps an older configuration, since it refuses the one that stands. */
  readonly refuses: boolean;
  /** Targets that it has, and has not scraped yet. */
  readonly unscraped: number;
  /** The targets that it has, if it never says when it reads its configuration: what has come of it is seen by them. */
  readonly held: readonly HeldTarget[] | undefined;
}

/** The last answer of each pod that could be asked. */
export interface AgentAnswers {
  of(question: AgentQuestion): AgentAnswer | undefined;
}

export const noAnswers: AgentAnswers = { of: () => undefined };

const targetsPath: Readonly<Record<AgentDoor['speaks'], string>> = {
  prometheus: '/api/v1/targets',
  'grafana-agent': '/agent/api/v1/metrics/targets',
};

/** Where it lists its targets, with what stands before. */
export function targetsPathOf({ prefix, speaks }: Pick<AgentDoor, 'prefix' | 'speaks'>): string {
  return `${prefix}${targetsPath[speaks]}`;
}

/** Out of its two pages. `targets` is JSON of a stranger. */
export function toAgentAnswer(
  { metrics, targets }: { readonly metrics: string; readonly targets: unknown },
  { askedMs, hashed }: { readonly askedMs: number; readonly hashed: HashedText },
): AgentAnswer | undefined {
  const listed = targetsIn(targets);
  if (listed === undefined) return undefined;
  const reloaded = numberIn(metrics, /^\w*config_last_(?:re)?load_success_timestamp_seconds (\S+)$/m);
  // vmagent counts from its first reload on.
  const seconds = reloaded || numberIn(metrics, /^process_start_time_seconds (\S+)$/m);
  return {
    askedMs,
    loadedMs: seconds === undefined ? undefined : seconds * 1_000,
    refuses: numberIn(metrics, /^\w*config_last_(?:re)?load_successful (\S+)$/m) === 0,
    unscraped: listed.filter((target) => !wasScraped(target)).length,
    held: reloaded === undefined ? heldTargets(listed, hashed) : undefined,
  };
}

function numberIn(metrics: string, line: RegExp): number | undefined {
  const value = Number(line.exec(metrics)?.[1] ?? Number.NaN);
  return Number.isFinite(value) ? value : undefined;
}

/** Agents take over what was discovered only every five seconds, also after they have read a configuration. */
const tickMs = 6_000;

/**
 * Whether all agents run from what was written at that time, and have scraped what it gives them; undefined: not all of them
 * can tell, so that time has to pass.
 */
export function areConfirmed(answers: readonly (AgentAnswer | undefined)[], sinceMs: number): boolean | undefined {
  const each = answers.map((answer) => (answer === undefined ? undefined : isConfirmed(answer, sinceMs)));
  if (each.includes(false)) return false;
  return each.includes(undefined) ? undefined : true;
}

function isConfirmed({ askedMs, loadedMs, refuses, unscraped }: AgentAnswer, sinceMs: number): boolean | undefined {
  if (refuses || unscraped > 0) return false;
  // Clocks differ: one that says that it has read nothing since is not held up for ever.
  if (loadedMs === undefined || loadedMs < sinceMs) return undefined;
  return askedMs - loadedMs >= tickMs;
}
