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
