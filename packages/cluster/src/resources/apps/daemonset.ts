import type { DaemonSet, DaemonSetSpec, DaemonSetUpdateStrategy } from '../../api/generated/apps-v1.ts';
import { daemonsets } from '../../api/generated/kinds.ts';
import type { FieldPath, Issue } from '../../api/issue.ts';
import { equal } from '../../base/equal.ts';
import { column, formatLabels, integerColumn } from '../columns.ts';
import { amend, amendPart, fill } from '../core/pod/fill.ts';
import { defaultPodTemplate } from '../core/pod/template.ts';
import { podSpecWarnings } from '../core/pod/warnings.ts';
import { defineResource, type ResourceDefinition } from '../resource.ts';
import { unchanged } from '../validation/fields.ts';
import { isNothing, validateAtMostAll, validateIntOrPercent } from './int-or-percent.ts';
import { selectorColumn, templateColumns } from './workload-columns.ts';
import { validateCollisions, validateNotNegative, validateWorkload } from './workload-validation.ts';

/** Counts the versions of the template. Old clients read it; what it says, the server decides. */
const generationAnnotation = 'deprecated.daemonset.template.generation';

export const daemonsetDefinition: ResourceDefinition<DaemonSet> = defineResource(daemonsets, {
  schema: 'io.k8s.api.apps.v1.DaemonSet',
  traits: { counted: true },
  hasStatus: true,
  shortNames: ['ds'],
  categories: ['all'],
  columns: [
    integerColumn('Desired', ({ status }) => status?.desiredNumberScheduled ?? 0),
    integerColumn('Current', ({ status }) => status?.currentNumberScheduled ?? 0),
    integerColumn('Ready', ({ status }) => status?.numberReady ?? 0),
    integerColumn('Up-to-date', ({ status }) => status?.updatedNumberScheduled ?? 0),
    integerColumn('Available', ({ status }) => status?.numberAvailable ?? 0),
    column('Node Selector', ({ spec }) => formatLabels(spec.template.spec?.nodeSelector)),
    ...templateColumns<DaemonSet>(({ spec }) => spec.template),
    selectorColumn(({ spec }) => spec.selector),
  ],
  // Who sends a set without its count has sent none, and owns that.
  defaults: (set) => withTemplateGeneration(amendPart(set, 'spec', defaultSpec), templateGenerationOf(set)),
  unreadable: ({ metadata }) => countProblem(metadata?.annotations?.[generationAnnotation]),
  prepareForCreate: (set) => ({
    ...withTemplateGeneration(set, Math.max(1, templateGenerationOf(set))),
    status: { currentNumberScheduled: 0, desiredNumberScheduled: 0, numberMisscheduled: 0, numberReady: 0 },
  }),
  prepareForUpdate: (next, current) =>
    withTemplateGeneration(
      next,
      templateGenerationOf(current) + (equal(next.spec?.template, current.spec.template) ? 0 : 1),
    ),
  *validate({ spec }, at) {
    yield* validateWorkload(spec, at('spec'), {
      emptyName: 'daemonset',
      deadlineName: 'DaemonSet',
      unselected: 'unmatched',
    });
    yield* validateNotNegative(spec, at('spec'), ['minReadySeconds', 'revisionHistoryLimit']);
    yield* validateStrategy(spec.updateStrategy ?? {}, at('spec', 'updateStrategy'));
  },
  *validateUpdate(next, current, at) {
    yield* unchanged(next.spec?.selector, current.spec.selector, at('spec', 'selector'));
  },
  *validateStatusUpdate(next, current, at) {
    yield* validateNotNegative(next.status ?? {}, at('status'), [
      'currentNumberScheduled',
      'numberMisscheduled',
      'desiredNumberScheduled',
      'numberReady',
      'observedGeneration',
      'updatedNumberScheduled',
      'numberAvailable',
      'numberUnavailable',
    ]);
    yield* validateCollisions(next, current, at);
  },
  warnings: ({ spec }, current) =>
    // It counts its templates by themselves.
    current !== undefined && equal(spec?.template, current.spec.template)
      ? []
      : podSpecWarnings(spec?.template?.spec ?? { containers: [] }, 'spec.template.spec'),
});

const specFields = Object.freeze({ updateStrategy: Object.freeze({}), revisionHistoryLimit: 10 });
const strategyFields = Object.freeze({ type: 'RollingUpdate' });
const rollingFields = Object.freeze({ maxSurge: 0, maxUnavailable: 1 });

function defaultSpec(given: DaemonSetSpec): DaemonSetSpec {
  const spec = amendPart(fill<DaemonSetSpec>(given, specFields), 'template', defaultPodTemplate);
  return amend(spec, 'updateStrategy', defaultStrategy);
}

function defaultStrategy(given: DaemonSetUpdateStrategy): DaemonSetUpdateStrategy {
  const strategy = fill<DaemonSetUpdateStrategy>(given, strategyFields);
  if (strategy.type !== 'RollingUpdate') return strategy;
  return amend(fill<DaemonSetUpdateStrategy>(strategy, { rollingUpdate: rollingFields }), 'rollingUpdate', (rolling) =>
    fill(rolling, rollingFields),
  );
}

function* validateStrategy({ type = '', rollingUpdate }: DaemonSetUpdateStrategy, at: FieldPath): Iterable<Issue> {
  if (type === 'OnDelete') return;
  if (type !== 'RollingUpdate') {
    yield at.notSupported({ Type: type, RollingUpdate: rollingUpdate ?? null }, ['RollingUpdate', 'OnDelete']);
    return;
  }
  if (rollingUpdate === undefined) {
    yield at('rollingUpdate').required();
    return;
  }
  const { maxUnavailable = 0, maxSurge = 0 } = rollingUpdate;
  for (const [field, value] of [
    ['maxUnavailable', maxUnavailable],
    ['maxSurge', maxSurge],
  ] as const) {
    yield* validateIntOrPercent(value, at('rollingUpdate', field));
    yield* validateAtMostAll(value, at('rollingUpdate', field));
  }
  if (!isNothing(maxUnavailable) && !isNothing(maxSurge))
    yield at('rollingUpdate', 'maxSurge').invalid(maxSurge, 'may not be set when maxUnavailable is non-zero');
  if (isNothing(maxUnavailable) && isNothing(maxSurge))
    yield at('rollingUpdate', 'maxUnavailable').required('cannot be 0 when maxSurge is 0');
}

const [countMin, countMax] = [-(2n ** 63n), 2n ** 63n - 1n];

/** It stands for a number of 64 bits. */
function countProblem(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const parsing = `strconv.ParseInt: parsing ${JSON.stringify(text)}:`;
  if (!/^[+-]?\d+$/.test(text)) return `${parsing} invalid syntax`;
  const count = BigInt(text.replace(/^\+/, ''));
  return count < countMin || count > countMax ? `${parsing} value out of range` : undefined;
}

function templateGenerationOf({ metadata }: DaemonSet): number {
  const text = metadata.annotations?.[generationAnnotation] ?? '';
  return /^\d{1,15}$/.test(text) ? Number(text) : 0;
}

function withTemplateGeneration(set: DaemonSet, generation: number): DaemonSet {
  const text = String(generation);
  const { annotations } = set.metadata;
  if (annotations?.[generationAnnotation] === text) return set;
  return { ...set, metadata: { ...set.metadata, annotations: { ...annotations, [generationAnnotation]: text } } };
}
