/** What flow schemas and priority levels come to: which level a request is for, and how many seats a level has. Pure. */
import type {
  FlowSchema,
  LimitedPriorityLevelConfiguration,
  PriorityLevelConfiguration,
} from '../../api/generated/flowcontrol-v1.ts';
import { assert } from '../../base/assert.ts';
import { builtinLevels, builtinSchemas, mandatory } from '../../resources/flowcontrol/builtin.ts';
import type { Access } from '../context/authorizer.ts';
import { isMatched } from './rules.ts';

export interface Configuration {
  readonly levels: ReadonlyMap<string, Level>;
  /** Whose request it is. Every request has one. */
  classify(access: Access): Flow;
}

/** Requests that wait for each other, and for no others of their level. */
export interface Flow {
  readonly schema: Schema;
  readonly level: Level;
  /** Who of the schema: a user, a namespace, or nobody in particular. */
  readonly distinguisher: string;
}

export interface Schema {
  readonly name: string;
  readonly level: Level;
  /** Told with every answer; absent before the objects are written. */
  readonly headers: Readonly<Record<string, string>>;
}

interface ConfiguredSchema extends Schema {
  readonly object: FlowSchema;
}

export interface Level {
  readonly name: string;
  readonly isExempt: boolean;
  readonly seats: Seats;
  /** Absent: nothing waits, what finds no seat is refused. */
  readonly queues?: Queues | undefined;
}

/** How many requests may run at once. */
export interface Seats {
  /** What it has where all others take what is theirs. */
  readonly nominal: number;
  /** What others never get of it. */
  readonly own: number;
  /** What it may have at most, with what it borrows. */
  readonly most: number;
}

export interface Queues {
  /** How many flows may wait at once. */
  readonly flowsMax: number;
  /** How many requests of a flow may. */
  readonly lengthMax: number;
}

export interface ConfigurationObjects {
  readonly schemas: readonly FlowSchema[];
  readonly levels: readonly PriorityLevelConfiguration[];
  /** Of the whole server, to be shared out. */
  readonly seats: number;
}

const flowUid = 'x-kubernetes-pf-flowschema-uid';
const levelUid = 'x-kubernetes-pf-prioritylevel-uid';

export function configure({ schemas, levels: configured, seats }: ConfigurationObjects): Configuration {
  // What must be there is, also while somebody has taken it away.
  const known = withMandatory(configured, builtinLevels);
  const sum = known.reduce((shares, object) => shares + sharesOf(object), 0);
  const levels = new Map(known.map((object) => [object.metadata.name, levelOf(object, { sum, seats })]));
  const uids = new Map(known.map(({ metadata }) => [metadata.name, metadata.uid as string | undefined]));
  const sorted = withMandatory(schemas, builtinSchemas).flatMap((object): ConfiguredSchema[] => {
    const { name } = object.spec.priorityLevelConfiguration;
    const level = levels.get(name);
    // One that dangles is as if it were not there.
    if (level === undefined) return [];
    const headers = headersOf(object.metadata.uid as string | undefined, uids.get(name));
    return [{ name: object.metadata.name, level, object, headers }];
  });
  sorted.sort((a, b) => precedenceOf(a) - precedenceOf(b) || (a.name < b.name ? -1 : 1));
  const last = sorted.at(-1);
  assert(last !== undefined, 'there is a schema for everything');
  return {
    levels,
    classify(access) {
      const schema = sorted.find(({ object }) => isMatched(object.spec.rules ?? [], access)) ?? last;
      return { schema, level: schema.level, distinguisher: distinguisherOf(schema.object, access) };
    },
  };
}

function withMandatory<T extends FlowSchema | PriorityLevelConfiguration>(
  objects: readonly T[],
  builtin: readonly T[],
): readonly T[] {
  const present = new Set(objects.map(({ metadata }) => metadata.name));
  return [...objects, ...builtin.filter(({ metadata: { name } }) => mandatory.has(name) && !present.has(name))];
}

function precedenceOf({ object }: ConfiguredSchema): number {
  return object.spec.matchingPrecedence ?? 1_000;
}

function headersOf(schema: string | undefined, level: string | undefined): Schema['headers'] {
  return schema === undefined || level === undefined ? {} : { [flowUid]: schema, [levelUid]: level };
}

function distinguisherOf({ spec }: FlowSchema, access: Access): string {
  switch (spec.distinguisherMethod?.type) {
    case 'ByUser':
      return access.user.name;
    case 'ByNamespace':
      return 'path' in access ? '' : (access.namespace ?? '');
    default:
      return '';
  }
}

function sharesOf({ spec }: PriorityLevelConfiguration): number {
  return spec.exempt?.nominalConcurrencyShares ?? spec.limited?.nominalConcurrencyShares ?? 0;
}

interface Sharing {
  /** Of the shares of all levels. */
  readonly sum: number;
  readonly seats: number;
}

function levelOf(object: PriorityLevelConfiguration, sharing: Sharing): Level {
  const { metadata, spec } = object;
  const nominal = sharing.sum === 0 ? 0 : Math.ceil((sharing.seats * sharesOf(object)) / sharing.sum);
  const { lendablePercent = 0 } = spec.exempt ?? spec.limited ?? {};
  const own = nominal - Math.round((nominal * lendablePercent) / 100);
  const most = nominal + borrowedMax(spec.limited, { nominal, seats: sharing.seats });
  const isExempt = spec.type === 'Exempt';
  return { name: metadata.name, isExempt, seats: { nominal, own, most }, queues: queuesOf(spec.limited) };
}

function borrowedMax(
  limited: LimitedPriorityLevelConfiguration | undefined,
  { nominal, seats }: { readonly nominal: number; readonly seats: number },
): number {
  const percent = limited?.borrowingLimitPercent;
  return percent === undefined ? seats : Math.round((nominal * percent) / 100);
}

function queuesOf(limited: LimitedPriorityLevelConfiguration | undefined): Queues | undefined {
  const response = limited?.limitResponse;
  if (response?.type !== 'Queue') return undefined;
  const { queues = 64, queueLengthLimit = 50 } = response.queuing ?? {};
  return { flowsMax: queues, lengthMax: queueLengthLimit };
}
