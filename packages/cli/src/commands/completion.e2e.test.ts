import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { completionScript } from './completion.ts';

/** What a bare bash, without its completion package, says after it has loaded the script. */
function bash(commands: string): { readonly out: string; readonly err: string } {
  const script = completionScript('bash');
  // `signalbox` answers as the real one does to an empty word; compopt only works below a key.
  const around = `${script}
signalbox() { printf 'up\tstart\nrender\tshow\n:4\n'; }
compopt() { :; }
${commands}`;
  const { stdout, stderr } = spawnSync('bash', ['--norc', '-c', around], { encoding: 'utf8' });
  return { out: stdout, err: stderr };
}

const complete = (words: string): string => `COMP_WORDS=(${words}) COMP_CWORD=1 COMPREPLY=()
__signalbox_complete
echo "\${COMPREPLY[*]}"`;

test.each([
  ["signalbox ''", 'up render\n'],
  ['signalbox re', 'render\n'],
  ['signalbox x', '\n'],
])('bash completes %s without its completion package', (words, expected) => {
  expect(bash(complete(words))).toEqual({ out: expected, err: '' });
});

test('a shell may load the script again', () => {
  expect(bash(`${completionScript('bash')}\n${complete('signalbox u')}`)).toEqual({ out: 'up\n', err: '' });
});

test('where we have no suggestion, bash completes files', () => {
  expect(bash('complete -p signalbox').out).toBe('complete -o default -F __signalbox_complete signalbox\n');
});
