import type { TopologySpreadConstraint } from '../../../api/generated/core-v1.ts';
import { labelMend } from '../../../api/node-labels.ts';
import { counted } from '../../../base/counted.ts';
import { type Tally, tallyOf } from '../../counting/tally.ts';
import type { Detail } from '../../detail.ts';
import type { NodeView } from '../../node-view.ts';
import { abstains, fits, type PluginState, rejects, rejectsForGood, type SchedulerPlugin } from '../../plugin.ts';
import type { PodView } from '../../pod-view.ts';
import type { Snapshot } from '../../snapshot.ts';
import { type Constraint, constraintOf, constraintsOf, countedBy } from './constraints.ts';
import { defaultSelector, selectorSources } from './default-selector.ts';
import { evenness } from './evenness.ts';

export interface PodTopologySpreadArgs {
  readonly defaultingType: 'System' | 'List';
  /** For pods that have none; `labelSelector` is that of their Services and workload. */
  readonly defaultConstraints: readonly TopologySpreadConstraint[];
}

const systemDefaults: readonly TopologySpreadConstraint[] = [
  { topologyKey: 'kubernetes.io/hostname', whenUnsatisfiable: 'ScheduleAnyway', maxSkew: 3 },
  { topologyKey: 'topology.kubernetes.io/zone', whenUnsatisfiable: 'ScheduleAnyway', maxSkew: 5 },
];

/** Even numbers of alike pods in zones, on nodes, or whatever label divides the cluster. */
export function podTopologySpread({
  defaultingType,
  defaultConstraints,
}: PodTopologySpreadArgs): SchedulerPlugin<Evenly | undefined> {
  const isSystem = defaultingType === 'System';
  const defaults = isSystem ? systemDefaults : defaultConstraints;
  const chosen = (pod: PodView, { snapshot, what }: Choice): readonly Constraint[] =>
    (pod.pod.spec.topologySpreadConstraints?.length ?? 0) > 0
      ? constraintsOf(pod.pod, what)
      : defaultsFor(pod, { snapshot, defaults: defaults.filter((each) => each.whenUnsatisfiable === what) });
  return {
    name: 'PodTopologySpread',
    weight: 2,
    consults: selectorSources,
    wakesOn: [
      'node/added',
      'node/updated',
      'node/removed',
      'pod/added',
      'pod/relabelled',
      'pod/stopping',
      'pod/removed',
    ],
    wakesFrom: 'anywhere',
    helps: (pod, { snapshot, pod: other, before }) =>
      other === undefined ||
      chosen(pod, { snapshot, what: 'DoNotSchedule' }).some((constraint) =>
        [other, before].some(
          (each) => each !== undefined && each.namespace === pod.namespace && constraint.selects(each.labels),
        ),
      ),
    prepare(pod, snapshot) {
      const constraints = chosen(pod, { snapshot, what: 'DoNotSchedule' });
      return constraints.length === 0 ? abstains : { state: evenly(demandsOf(pod, { constraints, snapshot })) };
    },
    filter: (_, node, state) => (state === undefined ? fits : judged(node, state)),
    details: (_, node, state) => (state === undefined ? [] : detailsOf(node, state)),
    isIndifferent: (pod, { snapshot }) => chosen(pod, { snapshot, what: 'ScheduleAnyway' }).length === 0,
    rank(pod, nodes, { snapshot }) {
      const constraints = chosen(pod, { snapshot, what: 'ScheduleAnyway' });
      const hasOwn = (pod.pod.spec.topologySpreadConstraints?.length ?? 0) > 0;
      return constraints.length === 0
        ? undefined
        : evenness(nodes, { pod, constraints, counts: snapshot.counts, needsAllKeys: hasOwn || !isSystem });
    },
  };
}

interface Choice {
  readonly snapshot: Snapshot;
  readonly what: 'DoNotSchedule' | 'ScheduleAnyway';
}

function defaultsFor(
  pod: PodView,
  { snapshot, defaults }: { readonly snapshot: Snapshot; readonly defaults: readonly TopologySpreadConstraint[] },
): readonly Constraint[] {
  if (defaults.length === 0) return [];
  const selector = defaultSelector(pod, snapshot);
  return selector === undefined ? [] : defaults.map((each) => constraintOf(each, selector));
}

interface Demand {
  readonly constraint: Constraint;
  readonly tally: Tally;
  /** 1 when the pod counts itself, wherever it goes. */
  readonly self: 0 | 1;
}

interface Evenly extends PluginState {
  readonly demands: readonly Demand[];
}

function demandsOf(
  pod: PodView,
  { constraints, snapshot }: { readonly constraints: readonly Constraint[]; readonly snapshot: Snapshot },
): readonly Demand[] {
  const keys = [...new Set(constraints.map(({ topologyKey }) => topologyKey))].sort();
  return constraints.map((constraint) => {
    const counted = countedBy(constraint, { pod, keys });
    const self = constraint.selects(pod.labels) ? 1 : 0;
    return { constraint, tally: tallyOf(counted, snapshot.counts.count(counted)), self };
  });
}

function evenly(demands: readonly Demand[]): Evenly {
  return {
    demands,
    with: (pod, node) => evenly(demands.map((each) => ({ ...each, tally: each.tally.with(pod, node) }))),
    without: (pod, node) => evenly(demands.map((each) => ({ ...each, tally: each.tally.without(pod, node) }))),
  };
}

function judged({ labels }: NodeView, { demands }: Evenly): typeof fits | typeof uneven {
  for (const { constraint, tally, self } of demands) {
    const value = labels[constraint.topologyKey];
    if (value === undefined) return keyless;
    if (tally.podsIn(value) + self - leastOf(constraint, tally) > constraint.maxSkew) return uneven;
  }
  return fits;
}

function detailsOf({ labels }: NodeView, { demands }: Evenly): readonly Detail[] {
  return demands.flatMap(({ constraint, tally, self }): readonly Detail[] => {
    const { topologyKey, maxSkew } = constraint;
    const value = labels[topologyKey];
    if (value === undefined)
      return [
        {
          text: `the node has no label ${topologyKey}, by which it is spread`,
          mend: labelMend({ key: topologyKey }, 'spread it by another topologyKey'),
        },
      ];
    const [there, least] = [tally.podsIn(value), leastOf(constraint, tally)];
    if (there + self - least <= maxSkew) return [];
    const text = `its ${topologyKey} has ${counted(there, 'such pod')}, another one ${least}: maxSkew is ${maxSkew}`;
    return [{ text, mend: 'make room where there are fewer, or raise maxSkew' }];
  });
}

const uneven = rejects("node(s) didn't match pod topology spread constraints");
const keyless = rejectsForGood("node(s) didn't match pod topology spread constraints (missing required label)");

/** With fewer domains than wanted the missing ones count as empty. */
function leastOf({ minDomains }: Constraint, tally: Tally): number {
  return minDomains !== undefined && tally.domainCount < minDomains ? 0 : tally.least();
}
