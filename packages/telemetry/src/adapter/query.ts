import type { QuerySource } from './rule.ts';

/** Asks a Prometheus-compatible server one question. Resolves with the JSON of `/api/v1/query`; rejects when it does not answer. */
export type AskPrometheus = (query: string, options: { readonly signal: AbortSignal }) => Promise<unknown>;

/** One value of an instant vector. */
export interface Point {
  readonly labels: Readonly<Record<string, string>>;
  readonly atMs: number;
  readonly value: number;
}

/** Reads an answer of `/api/v1/query`. Throws what Prometheus says is wrong, or that it is no answer. Pure. */
export function pointsOf(answer: unknown, { query }: Pick<QuerySource, 'query'>): readonly Point[] {
  const { status, error, data } = (answer ?? {}) as {
    readonly status?: unknown;
    readonly error?: unknown;
    readonly data?: { readonly resultType?: unknown; readonly result?: unknown };
  };
  if (status === 'error') throw new Error(`${query}: ${String(error)}`);
  if (status !== 'success' || data === undefined)
    throw new Error(`${query}: the answer is none of a Prometheus server: is the address right?`);
  if (data.resultType === 'scalar') return pointOf({}, data.result);
  if (data.resultType !== 'vector' || !Array.isArray(data.result))
    throw new Error(`${query}: gives a ${String(data.resultType)}; wanted a vector, such as rate(...[5m])`);
  return data.result.flatMap((one: { readonly metric?: Record<string, string>; readonly value?: unknown }) =>
    pointOf(one.metric ?? {}, one.value),
  );
}

function pointOf(labels: Readonly<Record<string, string>>, pair: unknown): readonly Point[] {
  const [atSeconds, text] = Array.isArray(pair) ? (pair as readonly unknown[]) : [];
  const value = Number(text);
  return typeof atSeconds === 'number' && Number.isFinite(value) ? [{ labels, atMs: atSeconds * 1_000, value }] : [];
}
