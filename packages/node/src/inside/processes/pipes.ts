/**
 * Real pipes: what Node makes for its children are sockets, and a program that opens `/dev/stdout` cannot open a socket. The kernel
 * makes named ones for a command only, so they are made in stock, and lose their names when they are taken.
 */
import { closeSync, constants, openSync, unlinkSync } from 'node:fs';
import { Socket } from 'node:net';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { runWell } from '../run.ts';

export interface Pipe {
  /** For the child; to be closed when it has been started. */
  readonly writeEnd: number;
  readonly readable: Readable;
}

export interface Pipes {
  take(): Promise<Pipe>;
}

const stockSize = 32;

export function createPipes(folder: string): Pipes {
  const stock: string[] = [];
  let made = 0;
  let making: Promise<void> | undefined;
  const make = async (): Promise<void> => {
    const names = Array.from({ length: stockSize }, () => join(folder, `pipe${made++}`));
    // Users of a container have to be able to open their own output once more.
    await runWell(['mkfifo', '-m', '666', ...names]);
    stock.push(...names);
    making = undefined;
  };
  return {
    async take() {
      for (;;) {
        const path = stock.pop();
        if (path !== undefined) return openPipe(path);
        making ??= make();
        await making;
      }
    },
  };
}

function openPipe(path: string): Pipe {
  const readEnd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const writeEnd = openSync(path, constants.O_WRONLY);
  unlinkSync(path);
  return { writeEnd, readable: new Socket({ fd: readEnd, readable: true, writable: false }) };
}

export function closePipe({ writeEnd }: Pipe): void {
  closeSync(writeEnd);
}
