import { expect, test } from 'vitest';
import type { ConfigMap, Pod } from '../../api/generated/core-v1.ts';
import { configmaps, deployments, events, pods } from '../../api/generated/kinds.ts';
import { isSameResource, type ResourceType } from '../../api/gvk.ts';
import type { KubeObject } from '../../api/meta.ts';
import { failure } from '../../api/status.ts';
import { admin, configMap, createTestServer, refusalOf, type TestServer } from '../../testing/api-server.ts';
import type { Review, Reviewer } from '../context/reviewer.ts';

interface Fake extends Reviewer {
  /** `create configmaps a`, … */
  readonly asked: string[];
}

/** Takes a turn for every answer, as one beyond a network does. */
function fake(type: ResourceType, answers: Pick<Reviewer, 'mutate' | 'judge'>): Fake {
  const asked: string[] = [];
  const note = ({ does, request, object, oldObject }: Review): void => {
    const { served, subresource, dryRun } = request;
    const { kind, metadata } = object ?? (oldObject as KubeObject);
    const door = `${served.definition.resource}${subresource === undefined ? '' : `/${subresource}`}`;
    asked.push(`${does} ${door}: ${kind} ${metadata.name}${dryRun ? ' (dry run)' : ''}`);
  };
  const { mutate, judge } = answers;
  return {
    name: 'fake.example.com',
    asked,
    concerns: ({ served }) => isSameResource(served.definition, type),
    ...(mutate !== undefined && {
      async mutate(review, waiting) {
        note(review);
        await Promise.resolve();
        return mutate(review, waiting);
      },
    }),
    ...(judge !== undefined && {
      async judge(review, waiting) {
        note(review);
        await Promise.resolve();
        return judge(review, waiting);
      },
    }),
  };
}

const yes = async (): Promise<{ readonly allowed: true }> => ({ allowed: true });
const withData = (object: KubeObject | undefined, data: Readonly<Record<string, string>>): KubeObject =>
  ({ ...object, data: { ...(object as ConfigMap).data, ...data } }) as KubeObject;

async function dataOf(server: TestServer, name: string): Promise<unknown> {
  return ((await server.get(configmaps, name)) as ConfigMap).data;
}

test('is asked about every way to change an object, by verb and by what the door shows', async () => {
  const reviewer = fake(deployments, { judge: yes });
  const server = await createTestServer({ reviewers: [reviewer] });
  const template = { metadata: { labels: { app: 'a' } }, spec: { containers: [{ name: 'a', image: 'a' }] } };
  const spec = { selector: { matchLabels: { app: 'a' } }, template };
  await server.create(deployments, { metadata: { name: 'web' }, spec });
  await server.update(deployments, { metadata: { name: 'web' }, spec: { ...spec, replicas: 2 } }, { dryRun: true });
  await server.merge(deployments, 'web', { body: { spec: { replicas: 3 } } });
  await server.merge(deployments, 'web', { subresource: 'scale', body: { spec: { replicas: 4 } } });
  await server.merge(deployments, 'web', { subresource: 'status', body: { status: { replicas: 1 } } });
  await server.delete(deployments, 'web');
  expect(reviewer.asked).toEqual([
    'create deployments: Deployment web',
    'update deployments: Deployment web (dry run)',
    'update deployments: Deployment web',
    'update deployments/scale: Scale web',
    'update deployments/status: Deployment web',
    'delete deployments: Deployment web',
  ]);
});

test('a binding and an eviction are reviewed as what they are, and what comes of them not again', async () => {
  const reviewer = fake(pods, { judge: yes });
  const server = await createTestServer({ reviewers: [reviewer] });
  await server.create(pods, { metadata: { name: 'p' }, spec: { containers: [{ name: 'a', image: 'a' }] } });
  const binding = { metadata: { name: 'p' }, target: { name: 'node-1' } };
  await server.create(pods, binding, { name: 'p', subresource: 'binding' });
  await server.create(pods, { metadata: { name: 'p' } }, { name: 'p', subresource: 'eviction' });
  expect(((await server.get(pods, 'p')) as Pod).metadata.deletionTimestamp).toBeDefined();
  expect(reviewer.asked).toEqual([
    'create pods: Pod p',
    'create pods/binding: Binding p',
    'create pods/eviction: Eviction p',
  ]);
});

test('a refusal is the answer, and nothing is stored', async () => {
  const status = failure(403, 'Forbidden', 'not on my watch');
  let isStrict = false;
  const reviewer = fake(configmaps, { judge: async () => (isStrict ? { allowed: false, status } : { allowed: true }) });
  const server = await createTestServer({ reviewers: [reviewer] });
  await server.create(configmaps, configMap('a'));
  const before = await server.get(configmaps, 'a');
  isStrict = true;
  for (const work of [
    server.create(configmaps, configMap('b')),
    server.merge(configmaps, 'a', { body: { data: { x: '1' } } }),
    server.update(configmaps, { ...configMap('a'), data: { x: '1' } }),
    server.delete(configmaps, 'a'),
  ])
    expect(await refusalOf(work)).toEqual(status);
  expect((await server.list(configmaps)).items).toEqual([before]);
});

test('what it changes is completed and validated as if it had been sent so', async () => {
  const image = fake(pods, {
    mutate: async ({ object }) => {
      const { spec } = object as Pod;
      return {
        allowed: true,
        object: { ...object, spec: { ...spec, containers: [{ name: 'a', image: 'mended' }] } } as KubeObject,
      };
    },
  });
  const server = await createTestServer({ reviewers: [image] });
  // Without an image it would be refused.
  await server.create(pods, { metadata: { name: 'p' }, spec: { containers: [{ name: 'a' }] } });
  const { spec } = (await server.get(pods, 'p')) as Pod;
  expect(spec.containers).toMatchObject([{ image: 'mended', imagePullPolicy: 'Always', resources: {} }]);
  const spoil = fake(configmaps, {
    mutate: async ({ object }) => ({ allowed: true, object: withData(object, { '?': '' }) }),
  });
  const other = await createTestServer({ reviewers: [spoil] });
  expect((await refusalOf(other.create(configmaps, configMap('a')))).code).toBe(422);
});

test('those that change are asked in turn, those that judge see what they left', async () => {
  const seen: unknown[] = [];
  const adding = (key: string): Fake =>
    fake(configmaps, {
      async mutate({ object }) {
        seen.push((object as ConfigMap).data);
        return { allowed: true, object: withData(object, { [key]: key }) };
      },
    });
  const judge = fake(configmaps, {
    async judge({ object, oldObject }) {
      seen.push([(oldObject as ConfigMap | undefined)?.data, (object as ConfigMap).data]);
      return { allowed: true };
    },
  });
  const server = await createTestServer({ reviewers: [judge, adding('first'), adding('second')] });
  await server.create(configmaps, { metadata: { name: 'a' } });
  const both = { first: 'first', second: 'second' };
  expect(seen).toEqual([undefined, { first: 'first' }, [undefined, both]]);
  seen.length = 0;
  await server.merge(configmaps, 'a', { body: { data: { first: null } } });
  expect(seen).toEqual([{ second: 'second' }, both, [both, both]]);
});

test('a change by the door of a subresource goes back through that door', async () => {
  const atMost = fake(deployments, {
    async mutate({ object, request }) {
      if (request.subresource !== 'scale') return { allowed: true };
      return { allowed: true, object: { ...object, spec: { replicas: 5 } } as unknown as KubeObject };
    },
  });
  const server = await createTestServer({ reviewers: [atMost] });
  const template = { metadata: { labels: { app: 'a' } }, spec: { containers: [{ name: 'a', image: 'a' }] } };
  await server.create(deployments, {
    metadata: { name: 'web' },
    spec: { selector: { matchLabels: { app: 'a' } }, template },
  });
  const { object } = await server.merge(deployments, 'web', { subresource: 'scale', body: { spec: { replicas: 90 } } });
  expect(object).toMatchObject({ kind: 'Scale', spec: { replicas: 5 } });
  expect(await server.get(deployments, 'web')).toMatchObject({ metadata: { generation: 2 }, spec: { replicas: 5 } });
});

test('is asked again, about what stands there then, when somebody else was faster', async () => {
  const seen: unknown[] = [];
  const reviewer: Reviewer = {
    name: 'slow.example.com',
    concerns: ({ served, manager }) => isSameResource(served.definition, configmaps) && manager !== 'fast',
    async mutate({ object, oldObject }) {
      seen.push((oldObject as ConfigMap | undefined)?.data);
      if (seen.length === 2) await faster();
      return { allowed: true, object: withData(object, { seen: String(seen.length) }) };
    },
  };
  const server = await createTestServer({ reviewers: [reviewer] });
  const faster = async (): Promise<unknown> =>
    server.server.perform(
      {
        verb: 'patch',
        patchType: 'merge',
        resource: configmaps,
        namespace: 'default',
        name: 'a',
        user: admin,
        agent: 'fast',
        body: { data: { other: 'faster' } },
        options: {},
      },
      { signal: new AbortController().signal },
    );
  await server.create(configmaps, { metadata: { name: 'a' } });
  await server.merge(configmaps, 'a', { body: { data: { mine: 'too' } } });
  expect(seen).toEqual([undefined, { seen: '1' }, { seen: '1', other: 'faster' }]);
  expect(await dataOf(server, 'a')).toEqual({ seen: '3', other: 'faster', mine: 'too' });
});

test('its warnings reach the user, once', async () => {
  const warnings = ['this is old'];
  const reviewer = fake(configmaps, {
    mutate: async () => ({ allowed: true, warnings }),
    judge: async () => ({ allowed: true, warnings }),
  });
  const server = await createTestServer({ reviewers: [reviewer] });
  expect((await server.create(configmaps, configMap('a'))).warnings).toEqual(warnings);
});

test('one that does not answer is a refusal when time is up, whether it listens or not', async () => {
  const signals: AbortSignal[] = [];
  const reviewer = fake(configmaps, {
    judge: (_, { signal }) => {
      signals.push(signal);
      return new Promise(() => undefined);
    },
  });
  const server = await createTestServer({ reviewers: [reviewer], limits: { reviewMs: 10_000 } });
  const refused = refusalOf(server.create(configmaps, configMap('a')));
  await server.clock.advance(10_000);
  expect(await refused).toMatchObject({
    code: 500,
    message: expect.stringContaining('the admission review "fake.example.com" failed: it did not answer within 10 s'),
  });
  expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
});

test('it ends with the request', async () => {
  const client = new AbortController();
  const gone = new Error('the client went away');
  const reviewer = fake(configmaps, {
    judge: () => {
      client.abort(gone);
      return new Promise(() => undefined);
    },
  });
  const { server } = await createTestServer({ reviewers: [reviewer] });
  const work = server.perform(
    { verb: 'create', resource: configmaps, namespace: 'default', user: admin, body: configMap('a'), options: {} },
    { signal: client.signal },
  );
  await expect(work).rejects.toBe(gone);
});

test('one that breaks is named', async () => {
  const reviewer = fake(configmaps, {
    judge: async () => {
      throw new TypeError('no such host');
    },
  });
  const server = await createTestServer({ reviewers: [reviewer] });
  expect((await refusalOf(server.create(configmaps, configMap('a')))).message).toBe(
    'Internal error occurred: the admission review "fake.example.com" failed: no such host',
  );
});

test('what the server does of its own accord nobody reviews', async () => {
  const reviewer = fake(events, { judge: yes });
  const server = await createTestServer({ reviewers: [reviewer] });
  await server.create(events, { metadata: { name: 'e' }, involvedObject: { kind: 'Pod', namespace: 'default' } });
  await server.clock.advance(60 * 60_000);
  expect((await server.list(events)).items).toEqual([]);
  expect(reviewer.asked).toEqual(['create events: Event e']);
});
