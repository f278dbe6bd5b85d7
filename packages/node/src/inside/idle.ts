/** Ends what nobody needs any more: with nobody connected for so long, somebody has forgotten it. */
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { InsideClock } from './processes/container.ts';

export interface Idling {
  readonly clock: InsideClock;
  readonly idleMs: number;
  end(): void;
}

export function endWhenIdle(server: Server, { clock, idleMs, end }: Idling): void {
  let connected = 0;
  let cancel = clock.after(idleMs, end);
  server.on('connection', (socket: Socket) => {
    connected += 1;
    cancel();
    socket.once('close', () => {
      connected -= 1;
      if (connected === 0) cancel = clock.after(idleMs, end);
    });
  });
}
