import { type ResourceType, resourceName } from '../api/gvk.ts';
import { type Key, type KubeObject, keyOf } from '../api/meta.ts';
import { conflict, ifFound, isStatusError, StatusError } from '../api/status.ts';
import { fresh } from '../base/fresh.ts';
import type { Client } from '../client/client.ts';
import type { EventRecorder } from './events.ts';
import type { Action, Announcement, Create, Delete } from './plan.ts';

/** What a performed action leaves for the caches to catch up with. */
export type Written =
  | {
      readonly kind: 'version';
      readonly type: ResourceType;
      readonly namespace: string | undefined;
      readonly resourceVersion: string;
    }
  | { readonly kind: 'gone'; readonly type: ResourceType; readonly key: Key; readonly uid: string };

export interface Performed {
  readonly written: readonly Written[];
  /** In the order in which they happened. Empty: all went well. */
  readonly failures: readonly ActionError[];
  /** How many creates at once went well, for the run that goes on with them; absent when there were none, or one was refused. */
  readonly createsAtOnce?: number | undefined;
}

/** An action that the API refused; the cause is its `StatusError`. */
export class ActionError extends Error {
  readonly action: Action;

  constructor(action: Action, cause: unknown) {
    super(`${describeAction(action)}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
    this.name = 'ActionError';
    this.action = action;
  }
}

export interface ExecutorOptions {
  readonly client: Client;
  readonly events: EventRecorder;
}

/** The only writer. Rejects only with the signal's reason; refusals of the API are part of the answer. */
export interface Executor {
  run(actions: readonly Action[], options: ExecutorRun): Promise<Performed>;
}

export interface ExecutorRun {
  readonly signal: AbortSignal;
  /** Sees each action before it is done; what it returns is called afterwards, with the refusal if there was one. */
  readonly acts?: ((action: Action) => (refusal?: unknown) => void) | undefined;
  /** With how many creates at once to begin: what the run before came to. One, when nothing is known. */
  readonly createsAtOnce?: number | undefined;
}

/** More at once gains nothing in process and is unkind to a foreign API server. */
const deletesAtOnceMax = 64;
const createsAtOnceMax = 64;

export function createExecutor(options: ExecutorOptions): Executor {
  return {
    async run(actions, { signal, acts, createsAtOnce = 1 }) {
      const written: Written[] = [];
      const failures: ActionError[] = [];
      const pace: Pace = { createsAtOnce, creates: false };
      const context: Context = { ...fresh, ...options, signal, acts, written, pace };
      const taking = actions.find((action) => action.do === 'patch' && action.onBehalfOf !== undefined);
      const lost = taking && (await lostPrincipal(taking, context));
      if (lost !== undefined) return { written, failures: [lost] };
      for (const group of grouped(actions)) {
        signal.throwIfAborted();
        failures.push(...(await runGroup(group, context)));
      }
      const isKnown = pace.creates && failures.length === 0;
      return { written, failures, createsAtOnce: isKnown ? pace.createsAtOnce : undefined };
    },
  };
}

interface Context extends ExecutorOptions, Omit<ExecutorRun, 'createsAtOnce'> {
  readonly written: Written[];
  readonly pace: Pace;
}

/** How fast creates go, and whether there were any. */
interface Pace {
  createsAtOnce: number;
  creates: boolean;
}

/** Caches may show somebody who is gone: what they take then would go with them. Asked once for a whole run. */
async function lostPrincipal(action: Action, { client, signal }: Context): Promise<ActionError | undefined> {
  if (action.do !== 'patch' || action.onBehalfOf === undefined) return undefined;
  const { type, object } = action.onBehalfOf;
  const { namespace, name, uid } = object.metadata;
  try {
    const live = await ifFound(client.get(type, { signal, namespace, name }));
    if (live?.metadata.uid === uid && live.metadata.deletionTimestamp === undefined) return undefined;
    return new ActionError(action, new StatusError(conflict(type, name, 'it is gone, or about to go')));
  } catch (error) {
    signal.throwIfAborted();
    return new ActionError(action, error);
  }
}

/** Neighbours of one kind of doing. */
function grouped(actions: readonly Action[]): readonly (readonly Action[])[] {
  const groups: Action[][] = [];
  for (const action of actions) {
    const last = groups.at(-1);
    if (last !== undefined && last[0]?.do === action.do && (action.do === 'create' || action.do === 'delete'))
      last.push(action);
    else groups.push([action]);
  }
  return groups;
}

function runGroup(group: readonly Action[], context: Context): Promise<readonly ActionError[]> {
  const [first] = group;
  if (first?.do === 'create') return slowStart(group as readonly Create[], context);
  return inBatches(group, { sizeOf: () => deletesAtOnceMax, context, stopsAtFailure: false });
}

/**
 * 1, 2, 4, … at once, and no further after a failure: when the API refuses one (quota, webhook), it will refuse the other
 * thousands too. A run that goes on where one ended well goes on as fast: each of the small steps waits for the disk.
 */
function slowStart(creates: readonly Create[], context: Context): Promise<readonly ActionError[]> {
  const { pace } = context;
  pace.creates = true;
  return inBatches(creates, {
    sizeOf: (round) => {
      if (round > 0) pace.createsAtOnce = Math.min(createsAtOnceMax, 2 * pace.createsAtOnce);
      return pace.createsAtOnce;
    },
    context,
    stopsAtFailure: true,
  });
}

interface Batching {
  readonly sizeOf: (round: number) => number;
  readonly context: Context;
  readonly stopsAtFailure: boolean;
}

async function inBatches(
  actions: readonly Action[],
  { sizeOf, context, stopsAtFailure }: Batching,
): Promise<readonly ActionError[]> {
  const failures: ActionError[] = [];
  for (let start = 0, round = 0; start < actions.length; round++) {
    const batch = actions.slice(start, start + sizeOf(round));
    start += batch.length;
    const results = await Promise.all(batch.map((action) => attempt(action, context)));
    failures.push(...results.filter((result) => result !== undefined));
    if (stopsAtFailure && failures.length > 0) return failures;
  }
  return failures;
}

async function attempt(action: Action, context: Context): Promise<ActionError | undefined> {
  // What is done in order is seen one by one.
  const ended = action.do === 'inOrder' ? undefined : context.acts?.(action);
  try {
    await perform(action, context);
    ended?.();
    return undefined;
  } catch (error) {
    ended?.(error);
    context.signal.throwIfAborted();
    if (action.do === 'create' && action.unless?.some((reason) => isStatusError(error) && error.reason === reason))
      return undefined;
    announceFailure(action, error, context);
    return error instanceof ActionError ? error : new ActionError(action, error);
  }
}

async function perform(action: Action, context: Context): Promise<void> {
  const { client, signal, events } = context;
  switch (action.do) {
    case 'create': {
      const object = await client.create(action.type, action.object, { signal });
      wrote(action.type, object, context);
      return announce(action.announce, object.metadata.name, context);
    }
    case 'update':
      wrote(action.type, await client.update(action.type, action.object, { signal }), context);
      return announce(action.announce, action.object.metadata.name, context);
    case 'setStatus':
      return wrote(
        action.type,
        await client.update(action.type, action.object, { signal, subresource: 'status' }),
        context,
      );
    case 'patch': {
      const { type, target, patchType, subresource } = action;
      const { namespace, name } = target.metadata;
      const door = subresource === undefined ? {} : { subresource };
      const body = guarded(action.body, target);
      wrote(type, await client.patch(type, { signal, namespace, name, patchType, body, ...door }), context);
      return announce(action.announce, name, context);
    }
    case 'delete':
      return remove(action, context);
    case 'emit':
      return events.emit(action);
    case 'inOrder':
      for (const next of action.actions) {
        const failure = await attempt(next, context);
        if (failure !== undefined) throw failure;
      }
      return;
    default:
      return action satisfies never;
  }
}

/** A merge patch that carries the uid fails on a stranger of the same name instead of changing it. */
function guarded(body: unknown, target: KubeObject): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body;
  const { metadata } = body as { readonly metadata?: object };
  return { ...body, metadata: { ...fresh, ...metadata, uid: target.metadata.uid } };
}

async function remove(action: Delete, context: Context): Promise<void> {
  const { type, target, options, announce: announcement } = action;
  const { namespace, name, uid } = target.metadata;
  const preconditions = { ...options?.preconditions, uid };
  await ifFound(context.client.delete(type, { ...options, signal: context.signal, namespace, name, preconditions }));
  context.written.push({ kind: 'gone', type, key: keyOf(target), uid });
  announce(announcement, name, context);
}

function wrote(type: ResourceType, object: KubeObject, { written }: Context): void {
  const { namespace, resourceVersion } = object.metadata;
  written.push({ kind: 'version', type, namespace, resourceVersion });
}

function announce(announcement: Announcement | undefined, name: string, { events }: Context): void {
  if (announcement?.done === undefined) return;
  const { reason, note } = announcement.done;
  events.emit({ regarding: announcement.regarding, type: 'Normal', reason, note: note.replace('{name}', () => name) });
}

function announceFailure(action: Action, error: unknown, { events }: Context): void {
  const announcement = 'announce' in action ? action.announce : undefined;
  if (announcement?.failed === undefined) return;
  // Nobody can create anything in a namespace that is going away; saying so for each object helps nobody.
  if (isStatusError(error) && error.status.details?.causes?.some(({ reason }) => reason === 'NamespaceTerminating'))
    return;
  const { regarding, failed, unsaid = [] } = announcement;
  if (isStatusError(error) && unsaid.some((reason) => error.reason === reason)) return;
  const why = error instanceof Error ? error.message : String(error);
  for (const { reason, note } of 'reason' in failed ? [failed] : failed) {
    const text = note.replace('{name}', () => nameOf(action)).replace('{error}', () => why);
    events.emit({ regarding, type: 'Warning', reason, note: text });
  }
}

function nameOf(action: Action): string {
  if ('object' in action) return action.object.metadata.name ?? `${action.object.metadata.generateName ?? ''}…`;
  return 'target' in action ? action.target.metadata.name : '';
}

function describeAction(action: Action): string {
  return 'type' in action && typeof action.type === 'object'
    ? `${action.do} ${resourceName(action.type)} ${nameOf(action)}`
    : action.do;
}
