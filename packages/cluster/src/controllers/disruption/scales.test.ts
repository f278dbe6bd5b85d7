import { expect, test } from 'vitest';
import { deployments, jobs } from '../../api/generated/kinds.ts';
import type { ResourceType } from '../../api/gvk.ts';
import { failure, notFound, StatusError } from '../../api/status.ts';
import { readScale } from './scales.ts';

const { signal } = new AbortController();
const unread = { apiVersion: 'batch/v1beta9', kind: 'Job', name: 'web', uid: 'u1', controller: true };
const types = [deployments, jobs] as readonly ResourceType[];

function read(answer: () => unknown, reference: typeof unread = unread): ReturnType<typeof readScale> {
  const client = { get: () => Promise.resolve().then(answer) } as never;
  return readScale({ unread: reference, pod: 'p' }, { namespace: 'default', types, client, signal });
}
const refused =
  (status: ConstructorParameters<typeof StatusError>[0]): (() => never) =>
  () => {
    throw new StatusError(status);
  };

test('its scale says how many there should be', async () => {
  expect(await read(() => ({ metadata: { uid: 'u1' }, spec: { replicas: 4 } }))).toEqual({ uid: 'u1', replicas: 4 });
  expect(await read(() => ({ metadata: { uid: 'u1' } }))).toEqual({ uid: 'u1', replicas: 0 });
});

const gone = { problem: 'found no controllers for pod "p"' };

test('one that is not there, or is another one of the name, controls nothing', async () => {
  expect(await read(refused(notFound(jobs, 'web')))).toEqual(gone);
  expect(await read(() => ({ metadata: { uid: 'u2' }, spec: { replicas: 4 } }))).toEqual(gone);
});

test('a kind without a scale, and one that nobody serves, are named', async () => {
  const none = failure(404, 'NotFound', 'the server could not find the requested resource', {});
  expect(await read(refused(none))).toEqual({ problem: 'jobs.batch does not implement the scale subresource' });
  expect(await read(refused(none), { ...unread, kind: 'Thing' })).toEqual({
    problem: 'no matches for kind "Thing" in version "batch/v1beta9"',
  });
});

test('what the API refuses is told, and what keeps it from being asked is tried again', async () => {
  expect(await read(refused(failure(403, 'Forbidden', 'no')))).toEqual({ problem: 'no' });
  await expect(
    read(() => {
      throw new Error('no way');
    }),
  ).rejects.toThrow('no way');
});
