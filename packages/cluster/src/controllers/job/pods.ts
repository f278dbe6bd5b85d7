import type { Job } from '../../api/generated/batch-v1.ts';
import type { Container, Pod, PodSpec } from '../../api/generated/core-v1.ts';
import { jobs, pods } from '../../api/generated/kinds.ts';
import type { New } from '../../api/meta.ts';
import { completionIndexKey, isTracked, trackingFinalizer } from '../../resources/batch/facts.ts';
import type { Action, Patch } from '../../runtime/plan.ts';
import { deletePod } from '../../workloads/actions.ts';
import type { Claims } from '../../workloads/claim.ts';
import { controllerReference } from '../../workloads/owner.ts';
import { podFromTemplate } from '../../workloads/template.ts';
import { failureAnnotations, type IndexFailures } from './indexed.ts';

/** Room for the five letters that the server appends. */
const generatedLengthMax = 58;
const indexVariable = 'JOB_COMPLETION_INDEX';

export function newPod(job: Job): New<Pod> {
  const pod = podFromTemplate(job.spec.template, { owner: job });
  return { ...pod, metadata: { ...pod.metadata, finalizers: withTracking(pod.metadata.finalizers) } };
}

/** A pod that knows its index: by label, annotation, environment and host name. */
export function newIndexedPod(
  job: Job,
  { index, failures }: { readonly index: number; readonly failures: IndexFailures | undefined },
): New<Pod> {
  const pod = newPod(job);
  const { labels, annotations } = pod.metadata;
  const suffix = `-${index}-`;
  const marks = { [completionIndexKey]: String(index) };
  return {
    ...pod,
    metadata: {
      ...pod.metadata,
      generateName: job.metadata.name.slice(0, generatedLengthMax - suffix.length) + suffix,
      labels: { ...labels, ...marks },
      annotations: { ...annotations, ...marks, ...(failures && failureAnnotations(failures)) },
    },
    spec: { ...withIndexVariable(pod.spec), hostname: `${job.metadata.name}-${index}` },
  };
}

function withIndexVariable(spec: PodSpec): PodSpec {
  const { containers, initContainers } = spec;
  return {
    ...spec,
    containers: containers.map(knowingIndex),
    ...(initContainers !== undefined && { initContainers: initContainers.map(knowingIndex) }),
  };
}

function knowingIndex(container: Container): Container {
  const { env = [] } = container;
  if (env.some(({ name }) => name === indexVariable)) return container;
  const fieldRef = { apiVersion: 'v1', fieldPath: `metadata.labels['${completionIndexKey}']` };
  return { ...container, env: [...env, { name: indexVariable, valueFrom: { fieldRef } }] };
}

function withTracking(finalizers: readonly string[] = []): readonly string[] {
  return finalizers.includes(trackingFinalizer) ? finalizers : [...finalizers, trackingFinalizer];
}

const release = { '$deleteFromPrimitiveList/finalizers': [trackingFinalizer] };

/** Lets the pod go: it is counted, or it will never be. */
export function untrack(pod: Pod): Patch {
  return { do: 'patch', type: pods, target: pod, patchType: 'strategic', body: { metadata: release } };
}

/** A pod that is taken back does not count as a failure, so it is let go before it is deleted. */
export function takeBack(job: Job, pod: Pod): Action {
  const deletion = deletePod(job, pod);
  return { do: 'inOrder', actions: isTracked(pod) ? [untrack(pod), deletion] : [deletion] };
}

/** Uids of pods that are {@link takeBack taken back}. */
export function takenBackIn(action: Action): readonly string[] {
  if (action.do !== 'inOrder') return [];
  return action.actions.flatMap((part) => (part.do === 'delete' ? [part.target.metadata.uid] : []));
}

/**
 * Adopted pods are counted from now on, released ones are not. So are those that lost their finalizer while they were to be deleted and
 * were not: nobody else would ever count them. But for those that are taken back now.
 */
export function claimPods(
  job: Job,
  { adopted, released, claimed }: Claims<Pod>,
  takenBack: ReadonlySet<string>,
): readonly Action[] {
  const patch = (target: Pod, metadata: object): Patch => ({
    do: 'patch',
    type: pods,
    target,
    patchType: 'strategic',
    body: { metadata },
  });
  const track = { finalizers: [trackingFinalizer] };
  const lost = claimed.filter(
    (pod) => isLive(pod) && !isTracked(pod) && !adopted.includes(pod) && !takenBack.has(pod.metadata.uid),
  );
  return [
    ...adopted.map((pod) => ({
      ...patch(pod, { ...track, ownerReferences: [controllerReference(job)] }),
      onBehalfOf: { type: jobs, object: job },
    })),
    ...released.map((pod) =>
      patch(pod, { ...release, ownerReferences: [{ $patch: 'delete', uid: job.metadata.uid }] }),
    ),
    ...lost.map((pod) => patch(pod, track)),
  ];
}

function isLive({ metadata, status }: Pod): boolean {
  return metadata.deletionTimestamp === undefined && status.phase !== 'Succeeded' && status.phase !== 'Failed';
}
