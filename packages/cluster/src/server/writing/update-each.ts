import type { KubeObject } from '../../api/meta.ts';
import type { Outcome, UpdatedEach, UpdateEachOperation, UpdateOperation, Waiting } from '../../api/operation.ts';
import { locate } from '../access/scope.ts';
import type { ServerContext } from '../context/context.ts';
import type { ObjectWrite, WriteRequest } from '../context/write-request.ts';
import { writeRequest } from '../context/write-request.ts';
import { commitEach } from './commit.ts';
import { mayRenew, renewed, signFor } from './renewal.ts';

/** What is done for one of them where there is no shorter way. */
export interface Alone {
  /** Throws for what is refused. */
  judge(operation: UpdateOperation): void;
  perform(operation: UpdateOperation): Promise<Outcome>;
}

/**
 * Signs of life that come together are looked up, judged and kept in one go, and wait for the disk as one: a fleet gives hundreds of
 * them in one moment. Whatever is something else, is refused or meets somebody faster goes the way of all updates, which says
 * what of it.
 */
export async function updateEach(
  context: ServerContext,
  operation: UpdateEachOperation,
  { signal, judge, perform }: Waiting & Alone,
): Promise<UpdatedEach> {
  signal.throwIfAborted();
  const told: (KubeObject | Error)[] = new Array<KubeObject | Error>(operation.objects.length);
  const operations = operation.objects.map((object) => updateOf(object, operation));
  const alone = async (index: number): Promise<void> => {
    const update = operations[index];
    if (update === undefined) return;
    try {
      told[index] = (await perform(update)).object as KubeObject;
    } catch (error) {
      if (signal.aborted) throw error;
      told[index] = error as Error;
    }
  };
  const { writes, places } = writesOf(context, operations, { signal, judge });
  const taken = new Set(places);
  const others = operations.flatMap((_, index) => (taken.has(index) ? [] : [alone(index)]));
  const committing = writes.length === 0 ? [] : [commitTogether(context, { writes, places, told, alone })];
  await Promise.all([...committing, ...others]);
  return told;
}

interface Together {
  readonly writes: readonly ObjectWrite[];
  /** Which of all they are. */
  readonly places: readonly number[];
}

async function commitTogether(
  context: ServerContext,
  {
    writes,
    places,
    told,
    alone,
  }: Together & { readonly told: (KubeObject | Error)[]; alone(index: number): Promise<void> },
): Promise<void> {
  const outcomes = await commitEach(context, writes);
  const left: Promise<void>[] = [];
  for (const [at, outcome] of outcomes.entries()) {
    const index = places[at] ?? 0;
    if (outcome === 'alone') left.push(alone(index));
    else told[index] = outcome;
  }
  await Promise.all(left);
}

/** Those that are signs of life and nothing else, that nobody but their user has a say in. */
function writesOf(
  context: ServerContext,
  operations: readonly UpdateOperation[],
  { signal, judge }: Waiting & Pick<Alone, 'judge'>,
): Together {
  const writes: ObjectWrite[] = [];
  const places: number[] = [];
  const request = requestOf(context, operations, signal);
  for (const [index, update] of operations.entries()) {
    const write = request && writeOf(context, update, { request, judge });
    if (write === undefined) continue;
    writes.push(write);
    places.push(index);
  }
  return { writes, places };
}

/** The one that all of them share. */
function requestOf(
  context: ServerContext,
  [first]: readonly UpdateOperation[],
  signal: AbortSignal,
): WriteRequest | undefined {
  if (first === undefined || first.options.dryRun === true || context.others.find(first.resource) !== undefined)
    return undefined;
  try {
    const served = locate(context, first);
    if (context.loadExpressions(served, first) !== undefined) return undefined;
    const { operation: _notOfAll, ...request } = writeRequest(served, first, { signal });
    return mayRenew(context, request) ? request : undefined;
  } catch {
    return undefined;
  }
}

function writeOf(
  context: ServerContext,
  update: UpdateOperation,
  { request, judge }: { readonly request: WriteRequest } & Pick<Alone, 'judge'>,
): ObjectWrite | undefined {
  const sign = signFor(context, request.served, update);
  if (sign === undefined) return undefined;
  try {
    judge(update);
    return renewed(context, sign, request);
  } catch {
    return undefined;
  }
}

function updateOf(object: KubeObject, { resource, user, agent, options }: UpdateEachOperation): UpdateOperation {
  const { namespace, name } = object.metadata;
  return {
    ...({ verb: 'update', resource, user, body: object, name, options } as const),
    ...(agent !== undefined && { agent }),
    ...(namespace !== undefined && { namespace }),
  };
}
