import type {
  Affinity,
  PersistentVolumeClaim,
  Pod,
  PodAffinityTerm,
  ResourceQuota,
  ScopedResourceSelectorRequirement,
} from '../../../api/generated/core-v1.ts';
import { persistentvolumeclaims, pods } from '../../../api/generated/kinds.ts';
import { isSameResource } from '../../../api/gvk.ts';
import type { KubeObject } from '../../../api/meta.ts';
import { qosClassOf } from '../pod/facts.ts';
import type { Counted } from './usage.ts';

export type Scope = ScopedResourceSelectorRequirement;

/** A scope by its name alone, and one with an operator, are the same. */
export function scopesOf({ spec }: ResourceQuota): readonly Scope[] {
  const named = (spec?.scopes ?? []).map((scopeName): Scope => ({ scopeName, operator: 'Exists' }));
  return [...named, ...(spec?.scopeSelector?.matchExpressions ?? [])];
}

/** Whether a quota is about an object, as far as its scopes go: all of them, and only pods and claims have any. */
export function isInScopes(scopes: readonly Scope[], type: Counted, object: KubeObject): boolean {
  if (scopes.length === 0) return true;
  if (isSameResource(type, pods)) return scopes.every((scope) => holdsForPod(scope, object as Pod));
  if (!isSameResource(type, persistentvolumeclaims)) return false;
  return scopes.every((scope) => holdsForClaim(scope, object as PersistentVolumeClaim));
}

function holdsForPod(scope: Scope, { spec }: Pod): boolean {
  switch (scope.scopeName) {
    case 'Terminating':
      return isTerminating(spec);
    case 'NotTerminating':
      return !isTerminating(spec);
    case 'BestEffort':
      return qosClassOf(spec) === 'BestEffort';
    case 'NotBestEffort':
      return qosClassOf(spec) !== 'BestEffort';
    case 'PriorityClass': {
      const { priorityClassName = '' } = spec;
      return holdsForNames(scope, priorityClassName === '' ? [] : [priorityClassName]);
    }
    case 'CrossNamespacePodAffinity':
      return looksElsewhere(spec.affinity);
    default:
      return false;
  }
}

function isTerminating({ activeDeadlineSeconds }: Pod['spec']): boolean {
  return activeDeadlineSeconds !== undefined && activeDeadlineSeconds >= 0;
}

function looksElsewhere(affinity: Affinity | undefined): boolean {
  const of = ({ namespaces = [], namespaceSelector }: PodAffinityTerm): boolean =>
    namespaces.length > 0 || namespaceSelector !== undefined;
  return [affinity?.podAffinity, affinity?.podAntiAffinity].some(
    (each) =>
      each?.requiredDuringSchedulingIgnoredDuringExecution?.some(of) === true ||
      each?.preferredDuringSchedulingIgnoredDuringExecution?.some(({ podAffinityTerm }) => of(podAffinityTerm)) ===
        true,
  );
}

function holdsForClaim(scope: Scope, { spec, status }: PersistentVolumeClaim): boolean {
  if (scope.scopeName !== 'VolumeAttributesClass') return false;
  const names = [
    spec.volumeAttributesClassName,
    status?.currentVolumeAttributesClassName,
    status?.modifyVolumeStatus?.targetVolumeAttributesClassName,
  ];
  return holdsForNames(
    scope,
    names.filter((name) => name !== undefined && name !== ''),
  );
}

/** One that holds is enough; where there is none, only what asks for absence holds. */
function holdsForNames({ operator, values = [] }: Scope, names: readonly (string | undefined)[]): boolean {
  const isNamed = (name: string | undefined): boolean => name !== undefined && values.includes(name);
  switch (operator) {
    case 'In':
      return names.some(isNamed);
    case 'NotIn':
      return names.length === 0 || names.some((name) => !isNamed(name));
    case 'Exists':
      return names.length > 0;
    case 'DoesNotExist':
      return names.length === 0;
    default:
      return false;
  }
}
