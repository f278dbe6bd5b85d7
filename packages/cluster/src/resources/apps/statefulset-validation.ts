import type { StatefulSet, StatefulSetSpec, StatefulSetUpdateStrategy } from '../../api/generated/apps-v1.ts';
import type { FieldPath, Issue } from '../../api/issue.ts';
import { type JsonObject, without } from '../../api/record.ts';
import { equal } from '../../base/equal.ts';
import { claimSpecIssues } from '../core/persistentvolumeclaim.ts';
import { dnsLabel } from '../validation/names.ts';
import { isNothing, validateAtMostAll, validateIntOrPercent } from './int-or-percent.ts';
import { validateForever, validateNotNegative, validateWorkload } from './workload-validation.ts';

const retentions: readonly string[] = ['Retain', 'Delete'];

export function* validateStatefulSet({ spec }: StatefulSet, root: FieldPath): Iterable<Issue> {
  const at = root('spec');
  const { podManagementPolicy = '', persistentVolumeClaimRetentionPolicy } = spec;
  if (podManagementPolicy === '') yield at('podManagementPolicy').required();
  else if (podManagementPolicy !== 'OrderedReady' && podManagementPolicy !== 'Parallel')
    yield at('podManagementPolicy').invalid(podManagementPolicy, "must be 'OrderedReady' or 'Parallel'");
  yield* validateStrategy(spec.updateStrategy ?? {}, at('updateStrategy'));
  for (const field of ['whenDeleted', 'whenScaled'] as const) {
    const retention = persistentVolumeClaimRetentionPolicy?.[field] ?? '';
    if (!retentions.includes(retention))
      yield at('persistentVolumeClaimRetentionPolicy', field).notSupported(retention, retentions);
  }
  yield* validateNotNegative(spec, at, ['replicas', 'minReadySeconds']);
  yield* validateNotNegative(spec.ordinals ?? {}, at('ordinals'), ['start']);
  yield* validateWorkload(withoutIdentity(spec), at, {
    emptyName: 'statefulset',
    unselected: 'both',
    tellsSelector: '',
    extraVolumes: (spec.volumeClaimTemplates ?? []).map(({ metadata }) => metadata?.name ?? ''),
  });
  yield* validateForever(spec.template, at('template'), 'StatefulSet');
}

/** What cannot change afterwards is judged once. */
export function* validateNewStatefulSet({ spec }: StatefulSet, root: FieldPath): Iterable<Issue> {
  const at = root('spec');
  // The pods' subdomain: what is refused there would be tried in vain for ever.
  if ((spec.serviceName ?? '') !== '') yield* dnsLabel(spec.serviceName ?? '', at('serviceName'));
  yield* validateClaims(spec, at('volumeClaimTemplates'));
}

/** Each pod gets its own host name, and the Service as its subdomain: what the template says of them does not count. */
function withoutIdentity(spec: StatefulSetSpec): StatefulSetSpec {
  const { spec: pod } = spec.template ?? {};
  if (pod?.hostname === undefined && pod?.subdomain === undefined) return spec;
  const { hostname: _hostname, subdomain: _subdomain, ...others } = pod;
  return { ...spec, template: { ...spec.template, spec: others } };
}

/** Pods mount the claims by these names, so that a claim without one is of no use. */
function* validateClaims({ volumeClaimTemplates = [] }: StatefulSetSpec, at: FieldPath): Iterable<Issue> {
  const names = new Set<string>();
  for (const [index, { metadata, spec = {} }] of volumeClaimTemplates.entries()) {
    const name = metadata?.name ?? '';
    if (name === '') yield at(index, 'metadata', 'name').required();
    else yield* dnsLabel(name, at(index, 'metadata', 'name'));
    if (name !== '' && names.has(name)) yield at(index, 'metadata', 'name').duplicate(name);
    names.add(name);
    yield* claimSpecIssues(spec, at(index, 'spec'));
  }
}

function* validateStrategy(strategy: StatefulSetUpdateStrategy, at: FieldPath): Iterable<Issue> {
  const { type = '', rollingUpdate } = strategy;
  if (type === '') yield at.required();
  else if (type === 'OnDelete') {
    if (rollingUpdate !== undefined)
      yield at('rollingUpdate').invalid(rollingUpdate, "only allowed for updateStrategy 'RollingUpdate'");
  } else if (type !== 'RollingUpdate') yield at.invalid(inGo(strategy), "must be 'RollingUpdate' or 'OnDelete'");
  else if (rollingUpdate !== undefined) {
    const { partition = 0, maxUnavailable } = rollingUpdate;
    if (partition < 0) yield at('rollingUpdate', 'partition').invalid(partition, 'must be greater than or equal to 0');
    if (maxUnavailable === undefined) return;
    const place = at('rollingUpdate', 'maxUnavailable');
    yield* validateIntOrPercent(maxUnavailable, place);
    if (isNothing(maxUnavailable)) yield place.invalid(maxUnavailable, 'cannot be 0');
    yield* validateAtMostAll(maxUnavailable, place);
  }
}

/** The whole strategy, by the names that its fields have there: so it is quoted. */
function inGo({ type, rollingUpdate }: StatefulSetUpdateStrategy): unknown {
  const { partition = 0, maxUnavailable = null } = rollingUpdate ?? {};
  return {
    Type: type,
    RollingUpdate: rollingUpdate === undefined ? null : { Partition: partition, MaxUnavailable: maxUnavailable },
  };
}

const changeable: ReadonlySet<string> = new Set([
  'replicas',
  'ordinals',
  'template',
  'updateStrategy',
  'revisionHistoryLimit',
  'persistentVolumeClaimRetentionPolicy',
  'minReadySeconds',
]);

/** Claim templates are claims, whatever kind they call themselves; and who was stored without a service has none. */
function fixed(field: string, spec: Readonly<Record<string, unknown>>): unknown {
  const value = field === 'serviceName' ? (spec[field] ?? '') : spec[field];
  if (field !== 'volumeClaimTemplates' || !Array.isArray(value)) return value;
  return (value as readonly JsonObject[]).map((template) => without(template, ['apiVersion', 'kind']));
}

/** What a StatefulSet is, its pods and claims are named and bound by: the rest may change. */
export function* validateStatefulSetUpdate(next: StatefulSet, current: StatefulSet, at: FieldPath): Iterable<Issue> {
  const before = current.spec as unknown as Readonly<Record<string, unknown>>;
  const after = (next.spec ?? {}) as unknown as Readonly<Record<string, unknown>>;
  for (const field of new Set([...Object.keys(before), ...Object.keys(after)]))
    if (!changeable.has(field) && !equal(fixed(field, before), fixed(field, after))) {
      yield at('spec').forbidden(
        "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden",
      );
      return;
    }
}
