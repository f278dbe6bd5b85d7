import { readFile } from 'node:fs/promises';
import type { AskPrometheus } from '@signalbox/telemetry';
import { CommandError } from './errors.ts';
import { absolute, type Io } from './io.ts';
import { fileProblem } from './manifests.ts';

export interface PrometheusOptions {
  /** What stands before `/api/v1/query`. */
  readonly url: string;
  /** Read anew for every question: tokens are rotated. */
  readonly tokenFile: string | undefined;
  readonly caFile: string | undefined;
}

const timeoutMs = 10_000;

/** Asks a Prometheus-compatible server over HTTP. */
export async function askPrometheus({ url, tokenFile, caFile }: PrometheusOptions, io: Io): Promise<AskPrometheus> {
  const { Agent, request } = await import('undici');
  const ca = caFile === undefined ? undefined : await readText(caFile, io);
  const dispatcher = new Agent({ connect: { timeout: timeoutMs, ...(ca !== undefined && { ca }) } });
  const base = url.replace(/\/+$/, '');
  return async (query, { signal }) => {
    const token = tokenFile === undefined ? undefined : (await readText(tokenFile, io)).trim();
    const response = await request(`${base}/api/v1/query`, {
      ...{ method: 'POST', dispatcher, signal, headersTimeout: timeoutMs, bodyTimeout: timeoutMs },
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        accept: 'application/json',
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
      },
      body: new URLSearchParams({ query }).toString(),
    });
    const text = await response.body.text();
    try {
      return JSON.parse(text) as unknown;
    } catch {
      throw new Error(`${base} answered ${response.statusCode} with something that is no JSON`);
    }
  };
}

async function readText(path: string, io: Io): Promise<string> {
  return readFile(absolute(path, io), 'utf8').catch((error: unknown) => {
    throw new CommandError(`${path}: ${fileProblem(error)}`, { cause: error });
  });
}
