import { type Cluster, type KubeObject, type New, type Operation, type Outcome, StatusError } from '@signalbox/cluster';
import { adminUser, type Served } from '@signalbox/cluster/testing';
import { type Case, isSideDoor, multiplies, mutated, sideDoorBody, specimenOf } from './cases.ts';
import type { Path } from './sites.ts';
import { specimens } from './specimens.ts';

type JsonObject = Readonly<Record<string, unknown>>;

/** What came of a case. */
export interface Trial {
  /** The code of the answer. */
  readonly code: number;
  /** What must not be. */
  readonly findings: readonly string[];
  /** What was left on the plane. */
  readonly left: readonly Left[];
}

export interface Left {
  readonly served: Served;
  readonly object: KubeObject;
}

const { signal } = new AbortController();

/** Sends one mutated object, and reads back what the server took as kubectl would. */
export async function tryCase(cluster: Cluster, tried: Case, number: number): Promise<Trial> {
  const { served } = tried;
  const content = specimens[served.id];
  if (content === undefined) return { code: 0, findings: [`no specimen of ${served.id}`], left: [] };
  const base = specimenOf(served, { content, number });
  const left: Left[] = [];
  const findings: string[] = [];
  const perform = (operation: Operation): Promise<KubeObject | number> => performed(cluster, operation, findings);
  const kept = tried.door === 'create' ? base : await perform(creation(served, base));
  if (typeof kept === 'number')
    return { code: kept, findings: [...findings, `the specimen of ${served.id} is refused`], left };
  if (tried.door !== 'create') left.push({ served, object: kept as KubeObject });
  const answer = await perform(operationOf(tried, { base, kept }));
  if (typeof answer === 'number') return { code: answer, findings, left };
  if (tried.door === 'create' && answer.metadata?.uid !== undefined) left.push({ served, object: answer });
  if (!isSideDoor(tried.door)) await readBack(cluster, { served, object: answer }, findings);
  return { code: 200, findings, left };
}

/** Undefined when the API would take it. Bindings are about a pod that is not there. */
export async function refusalOfSpecimen(cluster: Cluster, served: Served): Promise<string | undefined> {
  const body = specimenOf(served, { content: specimens[served.id] ?? {}, number: 0 });
  const operation: Operation = { ...target(served), verb: 'create', body, options: { dryRun: true } };
  return cluster.api.perform(operation, { signal }).then(
    () => undefined,
    (error: unknown) => (served.traits.standsFor === undefined ? textOf(error) : undefined),
  );
}

async function performed(cluster: Cluster, operation: Operation, findings: string[]): Promise<KubeObject | number> {
  try {
    const { object } = (await cluster.api.perform(operation, { signal })) as Outcome<KubeObject>;
    return object;
  } catch (error) {
    if (!(error instanceof StatusError)) {
      findings.push(`${operation.verb} threw ${textOf(error)}`);
      return 0;
    }
    const { code, message } = error.status;
    if (code >= 500) findings.push(`${operation.verb} answered ${code} ${message} ${textOf(error.cause)}`);
    return code;
  }
}

function textOf(error: unknown): string {
  if (!(error instanceof Error)) return error === undefined ? '' : JSON.stringify(error);
  const [first = '', ...stack] = (error.stack ?? error.message).split('\n');
  const place = stack.find((line) => line.includes('packages/'))?.trim() ?? '';
  return `[${first.slice(0, 200)} ${place.replace(/^at (.*?)\(?\S*packages\//, '$1 packages/')}]`;
}

function target({ definition }: Served): {
  readonly resource: Served['definition'];
  readonly user: typeof adminUser;
  readonly namespace?: string;
} {
  return { resource: definition, user: adminUser, ...(definition.namespaced && { namespace: 'default' }) };
}

function creation(served: Served, body: unknown): Operation {
  return { ...target(served), verb: 'create', body, options: {} };
}

interface Given {
  readonly base: New<KubeObject>;
  readonly kept: New<KubeObject>;
}

function operationOf(tried: Case, { base, kept }: Given): Operation {
  const { served, door, path, mutation } = tried;
  const options = { dryRun: multiplies(tried) };
  const named = { ...target(served), name: base.metadata.name ?? '' };
  const whole = (object: unknown): unknown => mutated(tried, object);
  const partial = (): unknown => partOf(whole(kept), path, mutation.value);
  switch (door) {
    case 'create':
      return { ...target(served), verb: 'create', body: whole(base), options };
    case 'update':
      return { ...named, verb: 'update', body: whole(kept), options };
    case 'status':
      return { ...named, verb: 'update', subresource: 'status', body: whole(kept), options };
    case 'status by patch':
      return { ...named, verb: 'patch', subresource: 'status', patchType: 'merge', body: partial(), options };
    case 'merge':
    case 'strategic':
      return { ...named, verb: 'patch', patchType: door, body: partial(), options };
    case 'json':
      return { ...named, verb: 'patch', patchType: 'json', body: jsonPatch(kept, whole(kept), path), options };
    case 'scale':
      return {
        ...named,
        verb: 'patch',
        subresource: door,
        patchType: 'merge',
        body: whole(sideDoorBody(door)),
        options,
      };
    case 'binding':
      return { ...named, verb: 'create', subresource: door, body: whole(sideDoorBody(door)), options };
    case 'eviction': {
      const body = whole({ metadata: { name: named.name }, ...sideDoorBody(door) });
      return { ...named, verb: 'create', subresource: door, body, options };
    }
    default:
      return door satisfies never;
  }
}

/** What a patch says to get there: the way to the field, a null where it is taken out; lists stand whole. */
function partOf(object: unknown, path: Path, value: unknown): unknown {
  const [step, ...rest] = path;
  if (step === undefined) return value === undefined ? null : value;
  if (step === 0 || typeof object !== 'object' || object === null) return object ?? null;
  return { [step]: partOf((object as JsonObject)[step], rest, value) };
}

/** Sets or removes the top-most part that the stored object has not, or has otherwise. */
function jsonPatch(before: unknown, after: unknown, path: Path): readonly object[] {
  let [old, next] = [before, after];
  const pointer: string[] = [];
  for (const step of path) {
    if (typeof old !== 'object' || old === null || typeof next !== 'object' || next === null) break;
    if (!(step in old) && !(step in next)) break;
    pointer.push(String(step).replaceAll('~', '~0').replaceAll('/', '~1'));
    [old, next] = [(old as JsonObject)[step], (next as JsonObject)[step]];
    if (old === undefined || next === undefined) break;
  }
  const at = `/${pointer.join('/')}`;
  if (next === undefined) return [{ op: 'remove', path: at }];
  return [{ op: old === undefined ? 'add' : 'replace', path: at, value: next }];
}

/** As `kubectl get -o wide` and field selectors look at it. */
async function readBack(cluster: Cluster, { served, object }: Left, findings: string[]): Promise<void> {
  const { definition } = served;
  try {
    cluster.api.table(definition, object, { version: 'v1', includeObject: 'None' });
  } catch (error) {
    findings.push(`its table threw ${textOf(error)}`);
  }
  if (!served.traits.verbs.includes('list')) return;
  for (const { path, of } of definition.selectableFields) {
    try {
      of(object);
    } catch (error) {
      findings.push(`the field selector ${path} threw ${textOf(error)}`);
    }
  }
  for (const { name, read } of definition.subresources) {
    try {
      read?.(object);
    } catch (error) {
      if (!(error instanceof StatusError)) findings.push(`reading ${name} threw ${textOf(error)}`);
    }
  }
}
