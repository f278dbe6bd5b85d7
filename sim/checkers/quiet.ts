import { controllerOf, isStatusError, type Problem } from '@signalbox/cluster';
import type { Change } from '../backend.ts';
import type { Finding, World } from '../world.ts';

/** Signs of life go on for ever; events end by themselves an hour after what they tell. */
function isExpected({ key, kind }: Change): boolean {
  return key.includes('/leases/') || (kind === 'delete' && isEvent(key));
}

function isEvent(key: string): boolean {
  return key.includes('/events/');
}

/** Holds at rest: nobody writes anything but signs of life. A vain attempt may be told again now and then. */
export function* quiet(
  changes: readonly Change[],
  { eventWritesMax }: { readonly eventWritesMax: number },
): Iterable<Finding> {
  const writes = new Map<string, number>();
  for (const change of changes) {
    if (isExpected(change)) continue;
    writes.set(change.key, (writes.get(change.key) ?? 0) + 1);
  }
  for (const [key, count] of writes)
    if (!isEvent(key) || count > eventWritesMax) yield `${key} was written ${count} times although nothing happened`;
}

/** Holds always: no part of the plane ends, and none finds itself in an impossible state. */
export function* survived(problems: readonly Problem[]): Iterable<Finding> {
  for (const problem of problems) {
    const { component, message, error } = problem;
    const isBug = error instanceof TypeError || error instanceof RangeError || nameOf(error) === 'InvariantError';
    if (isBug || message.endsWith(' ended')) yield `${component}: ${message}: ${text(error)}`;
  }
}

/** Holds at rest: nobody complains, but about what only people can mend. */
export function* noProblems(problems: readonly Problem[], world: World): Iterable<Finding> {
  const told = new Set<string>();
  for (const { component, message, error } of problems) {
    // Somebody took a custom resource away that a part would follow.
    if (component === 'informers' && isStatusError(error, 'NotFound')) continue;
    if (isSquatted(message, error, world)) continue;
    const line = `${component} still says: ${message}: ${error instanceof Error ? error.message : ''}`;
    if (!told.has(line)) yield line;
    told.add(line);
  }
}

/** A pod that belongs to somebody else, or to nobody, holds the name that a StatefulSet needs. */
function isSquatted(message: string, error: unknown, { pods }: World): boolean {
  const name = /pods "(.+)" already exists$/.exec(error instanceof Error ? error.message : '')?.[1];
  const [, namespace, owner] = /^cannot reconcile ([^/]+)\/(.+)$/.exec(message) ?? [];
  const holder = pods.find(({ metadata }) => metadata.name === name && metadata.namespace === namespace);
  return holder !== undefined && controllerOf(holder)?.name !== owner;
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : '';
}

function text(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : '';
}
