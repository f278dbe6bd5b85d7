/** The ConfigMap in which other API servers read whose certificates this one believes, and who may say in headers that somebody else asks. */

import type { RequestHeaderTerms } from '../../api/front-proxy.ts';
import type { ConfigMap } from '../../api/generated/core-v1.ts';
import { configmaps } from '../../api/generated/kinds.ts';
import type { New } from '../../api/meta.ts';
import { ifFound } from '../../api/status.ts';
import { apiServer } from '../../api/system-identities.ts';
import { type Clock, sleep } from '../../base/clock.ts';
import { equal } from '../../base/equal.ts';
import type { Performs } from './bootstrap.ts';

export interface AuthenticationTrust {
  /** PEM of the authorities of clients; empty: there are none. */
  readonly clientCa: string;
  readonly requestHeader?: RequestHeaderTerms | undefined;
}

/** Under upstream's keys; what there is not has none. Pure. */
export function trustTexts({ clientCa, requestHeader }: AuthenticationTrust): Readonly<Record<string, string>> {
  const { uidHeaders = [] } = requestHeader ?? {};
  return {
    ...(clientCa !== '' && { 'client-ca-file': clientCa }),
    ...(requestHeader !== undefined && {
      'requestheader-allowed-names': JSON.stringify(requestHeader.allowedNames),
      'requestheader-client-ca-file': requestHeader.ca,
      'requestheader-extra-headers-prefix': JSON.stringify(requestHeader.extraPrefixes),
      'requestheader-group-headers': JSON.stringify(requestHeader.groupHeaders),
      ...(uidHeaders.length > 0 && { 'requestheader-uid-headers': JSON.stringify(uidHeaders) }),
      'requestheader-username-headers': JSON.stringify(requestHeader.usernameHeaders),
    }),
  };
}

const { user } = apiServer;
const namespace = 'kube-system';
const name = 'extension-apiserver-authentication';
const place = { user, resource: configmaps, namespace };

/** Writes it where it is missing or says something else. */
export async function writeTrust(
  server: Performs,
  { trust, signal }: { readonly trust: AuthenticationTrust; readonly signal: AbortSignal },
): Promise<void> {
  const data = trustTexts(trust);
  if (Object.keys(data).length === 0) return;
  const found = await ifFound(server.perform({ ...place, verb: 'get', name }, { signal }));
  const stored = found?.object as ConfigMap | undefined;
  if (stored === undefined) {
    const body: New<ConfigMap> = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace }, data };
    await server.perform({ ...place, verb: 'create', body, options: {} }, { signal });
  } else if (!equal(stored.data, data))
    await server.perform({ ...place, verb: 'update', name, body: { ...stored, data }, options: {} }, { signal });
}

/** As upstream: what somebody else writes there holds for a minute. */
const lookEveryMs = 60_000;

export interface KeptTrust {
  readonly trust: () => AuthenticationTrust;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly report: (message: string, error: unknown) => void;
}

/** Puts it right until the signal aborts. Never rejects. */
export async function keepTrust(server: Performs, { trust, clock, signal, report }: KeptTrust): Promise<void> {
  while (!signal.aborted) {
    await sleep(clock, lookEveryMs, { signal }).catch(() => undefined);
    if (signal.aborted) return;
    await writeTrust(server, { trust: trust(), signal }).catch((error: unknown) => {
      if (!signal.aborted) report(`${namespace}/${name} cannot be written; it is tried every minute`, error);
    });
  }
}
