import {
  type KubeObject,
  type LabelSelector,
  type Pod,
  pods,
  type Service,
  serviceSelector,
  services,
} from '@signalbox/cluster';
import type { LabelSet } from '../relabel/execute.ts';
import { labelMisses, SelectorError } from '../world/labels.ts';
import type { World } from '../world/world.ts';
import { keyOfTarget } from './discovery/discover.ts';
import { type AgentView, describeRef, type JobView, type ObjectRef } from './explanation.ts';
import { agentsOf } from './health.ts';
import { jobViews } from './job.ts';
import { type BuiltRoot, refOf } from './selectors.ts';

/** A job that somebody wrote in the agents' own words: it belongs to no monitor. */
export interface JobByHand {
  /** The Secret in which it stands. */
  readonly secret: ObjectRef;
  readonly root: ObjectRef;
  readonly by: ObjectRef;
  readonly job: JobView;
  readonly agents: readonly AgentView[];
}

/** The jobs of the Secrets that roots and instances name, run like all others. */
export function jobsByHand(roots: readonly BuiltRoot[], world: World): readonly JobByHand[] {
  return roots.flatMap((built) => {
    const { root, desired } = built;
    return (desired?.additional() ?? []).flatMap((collected) => {
      const { by, monitor } = collected;
      const agents = by.kind === 'LogsInstance' ? [] : agentsOf(built, world);
      const place = { secret: refOf(monitor), root: refOf(root), by: refOf(by), agents };
      return jobViews(collected, { world, root, shards: desired?.shards ?? 1 }).map((job) => ({ ...place, job }));
    });
  });
}

/** `job nodes of Secret monitoring/extra (Prometheus monitoring/main)` */
export function describeJobByHand({ secret, by, job }: JobByHand): string {
  return `job ${job.name} of ${describeRef(secret)} (${describeRef(by)})`;
}

/** Jobs that scrape what the monitor would, and those of which nobody can tell. */
export function byHandNotes(monitor: KubeObject, jobs: readonly JobByHand[], world: World): readonly string[] {
  const isLogs = monitor.kind === 'PodLogs';
  const alike = jobs.filter(({ by }) => (by.kind === 'LogsInstance') === isLogs);
  return alike.flatMap((each) => {
    const kept = each.job.targets.filter(({ fate }) => fate.kept);
    const target = kept.find(({ discovered }) =>
      standsFor(discovered, world).some((object) => wouldSelect(monitor, object)),
    );
    return target === undefined
      ? []
      : [`${target.of || target.address} is scraped all the same, by ${describeJobByHand(each)}`];
  });
}

/** The pod of a target, its Service, and the Services that lead to it. */
function standsFor(discovered: LabelSet, world: World): readonly KubeObject[] {
  const service = world.get(services, keyOfTarget('service', discovered));
  const pod = world.get(pods, keyOfTarget('pod', discovered));
  if (pod === undefined) return service === undefined ? [] : [service];
  const leading = world.list(services, pod.metadata.namespace).filter((each) => leadsTo(each, pod));
  return [pod, ...leading];
}

export function leadsTo(service: Service, { metadata }: Pod): boolean {
  const selector = serviceSelector(service);
  return (
    selector !== undefined &&
    service.metadata.namespace === metadata.namespace &&
    matches({ matchLabels: selector }, metadata.labels ?? {})
  );
}

interface Selecting {
  readonly selector?: LabelSelector;
  readonly namespaceSelector?: { readonly any?: boolean; readonly matchNames?: readonly string[] };
}

/** By its own words, whoever makes jobs of it. */
export function wouldSelect(monitor: KubeObject, object: KubeObject): boolean {
  const wanted = monitor.kind === 'ServiceMonitor' ? 'Service' : 'Pod';
  if (object.kind !== wanted || !['PodLogs', 'PodMonitor', 'ServiceMonitor'].includes(monitor.kind)) return false;
  const { selector = {}, namespaceSelector = {} } = (monitor as { readonly spec?: Selecting }).spec ?? {};
  const { any = false, matchNames = [] } = namespaceSelector;
  const places = matchNames.length === 0 ? [monitor.metadata.namespace] : matchNames;
  return (
    (any || places.some((place) => place === object.metadata.namespace)) &&
    matches(selector, object.metadata.labels ?? {})
  );
}

function matches(selector: LabelSelector, labels: Readonly<Record<string, string>>): boolean {
  try {
    return labelMisses(selector)(labels).length === 0;
  } catch (error) {
    if (error instanceof SelectorError) return false;
    throw error;
  }
}
