/** The gateway as the process inside has it: a child in a namespace of its own, started again when it dies, and told all anew. */
import { type ChildProcess, spawn } from 'node:child_process';
import type { Clock } from '@signalbox/cluster';
import type { FromGateway, GatewaySettings, Subject, ToGateway, Told } from './channel.ts';

export interface Gateway {
  /** Resolves when it holds. */
  tell<Each extends Subject>(subject: Each, value: Told[Each]): Promise<void>;
  close(): void;
}

export interface GatewayOptions {
  /** In the namespace of the gateway: the program and its arguments, but for the settings. */
  readonly argv: readonly [string, ...string[]];
  readonly env: Readonly<Record<string, string>>;
  readonly settings: GatewaySettings;
  readonly clock: Pick<Clock, 'after' | 'nowMs'>;
  report(message: string): void;
}

const restartMsMin = 50;
const restartMsMax = 5_000;
/** After which a death is the first one again. */
const calmMs = 60_000;

interface Waiting {
  readonly subject: Subject;
  resolve(): void;
  reject(error: Error): void;
}

/** Resolves when it is ready. Rejects when it dies before. */
export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  const { clock, report } = options;
  const told: Partial<Told> = {};
  const waiting = new Map<number, Waiting>();
  let number = 0;
  let child: ChildProcess | undefined;
  let isClosed = false;
  let restartMs = restartMsMin;
  let wasReady = false;
  const send = (subject: Subject, as: number): void => {
    child?.send({ number: as, subject, value: told[subject] } as ToGateway, () => undefined);
  };
  const begin = (): Promise<void> => {
    const startedMs = clock.nowMs();
    const next = spawnGateway(options);
    child = next;
    return new Promise((resolve, reject) => {
      next.on('message', (message: FromGateway) => {
        if (message.is === 'ready') {
          wasReady = true;
          for (const subject of ['services', 'zone', 'simulated'] as const)
            if (told[subject] !== undefined) send(subject, lastOf(waiting, subject) ?? 0);
          resolve();
        } else if (message.is === 'report') report(message.message);
        else settle(waiting, message);
      });
      // It can be that it cannot even be started.
      next.on('error', (error) => report(`the gateway: ${error.message}`));
      next.once('close', (code, signal) => {
        reject(new Error(`the gateway ended (${signal ?? code})`));
        if (isClosed || !wasReady) return;
        child = undefined;
        restartMs = clock.nowMs() - startedMs > calmMs ? restartMsMin : Math.min(restartMs * 2, restartMsMax);
        report(`the gateway ended (${signal ?? code}); it is started again`);
        clock.after(restartMs, () => {
          if (!isClosed) begin().catch(() => undefined);
        });
      });
    });
  };
  await begin();
  return {
    tell(subject, value) {
      told[subject] = value;
      number += 1;
      const own = number;
      return new Promise((resolve, reject) => {
        waiting.set(own, { subject, resolve, reject });
        send(subject, own);
      });
    },
    close() {
      isClosed = true;
      child?.kill('SIGKILL');
    },
  };
}

function spawnGateway({ argv: [program, ...args], env, settings }: GatewayOptions): ChildProcess {
  const stdio = ['ignore', 'ignore', 'inherit', 'ipc'] as const;
  return spawn(program, [...args, JSON.stringify({ gateway: settings })], { stdio: [...stdio], env: { ...env } });
}

function lastOf(waiting: ReadonlyMap<number, Waiting>, subject: Subject): number | undefined {
  return [...waiting].findLast(([, each]) => each.subject === subject)?.[0];
}

/** What was told before of the same holds no more, and need not be waited for. */
function settle(waiting: Map<number, Waiting>, { number, error }: Extract<FromGateway, { readonly is: 'done' }>): void {
  const subject = waiting.get(number)?.subject;
  for (const [each, { subject: of, resolve, reject }] of waiting) {
    if (of !== subject || each > number) continue;
    waiting.delete(each);
    if (error === undefined) resolve();
    else reject(new Error(error));
  }
}
