/** Requests of the administrator to a served cluster, over connections that are kept. */
import { join } from 'node:path';
import { createSecureContext, type SecureContext } from 'node:tls';
import { loadKubeconfig, systemClock } from '@signalbox/cluster';
import { Pool } from 'undici';
import { type Outside, until } from './outside.ts';

export interface Door {
  readonly url: string;
  readonly secureContext: SecureContext;
}

export async function doorOf({ folder }: Pick<Outside, 'folder'>): Promise<Door> {
  const { connection } = await loadKubeconfig({ path: join(folder, 'kubeconfig'), env: {}, clock: systemClock });
  const { certificate } = await connection.credentials.get({ refused: false, signal: new AbortController().signal });
  const { ca } = connection.tls;
  return {
    url: connection.server,
    secureContext: createSecureContext({ ...(ca !== undefined && { ca }), ...certificate }),
  };
}

/** `most` connections; null: as many as there are requests at once. */
export async function poolOf(outside: Pick<Outside, 'folder'>, most: number | null): Promise<Pool> {
  const { url, secureContext } = await doorOf(outside);
  return new Pool(url, { connections: most, connect: { secureContext }, bodyTimeout: 0 });
}

/** Until pods may be created: without controllers nobody makes the account that they need. */
export function untilReady({ kubectl }: Outside): Promise<void> {
  const account = (verb: string): boolean => kubectl(verb, 'serviceaccount', 'default') !== undefined;
  return until(() => account('get') || account('create'));
}

export interface Request {
  readonly method: 'GET' | 'POST' | 'PATCH';
  readonly path: string;
  readonly body?: string | Buffer;
  readonly type?: string;
}

export interface Answered {
  readonly code: number;
  /** How many came back. */
  readonly bytes: number;
  /** Of a refusal: all that came back. */
  readonly reason: string;
}

export async function ask(pool: Pool, { type = 'application/json', ...request }: Request): Promise<Answered> {
  const { statusCode: code, body } = await pool.request({ ...request, headers: { 'content-type': type } });
  if (code >= 300) {
    const reason = await body.text();
    return { code, bytes: reason.length, reason };
  }
  return { code, bytes: (await body.arrayBuffer()).byteLength, reason: '' };
}

/** Fails where the answer is a refusal. */
export async function askWell(pool: Pool, request: Request): Promise<Answered> {
  const answered = await ask(pool, request);
  if (answered.code >= 300) throw new Error(`${request.method} ${request.path}: ${answered.code} ${answered.reason}`);
  return answered;
}

export function create(pool: Pool, path: string, object: object): Promise<Answered> {
  return askWell(pool, { method: 'POST', path, body: JSON.stringify(object) });
}
