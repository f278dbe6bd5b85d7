/** A short command and what it said. */
import { spawn } from 'node:child_process';

export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Running {
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Rejects only when the program cannot be started at all. */
export function run([program = '', ...args]: readonly string[], { input = '', env }: Running = {}): Promise<Ran> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: 'pipe', env: env ?? hostEnv });
    const said = { stdout: '', stderr: '' };
    child.stdout.on('data', (chunk: Buffer) => (said.stdout += chunk.toString('utf8')));
    child.stderr.on('data', (chunk: Buffer) => (said.stderr += chunk.toString('utf8')));
    child.stdin.on('error', () => undefined);
    child.stdin.end(input);
    child.on('error', reject);
    child.on('close', (code, signal) => resolve({ code: code ?? (signal === null ? 1 : 128), ...said }));
  });
}

/** Rejects with what it said when it fails. */
export async function runWell(argv: readonly string[], running: Running = {}): Promise<string> {
  const { code, stdout, stderr } = await run(argv, running);
  if (code !== 0)
    throw new Error(`${argv.slice(0, 3).join(' ')} … failed: ${(stderr || stdout).trim() || `code ${code}`}`);
  return stdout;
}

/** Of our own helpers: where the machine's tools are, and nothing of who started us. */
export const hostEnv: Readonly<Record<string, string>> = {
  PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  LC_ALL: 'C.UTF-8',
};
