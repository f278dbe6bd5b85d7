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
