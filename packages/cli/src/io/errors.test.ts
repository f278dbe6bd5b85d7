import { failure, StatusError } from '@signalbox/cluster';
import { expect, test } from 'vitest';
import { CommandError, describeError } from './errors.ts';

test.each<[string, unknown, readonly string[]]>([
  ['lines of a command', new CommandError(['a', 'b']), ['a', 'b']],
  ['several', new AggregateError([new Error('a'), new CommandError('b')]), ['a', 'b']],
  ['text of several lines', new Error(' a\n  b\n'), ['a b']],
  ['no error', 7, ['7']],
  [
    'credentials that nobody knows',
    new StatusError(failure(401, 'Unauthorized', 'Unauthorized')),
    ['Unauthorized: the API server does not know the credentials of this kubeconfig, or they have expired'],
  ],
])('%s', (_, error, lines) => {
  expect(describeError(error)).toEqual(lines);
});
