import type { IncomingMessage } from 'node:http';

export interface Answer {
  readonly status: number;
  readonly statusText: string;
  readonly body: string;
}

/** Asks over HTTP, as a parameter. Rejects when there is no answer, and with the signal's reason when it aborts. */
export type Ask = (
  url: URL,
  options: { readonly method: 'GET' | 'POST'; readonly signal: AbortSignal },
) => Promise<Answer>;

/** Of an answer; what is beyond that is not read. */
const bodyBytesMax = 2 ** 20;

/**
 * Certificates are not checked, as upstream has it: who is asked is in the same pod, under a certificate for other names.
 * Each request has its own connection, since there is one in minutes.
 */
export const systemAsk: Ask = async (url, { method, signal }) => {
  const { request } = url.protocol === 'https:' ? await import('node:https') : await import('node:http');
  const options = { method, signal, agent: false, rejectUnauthorized: false, headers: { 'content-length': 0 } };
  try {
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      request(url, options, resolve).on('error', reject).end();
    });
    const body = await bodyOf(response);
    return { status: response.statusCode ?? 0, statusText: response.statusMessage ?? '', body };
  } catch (error) {
    throw signal.aborted ? signal.reason : error;
  }
};

async function bodyOf(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > bodyBytesMax) break;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
