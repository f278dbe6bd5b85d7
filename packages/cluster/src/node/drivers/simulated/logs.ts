import type { ContainerStatus, Pod } from '../../../api/generated/core-v1.ts';
import { badRequest, StatusError } from '../../../api/status.ts';
import { type Clock, fromTimestamp, sleep } from '../../../base/clock.ts';
import { isPodTerminal } from '../../../resources/core/pod/facts.ts';
import type { LogQuery } from '../../driver.ts';

interface Line {
  readonly atMs: number;
  readonly text: string;
}

const tickMs = 60_000;
/** A log is no archive: older lines have been rotated away. */
const linesMax = 1_000;

/**
 * What a simulated container has written: how it started, then a sign of life every minute. Throws 400 when it has not
 * started, or not before.
 */
export async function* containerLog(
  pod: Pod,
  query: LogQuery,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): AsyncGenerator<string, void, undefined> {
  const { containerStatuses = [], initContainerStatuses = [], ephemeralContainerStatuses = [] } = pod.status;
  const status = [...containerStatuses, ...initContainerStatuses, ...ephemeralContainerStatuses].find(
    ({ name }) => name === query.container,
  );
  const state = query.previous ? status?.lastState : status?.state;
  const startedAt = state?.running?.startedAt ?? state?.terminated?.startedAt;
  if (startedAt === undefined) throw new StatusError(badRequest(refusal(pod, query, status)));
  const startMs = fromTimestamp(startedAt);
  const finishedAt = state?.terminated?.finishedAt;
  const endMs = finishedAt === undefined ? undefined : fromTimestamp(finishedAt);
  const image = status?.image ?? '';
  yield* limited(
    shown(
      linesBetween(startMs, Math.min(endMs ?? Infinity, clock.nowMs()), { pod, container: query.container, image }),
      query,
      clock.nowMs(),
    ),
    query.limitBytes,
  );
  if (!query.follow || endMs !== undefined) return;
  for (let tick = Math.floor((clock.nowMs() - startMs) / tickMs) + 1; !signal.aborted; tick++) {
    await sleep(clock, startMs + tick * tickMs - clock.nowMs(), { signal });
    yield rendered({ atMs: startMs + tick * tickMs, text: aliveText(query.container, tick) }, query);
  }
}

function refusal(pod: Pod, { container, previous }: LogQuery, status: ContainerStatus | undefined): string {
  const { name } = pod.metadata;
  if (previous) return `previous terminated container "${container}" in pod "${name}" not found`;
  const what = `container "${container}" in pod "${name}"`;
  if (status?.state?.terminated !== undefined) return `${what} is terminated`;
  if (status === undefined && isPodTerminal(pod)) return `${what} is not available`;
  return `${what} is waiting to start: ${status?.state?.waiting?.reason ?? 'ContainerCreating'}`;
}

function linesBetween(
  startMs: number,
  untilMs: number,
  { pod, container, image }: { readonly pod: Pod; readonly container: string; readonly image: string },
): readonly Line[] {
  const spec = pod.spec.containers.find(({ name }) => name === container);
  const lines: Line[] = [
    {
      atMs: startMs,
      text: `level=info msg="container started" container=${container} image=${image} node=${pod.spec.nodeName ?? ''}`,
    },
  ];
  for (const { containerPort, name = '' } of spec?.ports ?? [])
    lines.push({ atMs: startMs, text: `level=info msg="listening" port=${containerPort} name=${name}` });
  const ticks = Math.floor((untilMs - startMs) / tickMs);
  for (let tick = Math.max(1, ticks - linesMax); tick <= ticks; tick++)
    lines.push({ atMs: startMs + tick * tickMs, text: aliveText(container, tick) });
  return lines;
}

function aliveText(container: string, minutes: number): string {
  return `level=info msg="alive" container=${container} uptime=${minutes}m`;
}

function shown(lines: readonly Line[], query: LogQuery, nowMs: number): readonly string[] {
  const sinceMs = query.sinceMs ?? (query.sinceSeconds === undefined ? -Infinity : nowMs - 1_000 * query.sinceSeconds);
  const recent = lines.filter(({ atMs }) => atMs >= sinceMs);
  const kept = query.tailLines === undefined ? recent : query.tailLines === 0 ? [] : recent.slice(-query.tailLines);
  return kept.map((line) => rendered(line, query));
}

function rendered({ atMs, text }: Line, { timestamps }: LogQuery): string {
  return timestamps ? `${new Date(atMs).toISOString().replace('Z', '000000Z')} ${text}\n` : `${text}\n`;
}

function* limited(lines: readonly string[], bytesMax: number | undefined): Iterable<string> {
  let left = bytesMax ?? Infinity;
  for (const line of lines) {
    if (left <= 0) return;
    yield line.slice(0, left);
    left -= line.length;
  }
}
