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
  const { priority, requests, assumedCpuMilli, assumedMemoryBytes, hostPorts, tolerations, nodeSelector } = pod;
  const text = JSON.stringify([
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
  // Of what may still change nothing is remembered.
  if (Object.isFrozen(spec)) demands.set(spec, text);
  return text;
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
