import { beforeEach, describe, expect, test } from 'vitest';
import type { Pod } from '../../../api/generated/core-v1.ts';
import { pods } from '../../../api/generated/kinds.ts';
import type { KubeObject } from '../../../api/meta.ts';
import { createTestServer, refusalOf, type TestServer } from '../../../testing/api-server.ts';

const at = { subresource: 'ephemeralcontainers' };
let server: TestServer;

beforeEach(async () => {
  server = await createTestServer();
  await server.create(pods, {
    metadata: { name: 'p' },
    spec: {
      containers: [{ name: 'app', image: 'app:1' }],
      initContainers: [{ name: 'first', image: 'first:1' }],
      volumes: [{ name: 'data', emptyDir: {} }],
    },
  });
});

const read = async (): Promise<Pod> => (await server.get(pods, 'p')) as Pod;
const namesOf = ({ spec }: Pod): readonly string[] => (spec.ephemeralContainers ?? []).map(({ name }) => name);
const put = (ephemeralContainers: readonly object[], more: object = {}): Promise<unknown> =>
  server.merge(pods, 'p', { ...at, body: { spec: { ephemeralContainers }, ...more } });
const debug = { name: 'debug', image: 'busybox', targetContainerName: 'app', stdin: true, tty: true };

test('a container comes into a pod that is there, is defaulted, and counts as a change of the pod', async () => {
  await put([debug]);
  const { metadata, spec } = await read();
  expect(metadata.generation).toBe(2);
  expect(spec.ephemeralContainers).toEqual([
    {
      ...debug,
      resources: {},
      terminationMessagePath: '/dev/termination-log',
      terminationMessagePolicy: 'File',
      imagePullPolicy: 'Always',
    },
  ]);
  expect((await server.get(pods, 'p', at)) as KubeObject).toEqual(await read());
});

test('nothing else of the body comes in', async () => {
  const before = await read();
  const spec = { ephemeralContainers: [debug], containers: [{ name: 'app', image: 'other' }] };
  await put([], { metadata: { labels: { a: 'b' } }, spec, status: { phase: 'Failed' } });
  const after = await read();
  expect(namesOf(after)).toEqual(['debug']);
  expect(after.spec.containers).toEqual(before.spec.containers);
  expect(after.metadata.labels).toBeUndefined();
  expect(after.status).toEqual(before.status);
});

test('whoever applies owns what they have brought, and brings more beside what others have', async () => {
  await put([debug]);
  const kind = { apiVersion: 'v1', kind: 'Pod' };
  const mine = { ...kind, metadata: { name: 'p' }, spec: { ephemeralContainers: [{ name: 'mine', image: 'i:1' }] } };
  await server.apply(pods, mine, { ...at, manager: 'me' });
  expect(namesOf(await read())).toEqual(['debug', 'mine']);
  const entry = (await read()).metadata.managedFields?.find(({ manager }) => manager === 'me');
  expect(entry).toMatchObject({ operation: 'Apply', subresource: 'ephemeralcontainers' });
  const gone = { ...kind, metadata: { name: 'p' }, spec: { ephemeralContainers: [] } };
  expect((await refusalOf(server.apply(pods, gone, { ...at, manager: 'me' }))).message).toContain(
    'existing ephemeral containers "mine" may not be removed',
  );
});

describe('refused', () => {
  const list = 'spec.ephemeralContainers';
  test.each<[string, object, readonly string[]]>([
    ['a name that is taken', { name: 'app', image: 'i' }, [`${list}[0].name: Duplicate value: "app"`]],
    [
      'also by a container that comes first',
      { name: 'first', image: 'i' },
      [`${list}[0].name: Duplicate value: "first"`],
    ],
    ['no image', { name: 'd' }, [`${list}[0].image: Required value`]],
    [
      'a target that is not there',
      { ...debug, targetContainerName: 'x' },
      [`${list}[0].targetContainerName: Not found: "x"`],
    ],
    [
      'what would make it last',
      {
        ...{ name: 'd', image: 'i', ports: [{ containerPort: 1 }], resources: { limits: { cpu: '1' } } },
        ...{ livenessProbe: { exec: { command: ['x'] } }, lifecycle: { preStop: { exec: { command: ['x'] } } } },
      },
      ['ports', 'resources', 'livenessProbe', 'lifecycle'].map(
        (field) => `${list}[0].${field}: Forbidden: cannot be set for an Ephemeral Container`,
      ),
    ],
    [
      'a part of a volume',
      { name: 'd', image: 'i', volumeMounts: [{ name: 'data', mountPath: '/d', subPath: 'a' }] },
      [`${list}[0].volumeMounts[0].subPath: Forbidden: cannot be set for an Ephemeral Container`],
    ],
    [
      'blanks around an image',
      { name: 'd', image: ' i' },
      [`${list}[0].image: Invalid value: " i": must not have leading or trailing whitespace`],
    ],
  ])('%s', async (_, container, expected) => {
    const { code, details } = await refusalOf(put([container]));
    expect(code).toBe(422);
    expect(details?.causes?.map(({ field, message }) => `${field}: ${message}`)).toEqual(expected);
  });

  test('to change one that is there, and to take it out', async () => {
    await put([debug]);
    expect((await refusalOf(put([{ ...debug, image: 'other' }]))).message).toBe(
      'Pod "p" is invalid: spec.ephemeralContainers: Forbidden: existing ephemeral containers "debug" may not be changed\nimage',
    );
    expect((await refusalOf(put([]))).message).toBe(
      'Pod "p" is invalid: spec.ephemeralContainers: Forbidden: existing ephemeral containers "debug" may not be removed\n',
    );
    expect(namesOf(await read())).toEqual(['debug']);
  });

  test('by the main door', async () => {
    const body = { spec: { ephemeralContainers: [debug] } };
    expect((await refusalOf(server.merge(pods, 'p', { body }))).message).toContain('spec.ephemeralContainers');
  });

  test('for a pod that its node runs on its own', async () => {
    const annotations = { 'kubernetes.io/config.mirror': 'x' };
    const spec = { nodeName: 'n', containers: [{ name: 'app', image: 'app:1' }] };
    await server.create(pods, { metadata: { name: 'mirror', annotations }, spec });
    const body = { spec: { ephemeralContainers: [debug] } };
    expect(await refusalOf(server.merge(pods, 'mirror', { ...at, body }))).toMatchObject({
      message: expect.stringContaining('[]: Forbidden: static pods do not support ephemeral containers') as string,
    });
  });
});
