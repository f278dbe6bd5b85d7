import { expect, test } from 'vitest';
import { failure } from '../../../api/status.ts';
import { refusalAnswer } from './encode-refusal.ts';

const gone = failure(404, 'NotFound', 'configmaps "a" not found', { name: 'a', kind: 'configmaps' });

test.each([
  [undefined, 'application/json', /^\{"kind":"Status"/],
  ['text/html', 'application/json', /^\{"kind":"Status"/],
  ['application/yaml', 'application/yaml', /^kind: Status\n(?:.*\n)*reason: NotFound\n/],
  ['application/vnd.kubernetes.protobuf,application/json', 'application/vnd.kubernetes.protobuf', /^k8s\0/],
  ['application/json,application/yaml', 'application/json', /^\{"kind":"Status"/],
])('who takes %s is refused in %s', (accept, type, text) => {
  const { code, headers, body } = refusalAnswer(gone, accept);
  expect([code, headers['content-type']]).toEqual([404, type]);
  expect(body.is === 'bytes' && body.bytes.toString()).toMatch(text);
});
