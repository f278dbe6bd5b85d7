import type { Container, Pod, PodSpec, SecurityContext } from '../../../../api/generated/core-v1.ts';
import type { ObjectMeta } from '../../../../api/meta.ts';

/** A pod, or what a workload makes its pods from. */
export interface Judged {
  readonly metadata: ObjectMeta;
  readonly spec: PodSpec;
}

/** What a pod does that its level does not allow, in upstream's words. */
export interface Violation {
  /** Short, and the same for all pods that do so. */
  readonly reason: string;
  /** Which part of this pod does it. */
  readonly detail: string;
}

export interface Check {
  /** They are looked at, and told, in the order of these. */
  readonly id: string;
  /** Of a check of the baseline: the check of the restricted level that asks for more. */
  readonly overriddenBy?: string;
  /** The minor version of Kubernetes that brought it; absent: it has always been there. */
  readonly sinceMinor?: number;
  violation(pod: Judged, minor: number): Violation | undefined;
}

/** What all kinds of containers have that checks look at. */
export type AnyContainer = Pick<
  Container,
  'name' | 'securityContext' | 'ports' | 'livenessProbe' | 'readinessProbe' | 'startupProbe' | 'lifecycle'
>;

export function allContainers({ spec }: Judged): readonly AnyContainer[] {
  return [...(spec.initContainers ?? []), ...spec.containers, ...(spec.ephemeralContainers ?? [])];
}

export function named(containers: readonly AnyContainer[]): string {
  return `${plural(containers.length, 'container')} ${quoted(containers.map(({ name }) => name))}`;
}

export function plural(count: number, one: string, several: string = `${one}s`): string {
  return count === 1 ? one : several;
}

export function quoted(texts: readonly string[]): string {
  return texts.map((text) => `"${text}"`).join(', ');
}

/** Each once, in order. */
export function sorted(texts: Iterable<string>): readonly string[] {
  return [...new Set(texts)].sort();
}

export function isWindows({ spec }: Judged): boolean {
  return spec.os?.name === 'windows';
}

type PodContext = NonNullable<Pod['spec']['securityContext']>;

export interface Setting<T> {
  /** `pod`, and the containers: who says what they may not. */
  readonly setters: readonly string[];
  readonly values: readonly T[];
  /** Those that say nothing, where the pod says nothing that is allowed either. */
  readonly silent: readonly AnyContainer[];
}

/** What pod and containers say of one thing that both may say. */
export function settingOf<T>(
  pod: Judged,
  read: (context: PodContext | SecurityContext) => T | undefined,
  isAllowed: (value: T) => boolean,
): Setting<T> {
  const ofPod = read(pod.spec.securityContext ?? {});
  const said = allContainers(pod).map((container) => ({ container, value: read(container.securityContext ?? {}) }));
  const bad = said.filter(({ value }) => value !== undefined && !isAllowed(value));
  const isPodBad = ofPod !== undefined && !isAllowed(ofPod);
  const isPodGood = ofPod !== undefined && !isPodBad;
  return {
    setters: [...(isPodBad ? ['pod'] : []), ...(bad.length > 0 ? [named(bad.map(({ container }) => container))] : [])],
    values: [...(isPodBad ? [ofPod] : []), ...bad.flatMap(({ value }) => (value === undefined ? [] : [value]))],
    silent: isPodGood ? [] : said.filter(({ value }) => value === undefined).map(({ container }) => container),
  };
}
