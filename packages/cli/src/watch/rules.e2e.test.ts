import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { repository } from '../testing/process.ts';

interface Ran {
  /** Undefined: the program is not there. */
  readonly code: number | undefined;
  readonly said: string;
}

function promtool(...argv: readonly string[]): Promise<Ran> {
  const cwd = join(repository, 'deploy', 'monitoring');
  return new Promise((resolve) => {
    execFile('promtool', argv, { cwd }, (error, stdout, stderr) => {
      const isMissing = (error as NodeJS.ErrnoException | null)?.code === 'ENOENT';
      const code = error === null ? 0 : Number(error.code ?? 1);
      resolve({ code: isMissing ? undefined : code, said: `${stdout}${stderr}` });
    });
  });
}

const { code: version } = await promtool('--version');

test('promtool is there where it has to be', () => {
  if (process.env['CI'] !== undefined) expect(version, 'install promtool: apt-get install prometheus').toBe(0);
});

test.skipIf(version === undefined)('Prometheus takes the rules', async () => {
  const { code, said } = await promtool('check', 'rules', 'rules.yaml');
  expect(said).toMatch(/SUCCESS: \d\d rules found/);
  expect(code).toBe(0);
});

test.skipIf(version === undefined)('every alert fires when it should, and is quiet else', async () => {
  const { code, said } = await promtool('test', 'rules', 'rules_test.yaml');
  expect({ code, said }).toEqual({ code: 0, said: expect.stringContaining('SUCCESS') });
});
