import { systemClock } from '../../base/clock.ts';
import { createAuthenticate } from '../../server/auth/authenticate.ts';
import type { Pki } from '../../server/auth/pki.ts';
import { type Listening, type ListenOptions, listen } from '../../server/http/listen.ts';
import { createFakeApi } from './fake-api.ts';

/** Listens on a free port of the loopback, for whoever shows a certificate of `pki`. */
export function listenWith(
  pki: Pki,
  more: Partial<Pick<ListenOptions, 'api' | 'limits' | 'report'>> = {},
): Promise<Listening> {
  return listen({
    api: createFakeApi(),
    host: '127.0.0.1',
    port: 0,
    tls: { ...pki.server, ca: pki.ca },
    authenticate: createAuthenticate({ tokens: [] }),
    clock: systemClock,
    signal: new AbortController().signal,
    ...more,
  });
}
