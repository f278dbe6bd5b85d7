import type { DaemonSet, Deployment, ReplicaSet, StatefulSet } from '../../api/generated/apps-v1.ts';
import type { HorizontalPodAutoscaler } from '../../api/generated/autoscaling-v2.ts';
import type { Event, Node, Pod } from '../../api/generated/core-v1.ts';
import * as kinds from '../../api/generated/kinds.ts';
import { type ResourceType, resourceId } from '../../api/gvk.ts';
import type { KubeObject } from '../../api/meta.ts';
import { equal } from '../../base/equal.ts';
import type { CacheEvent } from '../../client/cache.ts';
import type { Informers } from '../../client/informers.ts';
import { podCondition, podReady } from '../../resources/core/pod/facts.ts';
import { type Names, ownerTitle } from './names.ts';

/** Follows a cluster and tells what happened, one line per object, in the order in which the objects first did something. */
export interface Story {
  /** What happened since the last telling. */
  tell(): readonly string[];
  stop(): void;
}

type Teller<T extends KubeObject> = (event: CacheEvent<T>, names: Names) => Iterable<string>;

interface Chapter {
  readonly type: ResourceType;
  readonly tell: Teller<KubeObject>;
  /** Said once at the end of a telling, if it differs from the last time. */
  readonly summary?: (object: KubeObject) => string;
}

function chapter<T extends KubeObject>(
  type: ResourceType<T>,
  tell: Teller<T>,
  summary?: (object: T) => string,
): Chapter {
  return { type, tell, ...(summary !== undefined && { summary }) } as unknown as Chapter;
}

const builtinChapters: readonly Chapter[] = [
  chapter(kinds.nodes, tellNode),
  chapter(kinds.daemonsets, tellOwned, ({ status }: DaemonSet) =>
    progress({
      ready: status.numberReady,
      wanted: status.desiredNumberScheduled,
      updated: status.updatedNumberScheduled ?? 0,
    }),
  ),
  chapter(kinds.statefulsets, tellOwned, ({ spec, status }: StatefulSet) =>
    progress({
      ready: status.readyReplicas ?? 0,
      wanted: spec.replicas ?? 1,
      updated: status.updatedReplicas ?? spec.replicas ?? 1,
    }),
  ),
  chapter(kinds.deployments, tellOwned, ({ spec, status }: Deployment) =>
    progress({ ready: status.readyReplicas ?? 0, wanted: spec.replicas ?? 1, updated: status.updatedReplicas ?? 0 }),
  ),
  chapter(kinds.replicasets, tellOwned, ({ spec, status }: ReplicaSet) =>
    progress({ ready: status.readyReplicas ?? 0, wanted: spec.replicas ?? 1, updated: spec.replicas ?? 1 }),
  ),
  chapter(kinds.pods, tellPod),
  chapter(kinds.secrets, tellContent),
  chapter(kinds.services, tellOwned),
  chapter(kinds.horizontalpodautoscalers, tellOwned, ({ status }: HorizontalPodAutoscaler) =>
    status.desiredReplicas === undefined ? '' : `wants ${status.desiredReplicas}`,
  ),
  chapter(kinds.namespaces, tellOwned),
  chapter(kinds.events, () => []),
];

export function chapterTypes(custom: readonly ResourceType[]): readonly ResourceType[] {
  return [...builtinChapters.map(({ type }) => type), ...custom];
}

export interface StoryOptions {
  readonly informers: Informers;
  readonly names: Names;
  /** Custom resources whose conditions are part of the story. */
  readonly custom: readonly ResourceType[];
}

interface Thread {
  title: string;
  object: KubeObject;
  readonly phrases: string[];
  readonly chapter: Chapter;
}

export function createStory({ informers, names, custom }: StoryOptions): Story {
  const threads = new Map<string, Thread>();
  const summaries = new Map<string, string>();
  const warnings: { readonly about: string; readonly text: string }[] = [];
  const chapters = [...builtinChapters, ...custom.map((type) => chapter(type, tellConditions))];

  const follow = (each: Chapter): (() => void) =>
    informers.listen(each.type, (event) => {
      if (resourceId(each.type) === resourceId(kinds.events)) {
        hear(event.object as Event, event.type);
        return;
      }
      const title = names.title(event.object);
      const phrases = [...each.tell(event, names)];
      const thread = threads.get(title) ?? { title, object: event.object, phrases: [], chapter: each };
      threads.set(title, thread);
      thread.object = event.object;
      thread.phrases.push(...phrases);
    });

  const hear = (event: Event, type: string): void => {
    if (type === 'deleted' || event.type !== 'Warning') return;
    const { involvedObject } = event;
    const about = names.within(`${involvedObject.kind?.toLowerCase()}/${involvedObject.name}`);
    warnings.push({ about, text: `${event.reason}: ${event.message}` });
  };

  const stops = chapters.map(follow);
  return {
    tell() {
      const lines: { readonly title: string; readonly text: string }[] = [];
      for (const { title, object, phrases, chapter: each } of threads.values()) {
        const summary = each.summary?.(object) ?? '';
        const isGone = phrases.at(-1) === 'gone';
        const isNews = summary !== '' && summaries.get(title) !== summary && !isGone;
        summaries.set(title, isGone ? '' : summary);
        const said = isNews ? [...phrases, summary] : phrases;
        if (said.length > 0) lines.push({ title, text: said.join(' · ') });
      }
      const told = new Set(warnings.map(({ about, text }) => `${about}\t${names.within(text)}`));
      for (const warning of told) {
        const [about = '', text = ''] = warning.split('\t');
        lines.push({ title: about, text: `! ${text}` });
      }
      threads.clear();
      warnings.length = 0;
      const width = Math.max(0, ...lines.map(({ title }) => title.length));
      return lines.map(({ title, text }) => `${title.padEnd(width)}  ${text}`);
    },
    stop() {
      for (const stop of stops) stop();
    },
  };
}

function progress({
  ready,
  wanted,
  updated,
}: {
  readonly ready: number;
  readonly wanted: number;
  readonly updated: number;
}): string {
  return updated < wanted ? `${ready}/${wanted} ready, ${updated} updated` : `${ready}/${wanted} ready`;
}

function* tellOwned({ type, object, previous }: CacheEvent<KubeObject>, names: Names): Iterable<string> {
  const owner = ownerTitle(object, names);
  if (type === 'added') yield owner === undefined ? 'created' : `created by ${owner}`;
  if (type === 'deleted') yield 'gone';
  if (type !== 'updated') return;
  const before = ownerTitle(previous, names);
  if (before !== owner) yield owner === undefined ? 'orphaned' : `adopted by ${owner}`;
  if (previous.metadata.deletionTimestamp === undefined && object.metadata.deletionTimestamp !== undefined)
    yield 'stopping';
}

/** Secrets: never what is inside, only that it is another. */
function* tellContent(event: CacheEvent<KubeObject>, names: Names): Iterable<string> {
  yield* tellOwned(event, names);
  if (event.type !== 'updated') return;
  const { data } = event.object as KubeObject & { readonly data?: unknown };
  const { data: before } = event.previous as KubeObject & { readonly data?: unknown };
  if (!equal(data, before)) yield 'changed';
}

function* tellNode({ type, object, previous }: CacheEvent<Node>): Iterable<string> {
  if (type === 'added') yield 'joined';
  if (type === 'deleted') {
    yield 'gone';
    return;
  }
  const ready = (node: Node | undefined): string | undefined =>
    node?.status.conditions?.find((each) => each.type === 'Ready')?.status;
  if (ready(previous) !== ready(object))
    yield ready(object) === 'True' ? 'ready' : ready(object) === 'Unknown' ? 'silent' : 'not ready';
  if (previous?.spec.unschedulable !== object.spec.unschedulable)
    yield object.spec.unschedulable === true ? 'cordoned' : 'uncordoned';
  const taints = (node: Node | undefined): readonly string[] =>
    (node?.spec.taints ?? []).map(({ key, effect }) => `${key}:${effect}`);
  for (const taint of taints(object)) if (!taints(previous).includes(taint)) yield `tainted ${taint}`;
  for (const taint of taints(previous)) if (!taints(object).includes(taint)) yield `untainted ${taint}`;
}

function* tellPod(event: CacheEvent<Pod>, names: Names): Iterable<string> {
  const { object, previous, type } = event;
  yield* tellOwned(event, names);
  if (type === 'deleted') return;
  if ((previous?.spec.nodeName ?? '') !== (object.spec.nodeName ?? '')) yield `scheduled ${object.spec.nodeName}`;
  const scheduled = podCondition(object, 'PodScheduled');
  const before = previous && podCondition(previous, 'PodScheduled');
  if (scheduled?.status === 'False' && scheduled.message !== before?.message)
    yield `unschedulable (${names.within(scheduled.message ?? '')})`;
  if (previous?.status.phase !== object.status.phase && object.status.phase !== 'Pending')
    yield object.status.phase === 'Running' ? 'started' : (object.status.phase ?? '').toLowerCase();
  const waiting = (pod: Pod | undefined): string | undefined =>
    pod?.status.containerStatuses?.find(({ state }) => state?.waiting !== undefined)?.state?.waiting?.reason;
  const reason = waiting(object);
  if (reason !== undefined && reason !== waiting(previous)) yield reason;
  const wasReady = previous !== undefined && podReady(previous);
  if (wasReady !== podReady(object)) yield podReady(object) ? 'ready' : 'unready';
}

interface WithConditions {
  readonly status?: {
    readonly conditions?: readonly { readonly type: string; readonly status: string; readonly reason?: string }[];
  };
}

function* tellConditions(event: CacheEvent<KubeObject>, names: Names): Iterable<string> {
  yield* tellOwned(event, names);
  if (event.type === 'deleted') return;
  const conditions = (object: KubeObject | undefined) =>
    (object as (KubeObject & WithConditions) | undefined)?.status?.conditions ?? [];
  for (const { type, status, reason } of conditions(event.object)) {
    const before = conditions(event.previous).find((each) => each.type === type);
    if (before?.status !== status || before.reason !== reason)
      yield status === 'True' ? type : `${type}=${status} (${reason})`;
  }
}
