/**
 * What the API server's built-in admission adds to pods on create, as pure functions. They follow upstream's
 * DefaultTolerationSeconds, Priority and ServiceAccount plugins.
 */
import type { Pod, ServiceAccount, Toleration } from '../../../api/generated/core-v1.ts';
import type { PriorityClass } from '../../../api/generated/scheduling-v1.ts';
import { forbidden, StatusError } from '../../../api/status.ts';
import { fresh } from '../../../base/fresh.ts';
import { builtinPriorityClasses } from '../../scheduling/priorityclass.ts';
import { shownName } from '../../shown-name.ts';
import { pathSegmentProblems } from '../../validation/names.ts';

const defaultSeconds = 300;
const defaultTolerations: readonly Toleration[] = Object.freeze(
  ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable'].map((key) =>
    Object.freeze({ key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: defaultSeconds }),
  ),
);

/** A pod stays five minutes on a node that is not ready or out of reach, unless it says otherwise. */
export function withDefaultTolerations(pod: Pod): Pod {
  const given = pod.spec.tolerations ?? [];
  const missing = defaultTolerations.filter((wanted) => !given.some((toleration) => covers(toleration, wanted)));
  if (missing.length === 0) return pod;
  const tolerations = given.length === 0 && missing.length === 2 ? defaultTolerations : [...given, ...missing];
  return { ...fresh, ...pod, spec: { ...fresh, ...pod.spec, tolerations } };
}

function covers({ key = '', effect = '' }: Toleration, wanted: Toleration): boolean {
  return (key === '' || key === wanted.key) && (effect === '' || effect === 'NoExecute');
}

/** Classes that exist in every cluster, whether or not somebody has written them down. */
const systemPriorities: ReadonlyMap<string, number> = new Map(
  builtinPriorityClasses.map(({ metadata, value }) => [metadata.name ?? '', value ?? 0]),
);

interface Priority {
  readonly name: string;
  readonly value: number;
  readonly preemptionPolicy: string;
}

/**
 * Resolves the pod's priority class to a number. Without a class the cluster's default applies, or 0. Refuses (403) a
 * class that does not exist, and numbers that the user made up.
 */
export function withPriority(pod: Pod, priorityClasses: Iterable<PriorityClass>): Pod {
  const { spec } = pod;
  const priority = priorityOf(pod, priorityClasses);
  if (spec.priority !== undefined && spec.priority !== priority.value)
    throw refusal(
      pod,
      `the integer value of priority (${spec.priority}) must not be provided in pod spec; priority admission controller computed ${priority.value} from the given PriorityClass name`,
    );
  if (spec.preemptionPolicy !== undefined && spec.preemptionPolicy !== priority.preemptionPolicy)
    throw refusal(
      pod,
      `the string value of PreemptionPolicy (${spec.preemptionPolicy}) must not be provided in pod spec; priority admission controller computed ${priority.preemptionPolicy} from the given PriorityClass name`,
    );
  if (
    spec.priority === priority.value &&
    spec.preemptionPolicy === priority.preemptionPolicy &&
    (spec.priorityClassName ?? '') === priority.name
  )
    return pod;
  return {
    ...fresh,
    ...pod,
    spec: {
      ...fresh,
      ...spec,
      ...(priority.name !== '' && { priorityClassName: priority.name }),
      priority: priority.value,
      preemptionPolicy: priority.preemptionPolicy,
    },
  };
}

function priorityOf(pod: Pod, classes: Iterable<PriorityClass>): Priority {
  const { priorityClassName = '' } = pod.spec;
  if (priorityClassName === '') {
    let chosen: PriorityClass | undefined;
    // Should there be two defaults, the lower one is the safer.
    for (const each of classes)
      if (each.globalDefault === true && (chosen === undefined || each.value < chosen.value)) chosen = each;
    return chosen === undefined ? { name: '', value: 0, preemptionPolicy: 'PreemptLowerPriority' } : toPriority(chosen);
  }
  for (const each of classes) if (each.metadata.name === priorityClassName) return toPriority(each);
  const value = systemPriorities.get(priorityClassName);
  if (value === undefined) throw refusal(pod, `no PriorityClass with name ${priorityClassName} was found`);
  return { name: priorityClassName, value, preemptionPolicy: 'PreemptLowerPriority' };
}

function toPriority({ metadata, value, preemptionPolicy = 'PreemptLowerPriority' }: PriorityClass): Priority {
  return { name: metadata.name, value, preemptionPolicy };
}

/** Upstream has given no name yet when it asks: then it calls the pod by what its name begins with. */
function refusal(pod: Pod, why: string): StatusError {
  return new StatusError(forbidden({ group: '', resource: 'pods' }, shownName(pod), why));
}

const accountDefault = 'default';

/**
 * The pod's account. Refuses (403) a pod whose account does not exist; but `default` of a new namespace is about to be made,
 * and upstream would wait for it.
 */
export function lookedUp(pod: Pod, find: (name: string) => ServiceAccount | undefined): ServiceAccount | undefined {
  const { serviceAccountName: name = '' } = pod.spec;
  const account = find(name === '' ? accountDefault : name);
  if (account !== undefined || name === '' || name === accountDefault) return account;
  throw refusal(pod, `error looking up service account ${pod.metadata.namespace}/${name}: ${whyMissing(name)}`);
}

/** What cannot be a name is not looked for. */
function whyMissing(name: string): string {
  const problems = pathSegmentProblems(name);
  return problems.length === 0
    ? `serviceaccount ${JSON.stringify(name)} not found`
    : `invalid resource name ${JSON.stringify(name)}: [${problems.join(' ')}]`;
}

/** Refuses (403) a mirror of a static pod that asks for what its node could not give it. */
export function checkMirror(pod: Pod): Pod {
  const { serviceAccountName = '', volumes = [] } = pod.spec;
  if (serviceAccountName !== '') throw refusal(pod, 'a mirror pod may not reference service accounts');
  const projected = volumes.flatMap((volume) => volume.projected?.sources ?? []);
  if (projected.some(({ serviceAccountToken }) => serviceAccountToken !== undefined))
    throw refusal(pod, 'a mirror pod may not use ServiceAccountToken volume projections');
  return pod;
}

/**
 * Gives the pod the namespace's `default` account when it names none, and the account's pull secrets when it has none of
 * its own. Whether the account exists is the caller's question.
 */
export function withServiceAccount(pod: Pod, account?: ServiceAccount): Pod {
  const { serviceAccountName = '', imagePullSecrets = [] } = pod.spec;
  const name = serviceAccountName === '' ? accountDefault : serviceAccountName;
  const secrets = imagePullSecrets.length === 0 ? (account?.imagePullSecrets ?? []) : [];
  if (serviceAccountName === name && pod.spec.serviceAccount === name && secrets.length === 0) return pod;
  return {
    ...fresh,
    ...pod,
    spec: {
      ...fresh,
      ...pod.spec,
      serviceAccountName: name,
      serviceAccount: name,
      ...(secrets.length > 0 && { imagePullSecrets: secrets }),
    },
  };
}
