import type { Job, PodFailurePolicyRule } from '../../api/generated/batch-v1.ts';
import type { ContainerStatus, Pod } from '../../api/generated/core-v1.ts';

/** What the Job's failure policy makes of a failed pod. */
export type Judgement =
  | { readonly action: 'Count' | 'Ignore' | 'FailIndex' }
  /** `message` says which container or condition met which rule. */
  | { readonly action: 'FailJob'; readonly message: string };

const counted: Judgement = Object.freeze({ action: 'Count' });

/** By the first rule that matches; where none does the failure counts. */
export function judgeFailure({ spec }: Job, pod: Pod): Judgement {
  for (const [index, rule] of (spec.podFailurePolicy?.rules ?? []).entries()) {
    const cause = matching(rule, pod);
    if (cause === undefined) continue;
    switch (rule.action) {
      case 'FailJob':
        return { action: 'FailJob', message: `${cause} matching FailJob rule at index ${index}` };
      // A rule for indexes says nothing where indexes have no limit of their own.
      case 'FailIndex':
        if (spec.backoffLimitPerIndex === undefined) continue;
        return { action: 'FailIndex' };
      case 'Ignore':
        return { action: 'Ignore' };
      case 'Count':
        return counted;
    }
  }
  return counted;
}

/** Why the rule matches, in upstream's words. */
function matching({ onExitCodes, onPodConditions = [] }: PodFailurePolicyRule, pod: Pod): string | undefined {
  const { namespace, name } = pod.metadata;
  if (onExitCodes !== undefined) {
    const { containerName, operator, values } = onExitCodes;
    const isMeant = (status: ContainerStatus): boolean => {
      const exitCode = status.state?.terminated?.exitCode ?? 0;
      if (exitCode === 0 || (containerName !== undefined && status.name !== containerName)) return false;
      return values.includes(exitCode) === (operator === 'In');
    };
    const { containerStatuses = [], initContainerStatuses = [] } = pod.status;
    const found = [...containerStatuses, ...initContainerStatuses].find(isMeant);
    return (
      found &&
      `Container ${found.name} for pod ${namespace}/${name} failed with exit code ${found.state?.terminated?.exitCode}`
    );
  }
  const found = pod.status.conditions?.find((condition) =>
    onPodConditions.some(({ type, status }) => condition.type === type && condition.status === status),
  );
  return found && `Pod ${namespace}/${name} has condition ${found.type}`;
}
