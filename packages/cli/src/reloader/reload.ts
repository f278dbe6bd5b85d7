import { type Clock, within } from '@signalbox/cluster/base';
import type { Ask } from './request.ts';

/** What is going on while the process reloads. */
export interface Reloading {
  readonly signal: AbortSignal;
  /** Whether there is something newer to reload by now. */
  isSuperseded(): boolean;
}

/** Makes the process load what its files hold. Rejects with why it has not. */
export type Reload = (reloading: Reloading) => Promise<void>;

export interface HttpReload {
  readonly url: URL;
  readonly timeoutMs: number;
  readonly ask: Ask;
  readonly clock: Clock;
}

/** Posts to where the process listens for it, and takes only 200 for a yes. */
export function httpReload({ url, timeoutMs, ask, clock }: HttpReload): Reload {
  return async ({ signal }) => {
    const { status, statusText } = await within(timeoutMs, {
      clock,
      signal,
      late: (ms) => new Error(`no answer within ${ms / 1_000} s`),
      work: (limited) => ask(url, { method: 'POST', signal: limited }),
    });
    // What it answered besides may quote the configuration, and with it a password.
    if (status !== 200)
      throw new Error(
        `received non-200 response: ${status} ${statusText}; have you set \`--web.enable-lifecycle\` Prometheus flag?`,
      );
  };
}
