import type { Pod } from '../api/generated/core-v1.ts';
import type { PodView } from './pod-view.ts';

/** All that it is about stands in the spec, which versions of a pod share. */
const demands = new WeakMap<Pod['spec'], string>();
const words = new WeakMap<PodView, string>();

/**
 * What a pod wants of a node by itself, as text: pods with the same text are alike to every plugin that `looksAt` demands
 * only. Most pods are one of many that are alike.
 */
export function demandsOf(pod: PodView): string {
  const { spec } = pod.pod;
  const known = demands.get(spec);
  if (known !== undefined) return known;
  const text = last !== undefined && isAlike(last.pod, pod) ? last.text : demandsAsText(pod);
  last = { pod, text };
  // Of what may still change nothing is remembered.
  if (Object.isFrozen(spec)) demands.set(spec, text);
  return text;
}

/** Pods that are alike come one after the other, and have their parts from the same defaults: then it is the same text, too. */
let last: { readonly pod: PodView; readonly text: string } | undefined;

/** At a glance: nothing is looked into, so some that are alike are not seen to be. */
function isAlike(a: PodView, b: PodView): boolean {
  return (
    a.priority === b.priority &&
    a.requests.cpuMilli === b.requests.cpuMilli &&
    a.requests.memoryBytes === b.requests.memoryBytes &&
    a.requests.ephemeralBytes === b.requests.ephemeralBytes &&
    a.requests.extended === b.requests.extended &&
    a.assumedCpuMilli === b.assumedCpuMilli &&
    a.assumedMemoryBytes === b.assumedMemoryBytes &&
    a.hostPorts === b.hostPorts &&
    a.tolerations === b.tolerations &&
    a.nodeSelector === b.nodeSelector &&
    a.requiredTerms === b.requiredTerms &&
    a.pod.spec.nodeName === b.pod.spec.nodeName &&
    a.pod.spec.schedulerName === b.pod.spec.schedulerName
  );
}

function demandsAsText(pod: PodView): string {
  const { spec } = pod.pod;
  const { priority, requests, assumedCpuMilli, assumedMemoryBytes, hostPorts, tolerations, nodeSelector } = pod;
  return JSON.stringify([
    priority,
    requests,
    assumedCpuMilli,
    assumedMemoryBytes,
    hostPorts,
    tolerations,
    nodeSelector,
    pod.requiredTerms,
    spec.nodeName,
    spec.schedulerName,
  ]);
}

/** All that rules look at, of other pods too: pods with the same text are alike to every plugin of ours. */
export function wordsOf(pod: PodView): string {
  const known = words.get(pod);
  if (known !== undefined) return known;
  const { affinity, topologySpreadConstraints, volumes } = pod.pod.spec;
  const text = `${demandsOf(pod)} ${JSON.stringify([pod.namespace, pod.labels, affinity, topologySpreadConstraints, volumes])}`;
  words.set(pod, text);
  return text;
}
