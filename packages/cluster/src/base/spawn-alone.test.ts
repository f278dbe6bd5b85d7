import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';

test.runIf(process.platform === 'linux')('a child gets what it is given, and nothing of what lies open', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-alone-'));
  try {
    const secret = join(folder, 'secret');
    writeFileSync(secret, 'all of the cluster');
    const file = openSync(secret, 'r+');
    // In a process of its own, to which the file was left open as a shell leaves it, or as LMDB opens it.
    const module = pathToFileURL(join(import.meta.dirname, 'spawn-alone.ts')).href;
    const script = `
      const { spawn } = await import('node:child_process');
      const { spawnAlone } = await import('${module}');
      const list = ['-c', 'ls -l /proc/self/fd'];
      const careless = spawn('sh', list, { stdio: ['ignore', 'inherit', 'inherit'] });
      careless.on('exit', () => {
        console.log('alone');
        spawnAlone('sh', list, { stdio: ['ignore', 'inherit', 'inherit'] });
      });`;
    const child = spawn(
      process.execPath,
      [...process.execArgv, '--import', 'tsx', '--input-type=module', '-e', script],
      {
        stdio: ['ignore', 'pipe', 'inherit', ...new Array<'ignore'>(17).fill('ignore'), file],
      },
    );
    let said = '';
    child.stdout?.on('data', (chunk: Buffer) => (said += chunk.toString('utf8')));
    await once(child, 'close');
    const [careless = '', alone = ''] = said.split('alone\n');
    expect(careless).toContain(`20 -> ${secret}`);
    expect(alone).toContain('20 -> /dev/null');
    expect(alone).not.toContain(secret);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
