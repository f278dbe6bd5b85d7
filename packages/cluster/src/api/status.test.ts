import { expect, test } from 'vitest';
import { conflict, ifFound, notFound, StatusError } from './status.ts';

const pods = { group: '', resource: 'pods' };

test('what is not there is undefined; other failures stay failures', async () => {
  expect(await ifFound(Promise.resolve('found'))).toBe('found');
  expect(await ifFound(Promise.reject(new StatusError(notFound(pods, 'web'))))).toBeUndefined();
  const other = new StatusError(conflict(pods, 'web', 'it changed'));
  await expect(ifFound(Promise.reject(other))).rejects.toBe(other);
});
