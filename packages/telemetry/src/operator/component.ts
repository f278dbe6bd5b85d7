import type { Action, KubeObject, New, ResourceType } from '@signalbox/cluster';
import type { Fact } from '../resources/condition.ts';
import type { AgentAnswers, AgentDoor, AgentQuestion } from '../sharding/agents.ts';
import type { Weighing } from '../sharding/current.ts';
import type { SlotLoads } from '../sharding/mapping.ts';
import type { TreeNode } from '../tree/tree.ts';
import type { Finding, Reference } from '../world/findings.ts';
import type { Picking } from '../world/pick.ts';
import type { World } from '../world/world.ts';

/**
 * One kind of root and how its hierarchy becomes objects. `build` is pure: the running operator, the offline `render`,
 * `tree` and every preview call the same function, each with its own world.
 */
export interface RootComponent<Root extends KubeObject = KubeObject> {
  /** `grafana-agent`: names the controller, its user and its events. */
  readonly name: string;
  readonly rootType: ResourceType<Root>;
  /** Everything that `build` looks at besides the root. */
  readonly reads: readonly ResourceType[];
  /** The kinds of monitors among them: each is told who has taken it. */
  readonly collects: readonly ResourceType[];
  /** The kinds of the objects that it makes, in the order in which they are written. */
  readonly owns: readonly ResourceType[];
  /** Those among them of which it changes single fields: whoever may not, is refused it (`operator/identity.ts`). */
  readonly patches: readonly ResourceType[];
  /** The value of `app.kubernetes.io/managed-by` on what it makes: nothing else is ever deleted. */
  readonly managedBy: string;
  /** Prefixes of labels and annotations that go when they are no longer wanted; all others of a live object stay. */
  readonly ownedPrefixes: readonly string[];
  /** Another operator looks after the root, and why: nothing is written at all. Undefined: it is ours. */
  foreignBecause?(root: Root): string | undefined;
  /** The root asks to be left alone: nothing is written but its status. */
  isPaused?(root: Root): boolean;
  /** What `Reconciled` says of all findings, where it is not what every root says. */
  reconciled?(root: Root, found: Found): Fact;
  /** Where the jobs of the root look for what its monitors of a kind select. */
  looks(root: Root, monitorKind: string): Looks;
  /** By which pairs of selectors the root goes, and those of every instance that it could select. */
  pickings(root: Root, world: World): readonly Picking[];
  build(root: Root, world: World, options: BuildOptions): Desired;
}

export interface Looks {
  /** Only in a monitor's own namespace, whatever the monitor says. */
  readonly isHomeOnly: boolean;
  /** In another cluster, of which nothing is known here. */
  readonly isElsewhere: boolean;
}

export interface BuildOptions {
  /** Milliseconds since the epoch. */
  readonly nowMs: number;
  /** What the agents have said of themselves. Nobody was asked when absent. */
  readonly answers?: AgentAnswers;
  /** What the slots of its shards have weighed for some time. */
  readonly loads?: SlotLoads | undefined;
}

/** What one root comes to. The same root and world give the same bytes. */
export interface Desired {
  /** What is to exist, owned by the root, in the order in which it is written. */
  readonly objects: readonly New<KubeObject>[];
  /** What is left as it stands, though it is not among `objects`: the last good state while something is wrong. */
  readonly kept: readonly ObjectName[];
  /** What is done besides, once the objects are as they should be. */
  readonly actions?: readonly Action[];
  readonly findings: readonly Finding[];
  /** Secrets and ConfigMaps that the hierarchy names, sorted. */
  readonly references: readonly Reference[];
  /** Made for whoever asks: of ten thousand monitors the running operator has no use for one. */
  readonly tree: () => TreeNode;
  /** What became of every monitor that is selected. */
  readonly collected: readonly Collected[];
  /** Jobs that somebody wrote in the agents' own words: a Secret stands in the place of the monitor. Made when somebody asks. */
  readonly additional: () => readonly Collected[];
  /** How many parts the targets are shared between. */
  readonly shards: number;
  /** Where the agents of the shards tell how their targets are; undefined: nobody can ask them. */
  readonly agentDoor?: AgentDoor | undefined;
  /** Written through the status door, where the root's kind has one. */
  readonly status: DesiredStatus;
  /** Agents that are to be asked before it is built again. */
  readonly asks?: readonly AgentQuestion[];
  /** Agents that are to be asked from time to time what they have to do. */
  readonly weighing?: Weighing | undefined;
  /** Build again after this many milliseconds even if nothing changes. */
  readonly againInMs?: number;
}

/** What a monitor came to for one that selects it. */
export interface Collected {
  /** The root, or an instance of it. */
  readonly by: KubeObject;
  readonly monitor: KubeObject;
  readonly jobs: MonitorJobs;
}

/** The jobs of one monitor. */
export interface MonitorJobs {
  readonly names: readonly string[];
  /** Each as it stands in the configuration. */
  readonly texts: readonly { readonly text: string }[];
  /** For each job the rules that are not the operator's: the fields that they come from, by their index in the job. */
  readonly ownRules: readonly ReadonlyMap<number, string>[];
  readonly findings: readonly Finding[];
  /** An error is among the findings: it was left out. */
  readonly isRejected: boolean;
}

export interface DesiredStatus {
  /**
   * In the order in which they are written. `Reconciled` only has its place here: what it says is known once the desired
   * objects have been compared with those that are there.
   */
  readonly conditions: readonly (Fact | 'Reconciled')[];
  readonly note?: StatusNote;
  /** All other fields of the status. */
  readonly fields: Readonly<Record<string, unknown>>;
}

/** What is no finding, and worth a word where there is none. */
export type StatusNote = 'configuration unmanaged' | 'nothing selected';

export interface Found {
  readonly findings: readonly Finding[];
  readonly note: StatusNote | undefined;
}

export interface ObjectName {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}
