import type { ChildProcess } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { spawnAlone } from '@signalbox/cluster';
import type { BackgroundMessage, Launch } from '../io/background.ts';
import { backgroundVariable, type Channel } from './background.ts';

/** How this process was started: to be started once more. */
export interface Invocation {
  /** Node's own arguments. Of those that say the same the last one counts: what a launch says of its own comes after them. */
  readonly engine: readonly string[];
  /** The program's file. */
  readonly program: readonly string[];
  readonly argv: readonly string[];
  readonly execPath: string;
  readonly env: NodeJS.ProcessEnv;
}

/** Launches processes of the operating system: in a session of their own, so that a terminal that closes takes none along. */
export function spawnLaunch({ engine, program, argv: own, execPath, env }: Invocation): Launch {
  return ({ log, takesInput, runtime = [], argv = own }) => {
    const file = openSync(log, 'a', 0o600);
    const child = spawnAlone(execPath, [...engine, ...runtime, ...program, ...argv], {
      detached: true,
      stdio: [takesInput ? 'inherit' : 'ignore', file, file, 'ipc'],
      env: { ...env, [backgroundVariable]: log },
    });
    closeSync(file);
    const ended = new Promise<number | null>((resolve) => {
      child.once('error', () => resolve(1));
      child.once('exit', (code) => resolve(code));
    });
    return {
      pid: child.pid ?? 0,
      messages: messagesOf(child),
      ended,
      kill: (signal) => void child.kill(signal),
      release() {
        if (child.connected) child.disconnect();
        child.unref();
      },
    };
  };
}

async function* messagesOf(child: ChildProcess): AsyncGenerator<BackgroundMessage, void, undefined> {
  const waiting: BackgroundMessage[] = [];
  let wake: () => void = () => undefined;
  let isOver = false;
  child.on('message', (message) => {
    waiting.push(message as BackgroundMessage);
    wake();
  });
  // The channel closes after its last message was read; a process that could not be started has none.
  for (const event of ['disconnect', 'error'] as const)
    child.once(event, () => {
      isOver = true;
      wake();
    });
  for (;;) {
    const next = waiting.shift();
    if (next !== undefined) yield next;
    else if (isOver) return;
    else
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
  }
}

/** The channel of this process to the one that launched it. */
export function processChannel(process: NodeJS.Process): Channel {
  process.on('disconnect', () => undefined);
  return {
    send: (message) =>
      new Promise((resolve) => {
        if (process.send === undefined || !process.connected) resolve();
        else process.send(message, undefined, undefined, () => resolve());
      }),
    close() {
      if (process.connected) process.disconnect();
    },
  };
}
