import { StatusError } from '../../api/status.ts';
import { statusOf } from '../../api/wire/refusal.ts';
import type { Connection } from './connection.ts';
import { unreachable } from './failures.ts';
import { createPools } from './pools.ts';

export interface DownloadRequest {
  readonly connection: Connection;
  /** Path and query. */
  readonly target: string;
  /** A POST has no body: what it asks for stands in the query. */
  readonly method?: 'GET' | 'POST';
}

/** The bytes behind a path of the server, as they come. Refusals are thrown as `StatusError`. */
export async function* download(
  { connection, target, method = 'GET' }: DownloadRequest,
  { signal }: { readonly signal: AbortSignal },
): AsyncGenerator<Buffer> {
  const pools = createPools(connection);
  try {
    const { certificate, authorization } = await connection.credentials.get({ refused: false, signal });
    const pool = await pools.get('requests', certificate);
    const response = await pool.request({
      method,
      path: `${pools.prefix}${target}`,
      headers: { 'user-agent': 'signalbox', ...(authorization !== undefined && { authorization }) },
      signal,
    });
    if (response.statusCode >= 400) {
      const text = await response.body.text();
      throw new StatusError(statusOf({ code: response.statusCode, text, retryAfter: undefined }));
    }
    for await (const chunk of response.body) yield chunk as Buffer;
  } catch (error) {
    signal.throwIfAborted();
    throw error instanceof StatusError ? error : unreachable(connection.server, error);
  } finally {
    await pools.close();
  }
}
