import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

export interface ServerFacts {
  readonly url: string;
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
  /** Of users who may read and write in `default`, and are no administrators. */
  readonly tokens: { readonly greedy: string; readonly jane: string };
}

export interface ServerState {
  readonly rssMb: number;
  /** Since it was told last. */
  readonly loopDelayMsMax: number;
  readonly problems: readonly string[];
}

export interface AttackedServer {
  readonly facts: ServerFacts;
  readonly states: readonly ServerState[];
  /** How it ended, if it did before it was told to; with the end of what it wrote to stderr. */
  death(): string | undefined;
  close(): Promise<void>;
}

export async function startServer(): Promise<AttackedServer> {
  const program = fileURLToPath(new URL('./server-process.ts', import.meta.url));
  const child = spawn(process.execPath, ['--conditions=signalbox-source', '--import', 'tsx', program], {
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const states: ServerState[] = [];
  let stderr = '';
  let death: string | undefined;
  let closing = false;
  child.stderr.on('data', (chunk: Buffer) => {
    stderr = `${stderr}${chunk.toString()}`.slice(-2_000);
  });
  const ended = new Promise<void>((resolve) =>
    child.on('close', (code, signal) => {
      if (!closing) death = `the server ended with ${signal ?? code}: ${stderr.trim()}`;
      resolve();
    }),
  );
  const facts = await new Promise<ServerFacts>((resolve, reject) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      const said = JSON.parse(line) as ServerFacts | ServerState;
      if ('url' in said) resolve(said);
      else states.push(said);
    });
    void ended.then(() => reject(new Error(death ?? 'the server ended')));
  });
  return {
    facts,
    states,
    death: () => death,
    async close() {
      closing = true;
      child.stdin.end();
      const kill = setTimeout(() => child.kill('SIGKILL'), 10_000);
      await ended;
      clearTimeout(kill);
    },
  };
}
