import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { KubeObject } from '../../api/meta.ts';
import { StatusError } from '../../api/status.ts';
import { record } from './recorder.ts';
import { type Asking, asking, type OpenSubject, type Subject, versionOf } from './subject.ts';
import type { LawOptions } from './watch-laws.ts';

const place = { namespace: 'default' } as const;

function configMap(metadata: object, data: object = {}): object {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: 'default', ...metadata }, data };
}

async function withSubject(open: OpenSubject, work: (ask: Asking, subject: Subject) => Promise<void>): Promise<void> {
  const subject = await open();
  try {
    await work(asking(subject), subject);
  } finally {
    await subject.close();
  }
}

async function create(ask: Asking, metadata: object): Promise<KubeObject> {
  return (await ask.perform({ verb: 'create', ...place, body: configMap(metadata), options: {} })).object as KubeObject;
}

/** Codes of many requests at once, smallest first. */
async function codesOf(requests: readonly Promise<{ readonly code: number }>[]): Promise<readonly number[]> {
  const codes = await Promise.all(
    requests.map((request) =>
      request.then(
        ({ code }) => code,
        (error: unknown) => (error instanceof StatusError ? error.code : Promise.reject(error)),
      ),
    ),
  );
  return codes.sort((a, b) => a - b);
}

export function writeLaws(open: OpenSubject, { runs }: LawOptions): void {
  describe('writes', () => {
    test('of many that update one version: exactly one gets through', () =>
      withSubject(open, async (ask) => {
        let current = await create(ask, { name: 'a' });
        for (let round = 0; round < 5; round++) {
          const { resourceVersion } = current.metadata;
          const update = (writer: number): Promise<{ readonly code: number }> => {
            const body = configMap({ name: 'a', resourceVersion }, { writer: `${round}-${writer}` });
            return ask.perform({ verb: 'update', ...place, name: 'a', body, options: {} });
          };
          const codes = await codesOf(Array.from({ length: 10 }, (_, writer) => update(writer)));
          expect(codes).toEqual([200, ...Array.from({ length: 9 }, () => 409)]);
          current = (await ask.perform({ verb: 'get', ...place, name: 'a' })).object as KubeObject;
        }
      }));

    test('of many that count up with retries: no count is lost', () =>
      withSubject(open, async (ask) => {
        await create(ask, { name: 'a' });
        const countUp = async (): Promise<void> => {
          for (;;) {
            const { object } = await ask.perform({ verb: 'get', ...place, name: 'a' });
            const { metadata, data } = object as KubeObject & { readonly data?: { readonly n?: string } };
            const { resourceVersion } = metadata;
            const body = configMap({ name: 'a', resourceVersion }, { n: String(Number(data?.n ?? 0) + 1) });
            const [code] = await codesOf([ask.perform({ verb: 'update', ...place, name: 'a', body, options: {} })]);
            if (code === 200) return;
            expect(code).toBe(409);
          }
        };
        await Promise.all(Array.from({ length: 12 }, countUp));
        const { object } = await ask.perform({ verb: 'get', ...place, name: 'a' });
        expect(object).toMatchObject({ data: { n: '12' } });
      }));

    test('of many that create one name: exactly one gets through', () =>
      withSubject(open, async (ask) => {
        const make = (): Promise<{ readonly code: number }> =>
          ask.perform({ verb: 'create', ...place, body: configMap({ name: 'a' }), options: {} });
        expect(await codesOf(Array.from({ length: 10 }, make))).toEqual([201, ...Array.from({ length: 9 }, () => 409)]);
      }));

    test('of many that let the server choose a name: every name is another', () =>
      withSubject(open, async (ask) => {
        const made = await Promise.all(Array.from({ length: 100 }, () => create(ask, { generateName: 'm-' })));
        expect(new Set(made.map(({ metadata }) => metadata.name)).size).toBe(100);
        expect(new Set(made.map(versionOf)).size).toBe(100);
        for (const { metadata } of made) expect(metadata.name).toMatch(/^m-[a-z0-9]{5}$/);
      }));

    test('of many that delete one object: exactly one gets through', () =>
      withSubject(open, async (ask) => {
        await create(ask, { name: 'a' });
        const remove = (): Promise<{ readonly code: number }> =>
          ask.perform({ verb: 'delete', ...place, name: 'a', options: {} });
        const codes = await codesOf(Array.from({ length: 8 }, remove));
        expect(codes).toEqual([200, ...Array.from({ length: 7 }, () => 404)]);
      }));

    traces(open);
    finalizers(open, { runs });
  });
}

function traces(open: OpenSubject): void {
  test('in dry run answer like real ones and leave no trace', () =>
    withSubject(open, async (ask, subject) => {
      await create(ask, { name: 'a' });
      const { revision } = subject.store;
      const seen = record(ask, { resourceVersion: String(revision) });
      const options = { dryRun: true };
      const name = 'a';
      const body = configMap({ name: 'a' }, { b: 'c' });
      expect(
        await codesOf([ask.perform({ verb: 'create', ...place, body: configMap({ name: 'b' }), options })]),
      ).toEqual([201]);
      expect(await codesOf([ask.perform({ verb: 'create', ...place, body, options })])).toEqual([409]);
      const updated = await ask.perform({ verb: 'update', ...place, name, body, options });
      expect(updated.object).toMatchObject({ data: { b: 'c' } });
      const patch = { verb: 'patch', ...place, name, patchType: 'merge', options } as const;
      const patched = await ask.perform({ ...patch, body: { data: { d: 'e' } } });
      expect(patched.object).toMatchObject({ data: { d: 'e' } });
      await ask.perform({ verb: 'delete', ...place, name, options });
      await ask.perform({ verb: 'deletecollection', ...place, options, list: {} });
      await subject.pass(1);
      expect(subject.store.revision).toBe(revision);
      await seen.stop();
      expect(seen.events).toEqual([]);
      const { object } = await ask.perform({ verb: 'get', ...place, name });
      expect(versionOf(object as KubeObject)).toBe(revision);
    }));

  test('that change nothing leave no trace', () =>
    withSubject(open, async (ask, subject) => {
      const made = await create(ask, { name: 'a', labels: { x: 'y' } });
      const { revision } = subject.store;
      const patch = { verb: 'patch', ...place, name: 'a', patchType: 'merge', options: {} } as const;
      await ask.perform({ ...patch, body: { metadata: { labels: { x: 'y' } } } });
      await ask.perform({ verb: 'update', ...place, name: 'a', body: made, options: {} });
      expect(subject.store.revision).toBe(revision);
    }));

  test('that delete a collection delete what the selectors choose, and nothing else', () =>
    withSubject(open, async (ask) => {
      const red = { color: 'red' };
      for (const [name, labels] of Object.entries({ a: red, b: {}, c: red, d: {} }))
        await create(ask, { name, labels });
      await ask.perform({ verb: 'deletecollection', ...place, options: {}, list: { labelSelector: 'color=red' } });
      expect((await ask.list({}, 'default')).items.map(({ metadata }) => metadata.name)).toEqual(['b', 'd']);
      await ask.perform({
        verb: 'deletecollection',
        ...place,
        options: {},
        list: { fieldSelector: 'metadata.name!=b' },
      });
      expect((await ask.list({}, 'default')).items.map(({ metadata }) => metadata.name)).toEqual(['b']);
    }));

  test('with a precondition that does not hold are refused', () =>
    withSubject(open, async (ask) => {
      const { metadata } = await create(ask, { name: 'a' });
      const remove = (preconditions: object): Promise<readonly number[]> =>
        codesOf([ask.perform({ verb: 'delete', ...place, name: 'a', options: { preconditions } })]);
      expect(await remove({ uid: 'another' })).toEqual([409]);
      expect(await remove({ resourceVersion: '1' })).toEqual([409]);
      expect(await remove({ uid: metadata.uid, resourceVersion: metadata.resourceVersion })).toEqual([200]);
    }));
}

const steps = fc.array(
  fc.oneof(
    fc.record({ does: fc.constant('delete' as const) }),
    fc.record({
      does: fc.constant('set' as const),
      finalizers: fc.subarray(['example.com/x', 'example.com/y', 'example.com/z']),
    }),
  ),
  { maxLength: 8 },
);

/** What a finalized object goes through: there, waiting for its end, gone. */
type Model = { readonly is: 'there' | 'ending'; readonly finalizers: readonly string[] } | { readonly is: 'gone' };

function finalizers(open: OpenSubject, { runs }: LawOptions): void {
  test('let an object end when it is deleted and its last finalizer is gone, not before', async () => {
    await fc.assert(
      fc.asyncProperty(steps, (all) =>
        withSubject(open, async (ask) => {
          let model: Model = { is: 'there', finalizers: ['example.com/x'] };
          await create(ask, { name: 'a', finalizers: model.finalizers });
          for (const step of all) {
            const [code] = await codesOf([
              step.does === 'delete'
                ? ask.perform({ verb: 'delete', ...place, name: 'a', options: {} })
                : ask.perform({
                    verb: 'patch',
                    ...place,
                    name: 'a',
                    patchType: 'merge',
                    body: { metadata: { finalizers: step.finalizers } },
                    options: {},
                  }),
            ]);
            const { next, expected } = after(model, step);
            expect({ step, model, code }).toEqual({ step, model, code: expected });
            model = next;
            await checkModel(ask, model);
          }
        }),
      ),
      { numRuns: runs },
    );
  });
}

type Step = { readonly does: 'delete' } | { readonly does: 'set'; readonly finalizers: readonly string[] };

function after(model: Model, step: Step): { readonly next: Model; readonly expected: number } {
  if (model.is === 'gone') return { next: model, expected: 404 };
  if (step.does === 'delete')
    return { next: model.finalizers.length === 0 ? { is: 'gone' } : { ...model, is: 'ending' }, expected: 200 };
  if (model.is === 'there') return { next: { is: 'there', finalizers: step.finalizers }, expected: 200 };
  // Who is to end takes no new finalizers.
  if (step.finalizers.some((each) => !model.finalizers.includes(each))) return { next: model, expected: 422 };
  const next: Model = step.finalizers.length === 0 ? { is: 'gone' } : { is: 'ending', finalizers: step.finalizers };
  return { next, expected: 200 };
}

async function checkModel(ask: Asking, model: Model): Promise<void> {
  const [object] = (await ask.list({ fieldSelector: 'metadata.name=a' }, 'default')).items;
  if (model.is === 'gone') {
    expect(object).toBeUndefined();
    return;
  }
  expect(object?.metadata.finalizers ?? []).toEqual(model.finalizers);
  expect(object?.metadata.deletionTimestamp !== undefined).toBe(model.is === 'ending');
}
