/** What the process inside is started with: one argument, as JSON. */
import type { LogLimits } from './logs/container-log.ts';
import type { NetworkPlan } from './network/network.ts';

export interface InsideSettings {
  /** The node's folder. */
  readonly folder: string;
  /** Whether it has the rights of the machine's root, or those of an ordinary user in a namespace of its own. */
  readonly isRoot: boolean;
  /** How long it stays when nobody is connected. */
  readonly idleMs: number;
  readonly network: NetworkPlan;
  readonly logLimits: LogLimits;
  /** How long the logs of a pod that is gone stay. */
  readonly logsKeptMs: number;
  /** Paths of the machine that pods may mount, with what is below them; all others are below the node's own folder. */
  readonly hostPaths: readonly string[];
}
