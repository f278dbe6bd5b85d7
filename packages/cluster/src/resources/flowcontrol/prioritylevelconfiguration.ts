import type {
  ExemptPriorityLevelConfiguration,
  LimitedPriorityLevelConfiguration,
  LimitResponse,
  PriorityLevelConfiguration,
  PriorityLevelConfigurationSpec,
  QueuingConfiguration,
} from '../../api/generated/flowcontrol-v1.ts';
import { prioritylevelconfigurations } from '../../api/generated/kinds.ts';
import type { FieldPath, Issue } from '../../api/issue.ts';
import { equal } from '../../base/equal.ts';
import { ageColumn, column, nameColumn } from '../columns.ts';
import { amend, amendPart, fill, fillZero } from '../core/pod/fill.ts';
import { type Column, defineResource, type ResourceDefinition } from '../resource.ts';
import { mandatorySpec } from './builtin.ts';
import { conditionTypes } from './conditions.ts';

const exempt = 'exempt';
const queuesMax = 10_000_000;
/** Of a hash value, as many bits may choose a hand of queues. */
const entropyBitsMax = 60;
const queuingFields = Object.freeze({ handSize: 8, queues: 64, queueLengthLimit: 50 });

export const prioritylevelconfigurationDefinition: ResourceDefinition<PriorityLevelConfiguration> = defineResource(
  prioritylevelconfigurations,
  {
    schema: 'io.k8s.api.flowcontrol.v1.PriorityLevelConfiguration',
    traits: { counted: true },
    hasStatus: true,
    statusKeeps: 'metadata',
    columnsComplete: true,
    columns: [
      nameColumn(),
      column('Type', ({ spec }) => spec?.type ?? ''),
      shareColumn('NominalConcurrencyShares', ({ spec }) => spec?.limited?.nominalConcurrencyShares ?? '<none>'),
      shareColumn('Queues', ({ spec }) => queuingOf(spec)?.queues ?? '<none>'),
      shareColumn('HandSize', ({ spec }) => queuingOf(spec)?.handSize ?? '<none>'),
      shareColumn('QueueLengthLimit', ({ spec }) => queuingOf(spec)?.queueLengthLimit ?? '<none>'),
      ageColumn(),
    ],
    defaults: (level) => amendPart(level, 'spec', defaultSpec),
    prepareForCreate: ({ status: _none, ...level }) => level as PriorityLevelConfiguration,
    *validate({ metadata, spec, status }, at) {
      yield* specIssues(spec, at('spec'), metadata.name);
      yield* fixedIssues(spec, at('spec'), metadata.name);
      yield* conditionTypes(status, at('status'));
    },
    *validateStatusUpdate({ status }, _current, at) {
      yield* conditionTypes(status, at('status'));
    },
  },
);

/** A number that upstream calls text in the head of its column. */
function shareColumn(
  name: string,
  of: (level: PriorityLevelConfiguration) => number | string,
): Column<PriorityLevelConfiguration> {
  return { name, type: 'string', of };
}

type Spec = PriorityLevelConfigurationSpec;

function queuingOf(spec: Spec | undefined): QueuingConfiguration | undefined {
  return spec?.limited?.limitResponse?.queuing;
}

function defaultSpec(given: Spec): Spec {
  const spec = amend(given, 'exempt', (part) =>
    fill<ExemptPriorityLevelConfiguration>(part, { nominalConcurrencyShares: 0, lendablePercent: 0 }),
  );
  return amend(spec, 'limited', (part) =>
    amend(
      fill<LimitedPriorityLevelConfiguration>(part, { nominalConcurrencyShares: 30, lendablePercent: 0 }),
      'limitResponse',
      (response) => amend(response, 'queuing', (queuing) => fillZero<QueuingConfiguration>(queuing, queuingFields)),
    ),
  );
}

function* specIssues(spec: Spec, at: FieldPath, name: string): Iterable<Issue> {
  if ((name === exempt) !== (spec.type === 'Exempt'))
    yield at('type').invalid(spec.type ?? '', "must be 'Exempt' if and only if `name` is 'exempt'");
  if (spec.type === 'Exempt') {
    if (spec.limited !== undefined) yield at('limited').forbidden('must be nil if the type is not Limited');
    if (spec.exempt !== undefined) yield* shareIssues(spec.exempt, at('exempt'));
  } else if (spec.type === 'Limited') {
    if (spec.exempt !== undefined) yield at('exempt').forbidden('must be nil if the type is Limited');
    if (spec.limited === undefined) yield at('limited').required('must not be empty when type is Limited');
    else yield* limitedIssues(spec.limited, at('limited'));
  } else yield at('type').notSupported(spec.type ?? '', ['Exempt', 'Limited']);
}

/** The shares of the exempt level may be changed, all else of the mandatory ones may not. */
function* fixedIssues(spec: Spec, at: FieldPath, name: string): Iterable<Issue> {
  const fixed = mandatorySpec({ kind: prioritylevelconfigurations.kind, name }) as Spec | undefined;
  if (fixed === undefined) return;
  const except = name === exempt ? " except the 'spec.exempt' field" : '';
  const { exempt: _shares, ...rest } = spec;
  const { exempt: _fixedShares, ...fixedRest } = fixed;
  if (!equal(name === exempt ? rest : spec, name === exempt ? fixedRest : fixed))
    yield at.invalid(spec, `spec of '${name}'${except} must equal the fixed value`);
}

function* shareIssues(part: ExemptPriorityLevelConfiguration, at: FieldPath): Iterable<Issue> {
  const { nominalConcurrencyShares: shares = 0 } = part;
  if (shares < 0) yield at('nominalConcurrencyShares').invalid(shares, 'must be a non-negative integer');
  yield* lendableIssues(part.lendablePercent, at('lendablePercent'));
}

function* lendableIssues(percent: number | undefined, at: FieldPath): Iterable<Issue> {
  if (percent !== undefined && (percent < 0 || percent > 100))
    yield at.invalid(percent, 'must be between 0 and 100, inclusive');
}

function* limitedIssues(part: LimitedPriorityLevelConfiguration, at: FieldPath): Iterable<Issue> {
  const { nominalConcurrencyShares: shares = 0, borrowingLimitPercent: borrowing } = part;
  if (shares < 0) yield at('nominalConcurrencyShares').invalid(shares, 'must be a non-negative integer');
  yield* responseIssues(part.limitResponse, at('limitResponse'));
  yield* lendableIssues(part.lendablePercent, at('lendablePercent'));
  if (borrowing !== undefined && borrowing < 0)
    yield at('borrowingLimitPercent').invalid(borrowing, 'if specified, must be a non-negative integer');
}

function* responseIssues(response: LimitResponse | undefined, at: FieldPath): Iterable<Issue> {
  const { type = '', queuing } = response ?? {};
  const place = at('queuing');
  if (type === 'Reject') {
    if (queuing !== undefined) yield place.forbidden('must be nil if limited.limitResponse.type is not Limited');
  } else if (type === 'Queue') {
    if (queuing === undefined) yield place.required('must not be empty if limited.limitResponse.type is Limited');
    else yield* queuingIssues(queuing, place);
  } else yield at('type').notSupported(type, ['Queue', 'Reject']);
}

function* queuingIssues(queuing: QueuingConfiguration, at: FieldPath): Iterable<Issue> {
  const { queueLengthLimit = 0, queues = 0, handSize = 0 } = queuing;
  if (queueLengthLimit <= 0) yield at('queueLengthLimit').invalid(queueLengthLimit, 'must be positive');
  if (queues <= 0) yield at('queues').invalid(queues, 'must be positive');
  else if (queues > queuesMax) yield at('queues').invalid(queues, `must not be greater than ${queuesMax}`);
  const place = at('handSize');
  if (handSize <= 0) yield place.invalid(handSize, 'must be positive');
  else if (handSize > queues) yield place.invalid(handSize, `should not be greater than queues (${queues})`);
  else if (Math.ceil(Math.log2(queues) * handSize) > entropyBitsMax)
    yield place.invalid(
      handSize,
      `required entropy bits of deckSize ${queues} and handSize ${handSize} should not be greater than ${entropyBitsMax}`,
    );
}
