import { expect, test } from 'vitest';
import { startFailure } from './start-failure.ts';

test.each([
  [1, 'bwrap: execvp agent: No such file or directory\n', 'exec: "agent": executable file not found in $PATH'],
  [
    127,
    'setpriv: failed to execute /x/agent: No such file or directory\n',
    'exec: "/x/agent": no such file or directory',
  ],
  [1, 'bwrap: execvp ./agent: Permission denied\n', 'exec: "./agent": permission denied'],
  [
    1,
    "bwrap: Can't find source path /x: No such file or directory\n",
    "the sandbox cannot be made: bwrap: Can't find source path /x: No such file or directory",
  ],
  [1, 'agent: no configuration\n', undefined],
  [0, 'bwrap: execvp agent: No such file or directory\n', undefined],
  [1, 'started\nbwrap: execvp agent: No such file or directory\n', undefined],
])('%i %s', (exitCode, said, failure) => {
  expect(startFailure({ exitCode, said })).toBe(failure);
});
