import type { Scale } from '../../api/generated/autoscaling-v1.ts';
import type { HorizontalPodAutoscaler } from '../../api/generated/autoscaling-v2.ts';
import { horizontalpodautoscalers, nodes, pods } from '../../api/generated/kinds.ts';
import { parseApiVersion, type ResourceType } from '../../api/gvk.ts';
import { type Key, keyOf } from '../../api/meta.ts';
import { podmetrics } from '../../api/metrics.ts';
import { type LabelMatcher, parseLabelSelector } from '../../api/selector/selector.ts';
import { isStatusError } from '../../api/status.ts';
import { controllerUser } from '../../api/system-identities.ts';
import { equal } from '../../base/equal.ts';
import type { Component, Platform } from '../../runtime/component.ts';
import { createKeyedWork, type RunContext } from '../../runtime/keyed-work.ts';
import type { Action } from '../../runtime/plan.ts';
import type { ServedResources } from '../../runtime/served-resources.ts';
import { statusIfChanged } from '../../workloads/actions.ts';
import type { Memory } from './memory.ts';
import { type Conclusion, conclude, type Decision, planScale, type ScaleTarget } from './plan.ts';
import { readMetrics } from './read-metrics.ts';
import type { Readings } from './readings.ts';
import { type UsageOf, usageByPod, type WindowOf, windowByPod } from './usage.ts';

export interface AutoscalerOptions {
  /** What is served now: how the target's kind is found, also a custom one's. */
  readonly served: Pick<ServedResources, 'resources'>;
}

const name = 'horizontal-pod-autoscaler';

/** Scales whatever has a `/scale` by the use of its pods, every 15 seconds and whenever an autoscaler's spec changes. */
export function createAutoscaler(platform: Platform, { served }: AutoscalerOptions): Component {
  const { informers, clock } = platform;
  const memories = new Map<Key, Memory>();
  /** What each autoscaler measured last, to notice two that measure the same pods. */
  const selections = new Map<Key, LabelMatcher>();

  const handle = async (key: Key, context: RunContext): Promise<number | undefined> => {
    const autoscaler = informers.of(horizontalpodautoscalers).get(key);
    if (autoscaler === undefined || autoscaler.metadata.deletionTimestamp !== undefined) {
      memories.delete(key);
      selections.delete(key);
      return undefined;
    }
    const { namespace = '' } = autoscaler.metadata;
    const type = typeOfTarget(autoscaler, served.resources());
    const target = await readTarget(autoscaler, { type, context });
    if (target.found && target.selects !== undefined) selections.set(key, target.selects);
    else selections.delete(key);
    const rivals = [...selections]
      .filter(([other]) => other !== key && other.startsWith(`${namespace}/`))
      .map(([other, selects]) => ({ name: other, selects }));
    const nowMs = clock.nowMs();
    const near = informers.of(pods).inNamespace(namespace);
    const [usage, readings] = await Promise.all([
      readUsage(target, { autoscaler, context }),
      target.found && target.selects !== undefined
        ? readMetrics(autoscaler, { selector: target.scale.status?.selector ?? '', types: served.resources(), context })
        : noReadings,
    ]);
    const decision = planScale(
      { autoscaler, target, pods: near, rivals, readings, ...usage },
      { nowMs, memory: memories.get(key) },
    );
    const refusal = await rescale(decision, { type, target, context });
    const conclusion = conclude(decision, { nowMs, refusal });
    if (conclusion.memory !== undefined) memories.set(key, conclusion.memory);
    await tell(autoscaler, { conclusion, context });
    return decision.againInMs;
  };

  return {
    name,
    async run({ signal }) {
      const user = controllerUser(name);
      const work = createKeyedWork({ name, user, platform, workers: 4, handle });
      // What pods use is known once their nodes are.
      await informers.sync([horizontalpodautoscalers, nodes, pods], { signal });
      const stop = informers.listen(horizontalpodautoscalers, ({ type, object, previous }) => {
        // Its own status is no reason to look again before it is time.
        if (type !== 'updated' || !equal(previous.spec, object.spec)) work.add(keyOf(object));
      });
      await work.run({ signal }).finally(stop);
    },
  };
}

/** Any served version of the kind will do; the one that is asked for is preferred. */
export function typeOfTarget(
  { spec: { scaleTargetRef } }: HorizontalPodAutoscaler,
  types: readonly ResourceType[],
): ResourceType | undefined {
  const { group, version } = parseApiVersion(scaleTargetRef.apiVersion ?? '');
  const fitting = types.filter((type) => type.kind === scaleTargetRef.kind && type.group === group && type.namespaced);
  return fitting.find((type) => type.version === version) ?? fitting[0];
}

interface Reading {
  readonly type: ResourceType | undefined;
  readonly context: RunContext;
}

async function readTarget(autoscaler: HorizontalPodAutoscaler, { type, context }: Reading): Promise<ScaleTarget> {
  const { scaleTargetRef: reference } = autoscaler.spec;
  if (type === undefined) {
    const { group } = parseApiVersion(reference.apiVersion ?? '');
    return { found: false, message: `no matches for kind "${reference.kind}" in group "${group}"` };
  }
  const { namespace } = autoscaler.metadata;
  const place = { namespace, name: reference.name, subresource: 'scale' };
  try {
    const scale = (await context.client.get(type, { ...place, signal: context.signal })) as unknown as Scale;
    return { found: true, scale, selects: matcherOf(scale.status?.selector) };
  } catch (error) {
    if (!isStatusError(error)) throw error;
    return { found: false, message: error.message };
  }
}

const noReadings: Readings = new Map();

interface ReadUsage {
  readonly usageOf: UsageOf;
  readonly windowOf?: WindowOf;
  readonly unread?: string;
}

/** By way of the API, as anybody else: so it is the same whoever measures the pods. */
async function readUsage(
  target: ScaleTarget,
  { autoscaler, context }: { readonly autoscaler: HorizontalPodAutoscaler; readonly context: RunContext },
): Promise<ReadUsage> {
  const { metadata, spec } = autoscaler;
  const { namespace } = metadata;
  const isMeasured = spec.metrics?.some(({ type }) => type === 'Resource' || type === 'ContainerResource') === true;
  if (!isMeasured || !target.found || target.selects === undefined) return { usageOf: () => undefined };
  const labelSelector = target.scale.status?.selector ?? '';
  try {
    const { items } = await context.client.list(podmetrics, { namespace, labelSelector, signal: context.signal });
    const [usage, windows] = [usageByPod(items), windowByPod(items)];
    return {
      usageOf: ({ metadata }) => usage.get(metadata.name),
      windowOf: ({ metadata }) => windows.get(metadata.name),
    };
  } catch (error) {
    if (!isStatusError(error)) throw error;
    return {
      usageOf: () => undefined,
      unread: `unable to fetch metrics from resource metrics API: ${error.message}`,
    };
  }
}

function matcherOf(selector: string | undefined): LabelMatcher | undefined {
  if (selector === undefined || selector === '') return undefined;
  try {
    return parseLabelSelector(selector);
  } catch {
    // The plan says so in a condition.
    return undefined;
  }
}

/** Resolves with the API's message when it refuses. The version that was read is the precondition. */
async function rescale(
  decision: Decision,
  { type, target, context }: Reading & { readonly target: ScaleTarget },
): Promise<string | undefined> {
  if (decision.rescale === undefined || type === undefined || !target.found) return undefined;
  const { scale } = target;
  const body = { ...scale, spec: { ...scale.spec, replicas: decision.rescale.to } };
  try {
    await context.client.update(type, body, { subresource: 'scale', signal: context.signal });
    return undefined;
  } catch (error) {
    if (!isStatusError(error)) throw error;
    return error.message;
  }
}

async function tell(
  autoscaler: HorizontalPodAutoscaler,
  { conclusion, context }: { readonly conclusion: Conclusion; readonly context: RunContext },
): Promise<void> {
  const { status, events } = conclusion;
  const said = events.map((event): Action => ({ do: 'emit', regarding: autoscaler, ...event }));
  await context.perform([...said, ...statusIfChanged(horizontalpodautoscalers, { object: autoscaler, status })]);
}
