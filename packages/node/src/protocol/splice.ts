/** Two connections become one. Who ends its side still hears the other's; who reads slowly slows the sender down. */
import type { Socket } from 'node:net';

/** How long a peer may say nothing before the kernel asks whether it is there: pods vanish without a word. */
const keepAliveMs = 60_000;

/** How much of each direction may wait: less stops and starts the sender for every piece, and halves what gets through. */
export const spliceBufferBytes: number = 256 << 10;

export function splice(one: Socket, other: Socket): void {
  for (const [from, to] of [
    [one, other],
    [other, one],
  ] as const) {
    from.setKeepAlive(true, keepAliveMs);
    from.on('error', () => undefined);
    // A broken connection looks broken at its other end, not finished.
    from.once('close', (isBroken) => {
      if (isBroken || !from.readableEnded) breakOff(to);
    });
    from.pipe(to);
  }
}

/** As the other side would see it when the peer had died. */
export function breakOff(socket: Socket): void {
  if (socket.destroyed) return;
  if (socket.remoteAddress === undefined) socket.destroy();
  else socket.resetAndDestroy();
}
