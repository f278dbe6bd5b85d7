import type { Clock } from '../../base/clock.ts';

/** The requests that have no whole answer yet. */
export interface UnderWay {
  add(request: AbortController): void;
  /** It goes on for as long as its client likes: it is ended where all are to end. */
  lasts(request: AbortController): void;
  remove(request: AbortController): void;
  /** Ends what lasts, and waits for the rest up to the limit. */
  finish(options: { readonly clock: Clock; readonly timeoutMs: number }): Promise<void>;
}

export function createUnderWay(): UnderWay {
  const requests = new Map<AbortController, 'request' | 'lasting'>();
  let closing = false;
  let idle: () => void = () => undefined;
  const end = (request: AbortController): void => request.abort(new Error('the server is closing'));
  return {
    add: (request) => void requests.set(request, 'request'),
    lasts(request) {
      requests.set(request, 'lasting');
      if (closing) end(request);
    },
    remove(request) {
      requests.delete(request);
      if (requests.size === 0) idle();
    },
    finish: ({ clock, timeoutMs }) =>
      new Promise((resolve) => {
        closing = true;
        const cancel = clock.after(timeoutMs, resolve);
        idle = (): void => {
          cancel();
          resolve();
        };
        for (const [request, kind] of requests) if (kind === 'lasting') end(request);
        if (requests.size === 0) idle();
      }),
  };
}
