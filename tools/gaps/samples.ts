import type { Scrape } from './gaps.ts';

export interface SamplesOptions {
  /** The external label that holds the name of the pod that scraped, as the Prometheus Operator sets it. */
  readonly replicaLabel: string;
}

interface Series {
  readonly metric: Readonly<Record<string, string>>;
  readonly values: readonly (readonly [number, string])[];
}

/** Reads what Prometheus' `/api/v1/query?query=up[10m]` answers. Throws an error that says what else it is. */
export function parseScrapes(text: string, { replicaLabel }: SamplesOptions): readonly Scrape[] {
  return seriesIn(text).flatMap(({ metric, values }) => {
    const { __name__: _, [replicaLabel]: pod, ...target } = metric;
    if (pod === undefined)
      throw new Error(
        `a series has no label ${replicaLabel}: ${JSON.stringify(metric)}; name another (--replica-label)`,
      );
    const from = { target: formatTarget(target), ...placeOf(pod) };
    return values.map(([seconds, value]) => ({
      ...from,
      atMs: Math.round(seconds * 1_000),
      isUp: Number(value) === 1,
    }));
  });
}

function seriesIn(text: string): readonly Series[] {
  let answer: Partial<Record<string, unknown>>;
  try {
    answer = JSON.parse(text) as typeof answer;
  } catch {
    throw new Error(`this is no answer of Prometheus' query API: ${text.slice(0, 200)}`);
  }
  const { status, error, data } = answer;
  if (status !== 'success')
    throw new Error(`the query failed: ${typeof error === 'string' ? error : text.slice(0, 200)}`);
  const { resultType, result } = data as { readonly resultType: string; readonly result: readonly Series[] };
  if (resultType !== 'matrix')
    throw new Error(`raw samples are a matrix, and this is a ${resultType}: ask with a range, such as up[10m]`);
  return result;
}

/** `prom-agent-edge-shard-2-1` is replica 1 of shard 2; the pods of shard 0 have no shard in their names. */
function placeOf(pod: string): Pick<Scrape, 'shard' | 'replica'> {
  const [, shard = '0', replica = pod] = /^.*?(?:-shard-(\d+))?-(\d+)$/.exec(pod) ?? [];
  return { shard, replica };
}

/** Sorted, so that who scrapes makes no difference. */
function formatTarget(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `{${pairs.map(([name, value]) => `${name}=${JSON.stringify(value)}`).join(',')}}`;
}
