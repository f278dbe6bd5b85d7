import type { Pod, PodSpec } from '../../api/generated/core-v1.ts';
import { pods, runtimeclasses } from '../../api/generated/kinds.ts';
import type { RuntimeClass } from '../../api/generated/node-v1.ts';
import { parseQuantity } from '../../api/quantity.ts';
import { forbidden, StatusError } from '../../api/status.ts';
import { equal } from '../../base/equal.ts';
import { shownName } from '../../resources/shown-name.ts';
import type { AdmissionPlugin, AdmissionWorld } from '../context/admission.ts';

/** What a runtime takes for itself, and on which nodes it is, come from its class. */
export const runtimeClassAdmission: AdmissionPlugin = {
  name: 'RuntimeClass',
  resources: [pods],
  create(object, world) {
    const pod = object as Pod;
    const found = classOf(pod, world);
    if (found === undefined) return pod;
    return { ...pod, spec: placed(withOverhead(pod, found), { pod, found }) };
  },
  checkCreate(object, world) {
    const pod = object as Pod;
    const fixed = classOf(pod, world)?.overhead?.podFixed;
    if (fixed !== undefined && !isSameAmounts(fixed, pod.spec.overhead)) throw refusal(pod, otherOverhead);
    if (fixed === undefined && pod.spec.overhead !== undefined)
      throw refusal(pod, 'pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead');
  },
};

const otherOverhead = "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead";

function classOf(pod: Pod, { get }: AdmissionWorld): RuntimeClass | undefined {
  const { runtimeClassName: name } = pod.spec;
  if (name === undefined) return undefined;
  const found = get(runtimeclasses, { name });
  if (found === undefined) throw refusal(pod, `pod rejected: RuntimeClass ${JSON.stringify(name)} not found`);
  return found;
}

function withOverhead(pod: Pod, { overhead }: RuntimeClass): PodSpec {
  const { spec } = pod;
  const fixed = overhead?.podFixed;
  if (fixed === undefined) return spec;
  if (Object.keys(spec.overhead ?? {}).length > 0 && !isSameAmounts(fixed, spec.overhead))
    throw refusal(pod, otherOverhead);
  return { ...spec, overhead: fixed };
}

function placed(
  spec: PodSpec,
  { pod, found: { scheduling } }: { readonly pod: Pod; readonly found: RuntimeClass },
): PodSpec {
  if (scheduling === undefined) return spec;
  const { nodeSelector = {}, tolerations = [] } = scheduling;
  for (const [key, value] of Object.entries(nodeSelector)) {
    const given = spec.nodeSelector?.[key] ?? value;
    if (given !== value)
      throw refusal(
        pod,
        `conflict: runtimeClass.scheduling.nodeSelector[${key}] = ${value}; pod.spec.nodeSelector[${key}] = ${given}`,
      );
  }
  const selector = { ...spec.nodeSelector, ...nodeSelector };
  const own = spec.tolerations ?? [];
  const all = [...own, ...tolerations.filter((each) => !own.some((other) => equal(each, other)))];
  return {
    ...spec,
    ...(Object.keys(selector).length > 0 && { nodeSelector: selector }),
    ...(all.length > 0 && { tolerations: all }),
  };
}

function isSameAmounts(
  a: Readonly<Record<string, string>>,
  b: Readonly<Record<string, string>> | undefined = {},
): boolean {
  const names = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...names].every((name) => parseQuantity(a[name] ?? '') === parseQuantity(b[name] ?? ''));
}

function refusal(pod: Pod, why: string): StatusError {
  return new StatusError(forbidden(pods, shownName(pod), why));
}
