import type { IncomingHttpHeaders } from 'node:http';
import type { ConfigMap, User } from '@signalbox/cluster';

/**
 * Whom an API server speaks for when it passes requests on, as it says in the ConfigMap `extension-apiserver-authentication` of
 * `kube-system`: whoever shows a certificate of this authority, under one of these names, names the user in headers.
 */
export interface TrustedProxy {
  readonly clientCa: string;
  /** Empty: any. */
  readonly names: readonly string[];
  /** In lower case. */
  readonly userHeaders: readonly string[];
  readonly groupHeaders: readonly string[];
}

/** Undefined when the API server passes nothing on. Pure. */
export function trustedProxyOf({ data = {} }: ConfigMap): TrustedProxy | undefined {
  const clientCa = data['requestheader-client-ca-file'];
  if (clientCa === undefined || clientCa === '') return undefined;
  return {
    clientCa,
    names: listOf(data['requestheader-allowed-names']),
    userHeaders: lower(listOf(data['requestheader-username-headers'])),
    groupHeaders: lower(listOf(data['requestheader-group-headers'])),
  };
}

function listOf(text = '[]'): readonly string[] {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value.filter((each): each is string => typeof each === 'string') : [];
  } catch {
    return [];
  }
}

function lower(names: readonly string[]): readonly string[] {
  return names.map((name) => name.toLowerCase());
}

export interface Caller {
  /** Common name of a certificate that its authority has signed; undefined when it showed none. */
  readonly certificateName: string | undefined;
  readonly headers: IncomingHttpHeaders;
}

/** Who asks; undefined when whoever passes the request on is not to be believed. Pure. */
export function callerOf({ certificateName, headers }: Caller, proxy: TrustedProxy): User | undefined {
  if (certificateName === undefined) return undefined;
  if (proxy.names.length > 0 && !proxy.names.includes(certificateName)) return undefined;
  const name = proxy.userHeaders.flatMap((header) => headers[header] ?? [])[0];
  if (name === undefined || name === '') return undefined;
  const groups = proxy.groupHeaders.flatMap((header) => headers[header] ?? []).flatMap((text) => text.split(', '));
  return { name, groups };
}
