/** Random writes to config maps, as values: fast-check makes and shrinks them, `perform` sends them to a server. */
import fc from 'fast-check';
import type { KubeObject } from '../../api/meta.ts';
import { StatusError } from '../../api/status.ts';
import { type Asking, type Subject, versionOf } from './subject.ts';

export type WriteStep =
  | {
      readonly does: 'put';
      readonly namespace: string;
      readonly name: string;
      readonly labels: Labels;
      readonly finalizers: readonly string[];
    }
  | { readonly does: 'delete'; readonly namespace: string; readonly name: string }
  | { readonly does: 'deletecollection'; readonly namespace: string; readonly labelSelector: string }
  | { readonly does: 'dryRun'; readonly namespace: string; readonly name: string }
  | { readonly does: 'compact'; readonly back: number };

type Labels = Readonly<Record<string, string>>;

const namespace = fc.constantFrom('default', 'other');
const name = fc.constantFrom('a', 'ab', 'b', 'c', 'd');
const labels: fc.Arbitrary<Labels> = fc.record(
  { color: fc.constantFrom('red', 'blue', 'green'), size: fc.constantFrom('1', '2') },
  { requiredKeys: [] },
);

const write: fc.Arbitrary<WriteStep> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      does: fc.constant('put' as const),
      namespace,
      name,
      labels,
      finalizers: fc.oneof({ weight: 5, arbitrary: fc.constant([]) }, fc.constant(['example.com/wait'])),
    }),
  },
  { weight: 4, arbitrary: fc.record({ does: fc.constant('delete' as const), namespace, name }) },
  {
    weight: 1,
    arbitrary: fc.record({
      does: fc.constant('deletecollection' as const),
      namespace,
      labelSelector: fc.constantFrom('', 'color=red', 'size'),
    }),
  },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('dryRun' as const), namespace, name }) },
);

const compaction: fc.Arbitrary<WriteStep> = fc.record({
  does: fc.constant('compact' as const),
  back: fc.nat({ max: 6 }),
});

/** Steps of one group go out at the same time. */
export function writeGroups({ compacting }: { readonly compacting: boolean }): fc.Arbitrary<readonly WriteStep[][]> {
  const step = compacting ? fc.oneof({ weight: 12, arbitrary: write }, { weight: 1, arbitrary: compaction }) : write;
  return fc.array(fc.array(step, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 12 });
}

/** What was acknowledged: the object of every create and update that the API did not refuse. */
export async function perform(step: WriteStep, { ask, subject }: Performing): Promise<readonly KubeObject[]> {
  try {
    return await attempt(step, { ask, subject });
  } catch (error) {
    // Refusals are answers: two writers met, or the object is being deleted.
    if (error instanceof StatusError && [404, 409, 422].includes(error.code)) return [];
    throw error;
  }
}

interface Performing {
  readonly ask: Asking;
  readonly subject: Subject;
}

async function attempt(step: WriteStep, { ask, subject }: Performing): Promise<readonly KubeObject[]> {
  switch (step.does) {
    case 'put':
      return [await put(step, ask)];
    case 'delete':
      await ask.perform({ verb: 'delete', namespace: step.namespace, name: step.name, options: {} });
      return [];
    case 'deletecollection': {
      const list = { labelSelector: step.labelSelector };
      await ask.perform({ verb: 'deletecollection', namespace: step.namespace, options: {}, list });
      return [];
    }
    case 'dryRun': {
      const options = { dryRun: true };
      await ask.perform({ verb: 'delete', namespace: step.namespace, name: step.name, options });
      return [];
    }
    case 'compact':
      await subject.store.compact(subject.store.revision - step.back);
      return [];
    default:
      return step satisfies never;
  }
}

async function put(step: Extract<WriteStep, { readonly does: 'put' }>, ask: Asking): Promise<KubeObject> {
  const body = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: step.name, namespace: step.namespace, labels: step.labels, finalizers: step.finalizers },
  };
  try {
    const { object } = await ask.perform({ verb: 'create', namespace: step.namespace, body, options: {} });
    return object as KubeObject;
  } catch (error) {
    if (!(error instanceof StatusError) || error.status.reason !== 'AlreadyExists') throw error;
  }
  const { object } = await ask.perform({
    verb: 'update',
    namespace: step.namespace,
    name: step.name,
    body,
    options: {},
  });
  return object as KubeObject;
}

/** Acknowledged objects by the revision that wrote them. What changed nothing was not written again. */
export function byRevision(acknowledged: readonly KubeObject[]): ReadonlyMap<number, KubeObject> {
  return new Map(acknowledged.map((object) => [versionOf(object), object]));
}
