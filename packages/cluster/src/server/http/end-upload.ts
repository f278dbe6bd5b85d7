import { constants, type ServerHttp2Stream } from 'node:http2';
import type { Clock } from '../../base/clock.ts';
import type { NodeRequest } from './incoming.ts';

/** Doubled each time; a client that takes nothing for this many times has had its chance. */
const lookAgainMs = 5;
const looksMax = 12;

/**
 * Over HTTP/2 a client that has its answer may go on with its body, and its stream would stay. HTTP/1.1 closes instead.
 * A reset overtakes what still waits to be sent, and Go's clients then take the whole answer for broken: neither the reason
 * nor the `Retry-After` of a refusal would be read. So it comes once the end of the answer is on its way.
 */
export function endUpload(request: NodeRequest, clock: Clock): void {
  if (!('stream' in request) || request.complete) return;
  const { stream } = request;
  // A request without a body has ended, though nobody has read its end.
  if (stream.endAfterHeaders) return;
  const close = (looks: number): void => {
    if (stream.closed || stream.destroyed) return;
    if (hasEnded(stream) || looks === looksMax) stream.close(constants.NGHTTP2_NO_ERROR);
    else clock.after(lookAgainMs * 2 ** looks, () => close(looks + 1));
  };
  if (stream.writableFinished) close(0);
  else stream.once('finish', () => close(0));
}

/** Whether the frame that ends the answer was sent: `finish` tells only that nothing follows. */
function hasEnded({ state }: ServerHttp2Stream): boolean {
  return state.localClose === 1;
}

/** As much as the largest body that would have been taken. */
const discardedBytesMax = 4 * 1024 * 1024;
const discardQuietMsMax = 250;
const discardMsMax = 2_000;

/**
 * Over HTTP/1.1 a refusal that comes before the body has arrived closes the connection, and what still comes in then makes
 * the system reset it: the client loses the answer that waits for it. So the rest is read away first, as long as it keeps
 * coming and is no larger than a body may be; what is more has to live with the reset.
 */
export function discardRest(request: NodeRequest, clock: Clock): Promise<void> {
  if ('stream' in request || request.complete || request.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    let bytes = 0;
    const done = (): void => {
      cancelQuiet();
      cancelAll();
      request.off('data', count).off('end', done).off('close', done).off('error', done).pause();
      resolve();
    };
    const count = (chunk: Buffer): void => {
      bytes += chunk.length;
      cancelQuiet();
      cancelQuiet = clock.after(discardQuietMsMax, done);
      if (bytes > discardedBytesMax) done();
    };
    let cancelQuiet = clock.after(discardQuietMsMax, done);
    const cancelAll = clock.after(discardMsMax, done);
    request.on('data', count).on('end', done).on('close', done).on('error', done).resume();
  });
}
