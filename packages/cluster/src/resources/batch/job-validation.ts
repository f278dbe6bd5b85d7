import type {
  Job,
  JobSpec,
  JobTemplateSpec,
  PodFailurePolicyRule,
  SuccessPolicyRule,
} from '../../api/generated/batch-v1.ts';
import type { PodSpec, PodTemplateSpec } from '../../api/generated/core-v1.ts';
import type { FieldPath, Issue } from '../../api/issue.ts';
import { compileSelector, validateSelector } from '../../api/selector/selector.ts';
import { equal } from '../../base/equal.ts';
import { validateNotNegative } from '../apps/workload-validation.ts';
import { validatePodTemplate } from '../core/pod/template.ts';
import { oneOf, unchanged } from '../validation/fields.ts';
import { annotationsIssues, domainPrefixedPath, labelIssues, qualifiedName } from '../validation/names.ts';
import { countIndexes, indexesFault, parseIndexes } from './indexes.ts';

const perIndex = ['backoffLimitPerIndex', 'maxFailedIndexes'] as const;
const completionModes: readonly string[] = ['NonIndexed', 'Indexed'];
const replacementPolicies: readonly string[] = ['Failed', 'TerminatingOrFailed'];
const failureActions: readonly string[] = ['Count', 'FailIndex', 'FailJob', 'Ignore'];
const failureRulesMax = 20;
const exitCodesMax = 255;
const conditionsMax = 20;
const managerBytesMax = 63;

export function* validateJob({ spec }: Job, root: FieldPath): Iterable<Issue> {
  const at = root('spec');
  yield* validateJobSpec(spec, at);
  const { selector, template } = spec;
  const unmatched = (): Issue =>
    at('template', 'metadata', 'labels').invalid(
      template?.metadata?.labels ?? null,
      '`selector` does not match template `labels`',
    );
  if (selector === undefined) {
    yield at('selector').required();
    yield unmatched();
    return;
  }
  const issues = [...validateSelector(selector, at('selector'))];
  yield* issues;
  if (issues.length === 0 && !compileSelector(selector)(template?.metadata?.labels)) yield unmatched();
}

/** Unless it chooses its pods by hand, a job has those that it makes, and no others. */
export function* validateNewJob({ metadata, spec }: Job, root: FieldPath): Iterable<Issue> {
  const { selector, manualSelector } = spec;
  if (manualSelector === true || selector === undefined) return;
  const { uid, name } = metadata;
  const own = { 'controller-uid': uid, 'job-name': name };
  const labels = Object.fromEntries(
    Object.entries(own).flatMap(([label, value]) => [
      [label, value],
      [`batch.kubernetes.io/${label}`, value],
    ]),
  );
  const isReadable = [...validateSelector(selector, root('spec', 'selector'))].length === 0;
  if (isReadable && !compileSelector(selector)(labels))
    yield root('spec', 'selector').invalid(selector, '`selector` not auto-generated');
}

/** A job as a CronJob describes it: it gets its selector when it is made. */
export function* validateJobTemplate({ metadata, spec }: Partial<JobTemplateSpec>, at: FieldPath): Iterable<Issue> {
  yield* labelIssues(metadata?.labels, at('metadata', 'labels'));
  yield* annotationsIssues(metadata?.annotations, at('metadata', 'annotations'));
  if (spec?.manualSelector === true) yield at('spec', 'manualSelector').notSupported(true, ['nil', 'false']);
  if (spec?.selector !== undefined)
    yield at('spec', 'selector').invalid(spec.selector, '`selector` will be auto-generated');
  yield* validateJobSpec(spec ?? {}, at('spec'));
}

function* validateJobSpec(spec: Partial<JobSpec>, at: FieldPath): Iterable<Issue> {
  yield* validateNotNegative(spec, at, [
    'parallelism',
    'completions',
    'activeDeadlineSeconds',
    'backoffLimit',
    'ttlSecondsAfterFinished',
    'backoffLimitPerIndex',
    'maxFailedIndexes',
  ]);
  if (spec.maxFailedIndexes !== undefined && spec.backoffLimitPerIndex === undefined)
    yield at('backoffLimitPerIndex').required('when maxFailedIndexes is specified');
  yield* oneOf(spec.completionMode, completionModes, at('completionMode'));
  if (spec.completionMode === 'Indexed') yield* validateIndexed(spec, at);
  // Of a mode that is none only this is told.
  const others = spec.completionMode === 'NonIndexed' || spec.completionMode === undefined ? perIndex : [];
  if (spec.completionMode !== 'Indexed')
    for (const field of [...others, 'successPolicy'] as const)
      if (spec[field] !== undefined) yield at(field).invalid(spec[field], 'requires indexed completion mode');
  if (spec.podFailurePolicy === undefined)
    yield* oneOf(spec.podReplacementPolicy, replacementPolicies, at('podReplacementPolicy'));
  else yield* oneOf(spec.podReplacementPolicy, ['Failed'], at('podReplacementPolicy'));
  yield* validateFailureRules(spec.podFailurePolicy?.rules ?? [], {
    at: at('podFailurePolicy', 'rules'),
    limitPerIndex: spec.backoffLimitPerIndex,
    containers: containerNames(spec.template),
  });
  yield* validateManager(spec.managedBy, at('managedBy'));
  yield* validatePodTemplate(spec.template, at('template'));
  yield* validateRestartPolicy(spec, at('template', 'spec', 'restartPolicy'));
}

function* validateManager(managedBy: string | undefined, at: FieldPath): Iterable<Issue> {
  if (managedBy === undefined) return;
  yield* domainPrefixedPath(managedBy, at);
  if (Buffer.byteLength(managedBy) > managerBytesMax) yield at.tooLong(managedBy, managerBytesMax);
}

const indexesAtOnceMax = 100_000;
/** More indexes than these have room for fewer failures: their texts have to fit into an object. */
const completionsSoftMax = 100_000;
const highCompletions = { parallelism: 10_000, maxFailedIndexes: 10_000 } as const;

function* validateIndexed(spec: Partial<JobSpec>, at: FieldPath): Iterable<Issue> {
  const { completions, parallelism = 0, backoffLimitPerIndex, maxFailedIndexes } = spec;
  if (completions === undefined) {
    yield at('completions').required('when completion mode is Indexed');
    return;
  }
  if (parallelism > indexesAtOnceMax)
    yield at('parallelism').invalid(
      parallelism,
      `must be less than or equal to ${indexesAtOnceMax} when completion mode is Indexed`,
    );
  if (maxFailedIndexes !== undefined) {
    if (maxFailedIndexes > completions)
      yield at('maxFailedIndexes').invalid(maxFailedIndexes, 'must be less than or equal to completions');
    if (maxFailedIndexes > indexesAtOnceMax)
      yield at('maxFailedIndexes').invalid(maxFailedIndexes, `must be less than or equal to ${indexesAtOnceMax}`);
  }
  if (completions > completionsSoftMax && backoffLimitPerIndex !== undefined) {
    if (maxFailedIndexes === undefined)
      yield at('maxFailedIndexes').required(`must be specified when completions is above ${completionsSoftMax}`);
    for (const field of ['parallelism', 'maxFailedIndexes'] as const)
      if ((spec[field] ?? 0) > highCompletions[field])
        yield at(field).invalid(
          spec[field],
          `must be less than or equal to ${highCompletions[field]} when completions are above ${completionsSoftMax} and used with backoff limit per index`,
        );
  }
  if (spec.successPolicy !== undefined)
    yield* validateSuccessRules(spec.successPolicy.rules ?? [], { at: at('successPolicy', 'rules'), completions });
}

const successRulesMax = 20;

function* validateSuccessRules(
  rules: readonly SuccessPolicyRule[],
  { at, completions }: { readonly at: FieldPath; readonly completions: number },
): Iterable<Issue> {
  if (rules.length === 0) yield at.required('at least one rules must be specified when the successPolicy is specified');
  if (rules.length > successRulesMax) yield at.tooMany(rules.length, successRulesMax);
  for (const [index, rule] of rules.entries()) {
    const { succeededCount, succeededIndexes } = rule;
    const place = at(index);
    if (succeededCount === undefined && succeededIndexes === undefined)
      yield place.required('at least one of succeededCount or succeededIndexes must be specified');
    const fault = succeededIndexes === undefined ? undefined : indexesFault(succeededIndexes, completions);
    if (fault !== undefined)
      yield place('succeededIndexes').invalid(succeededIndexes, `error parsing succeededIndexes: ${fault}`);
    if (succeededCount === undefined) continue;
    yield* validateNotNegative(rule, place, ['succeededCount']);
    if (succeededCount > completions)
      yield place('succeededCount').invalid(
        succeededCount,
        `must be less than or equal to ${completions} (the number of specified completions)`,
      );
    const named =
      succeededIndexes === undefined || fault !== undefined
        ? undefined
        : countIndexes(parseIndexes(succeededIndexes, completions));
    if (named !== undefined && succeededCount > named)
      yield place('succeededCount').invalid(
        succeededCount,
        `must be less than or equal to ${named} (the number of indexes in the specified succeededIndexes field)`,
      );
  }
}

function* validateRestartPolicy({ template, podFailurePolicy }: Partial<JobSpec>, at: FieldPath): Iterable<Issue> {
  const policy = template?.spec?.restartPolicy ?? '';
  if (policy === '' || policy === 'Always') yield at.required('valid values: "OnFailure", "Never"');
  else if (policy !== 'OnFailure' && policy !== 'Never') yield at.notSupported(policy, ['OnFailure', 'Never']);
  else if (podFailurePolicy !== undefined && policy !== 'Never')
    yield at.invalid(policy, 'only "Never" is supported when podFailurePolicy is specified');
}

interface FailureRulesPlace {
  readonly at: FieldPath;
  readonly limitPerIndex: number | undefined;
  readonly containers: ReadonlySet<string>;
}

function containerNames(template: Partial<PodTemplateSpec> | undefined): ReadonlySet<string> {
  const { containers = [], initContainers = [] }: Partial<PodSpec> = template?.spec ?? {};
  return new Set([...containers, ...initContainers].map(({ name }) => name));
}

function* validateFailureRules(
  rules: readonly Partial<PodFailurePolicyRule>[],
  { at, limitPerIndex, containers }: FailureRulesPlace,
): Iterable<Issue> {
  if (rules.length > failureRulesMax) yield at.tooMany(rules.length, failureRulesMax);
  for (const [index, { action = '', onExitCodes, onPodConditions = [] }] of rules.entries()) {
    const place = at(index);
    yield* saidOneOf(action, failureActions, place('action'));
    if (action === 'FailIndex' && limitPerIndex === undefined)
      yield place('action').invalid(action, 'requires the backoffLimitPerIndex to be set');
    if (onExitCodes !== undefined && onPodConditions.length > 0)
      yield place.invalid(null, 'specifying both OnExitCodes and OnPodConditions is not supported');
    if (onExitCodes === undefined && onPodConditions.length === 0)
      yield place.invalid(null, 'specifying one of OnExitCodes and OnPodConditions is required');
    if (onExitCodes !== undefined) yield* exitCodeIssues(onExitCodes, place('onExitCodes'), containers);
    yield* conditionIssues(onPodConditions, place('onPodConditions'));
  }
}

type ExitCodes = Partial<NonNullable<PodFailurePolicyRule['onExitCodes']>>;
type Conditions = readonly Partial<NonNullable<PodFailurePolicyRule['onPodConditions']>[number]>[];

function* exitCodeIssues(
  { operator = '', containerName, values = [] }: ExitCodes,
  at: FieldPath,
  containers: ReadonlySet<string>,
): Iterable<Issue> {
  yield* saidOneOf(operator, ['In', 'NotIn'], at('operator'));
  if (containerName !== undefined && !containers.has(containerName))
    yield at('containerName').invalid(
      containerName,
      'must be one of the container or initContainer names in the pod template',
    );
  for (const [number, value] of values.entries()) {
    if (operator === 'In' && value === 0)
      yield at('values', number).invalid(value, 'must not be 0 for the In operator');
    if (values.indexOf(value) < number) yield at('values', number).duplicate(value);
  }
  if (values.some((value, number) => number > 0 && value < (values[number - 1] ?? value)))
    yield at('values').invalid(values, 'must be ordered');
  if (values.length === 0) yield at('values').invalid(values, 'at least one value is required');
  if (values.length > exitCodesMax) yield at('values').tooMany(values.length, exitCodesMax);
}

function* conditionIssues(conditions: Conditions, at: FieldPath): Iterable<Issue> {
  if (conditions.length > conditionsMax) yield at.tooMany(conditions.length, conditionsMax);
  for (const [index, { type = '', status = '' }] of conditions.entries()) {
    yield* qualifiedName(type, at(index, 'type'));
    yield* saidOneOf(status, ['False', 'True', 'Unknown'], at(index, 'status'));
  }
}

function* saidOneOf(value: string, supported: readonly string[], at: FieldPath): Iterable<Issue> {
  if (value !== '') yield* oneOf(value, supported, at);
  else yield at.required(`valid values: [${supported.map((each) => JSON.stringify(each)).join(' ')}]`);
}

const fixedFields = [
  'completionMode',
  'podFailurePolicy',
  'backoffLimitPerIndex',
  'managedBy',
  'successPolicy',
] as const;

/** A job is decided when it is made; while it is suspended and has not begun, its pods' placement may still change. */
export function* validateJobUpdate(next: Job, current: Job, root: FieldPath): Iterable<Issue> {
  const at = root('spec');
  yield* completionsIssues(next.spec, current.spec, at('completions'));
  yield* unchanged(next.spec.selector, current.spec.selector, at('selector'));
  const replaceable = current.spec.suspend === true && current.status?.startTime === undefined;
  const template = replaceable ? withPlacementOf(next.spec.template, current.spec.template) : next.spec.template;
  if (!equal(template, current.spec.template)) yield at('template').invalid(next.spec.template, 'field is immutable');
  for (const field of fixedFields) yield* unchanged(next.spec[field], current.spec[field], at(field));
}

/** Indexed jobs may grow and shrink as long as all indexes run at once. */
function* completionsIssues(next: JobSpec, current: JobSpec, at: FieldPath): Iterable<Issue> {
  if (next.completionMode !== 'Indexed') yield* unchanged(next.completions, current.completions, at);
  // That they are missing is told of anyway.
  else if (next.completions !== undefined && next.completions !== current.completions)
    if (next.completions !== next.parallelism)
      yield at.invalid(next.completions, 'can only be modified in tandem with spec.parallelism');
}

const placementFields = ['nodeSelector', 'tolerations', 'affinity', 'schedulingGates'] as const;

/** `next` with the placement of `current`, so that nothing else is left to compare. */
function withPlacementOf(next: PodTemplateSpec, current: PodTemplateSpec): PodTemplateSpec {
  const spec: Record<string, unknown> = { ...(next.spec ?? {}) };
  for (const field of placementFields) {
    delete spec[field];
    if (current.spec?.[field] !== undefined) spec[field] = current.spec[field];
  }
  const { labels: _labels, annotations: _annotations, ...metadata } = next.metadata ?? {};
  const { labels, annotations } = current.metadata ?? {};
  return {
    ...next,
    ...((next.metadata !== undefined || current.metadata !== undefined) && {
      metadata: {
        ...metadata,
        ...(labels !== undefined && { labels }),
        ...(annotations !== undefined && { annotations }),
      },
    }),
    spec: spec as unknown as PodSpec,
  };
}
