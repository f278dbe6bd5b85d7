import { setMaxListeners } from 'node:events';

/**
 * Runs `work` when the signal aborts. Returns how to stop listening: whoever waits in a loop must, or the signal remembers
 * every round. Many listen to one signal here, so Node's warning about the eleventh listener is switched off for it.
 */
export function onAbort(signal: AbortSignal, work: () => void): () => void {
  setMaxListeners(0, signal);
  signal.addEventListener('abort', work, { once: true });
  return () => signal.removeEventListener('abort', work);
}

/** Aborts `controller` with the signal, also with one that has aborted before. Returns how to stop following it. */
export function abortWith(signal: AbortSignal, controller: AbortController): () => void {
  if (signal.aborted) controller.abort(signal.reason);
  return onAbort(signal, () => controller.abort(signal.reason));
}
