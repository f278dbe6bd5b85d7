import { expect, test } from 'vitest';
import type { Pod } from '../../../api/generated/core-v1.ts';
import { makePod } from '../../../testing/makers.ts';
import { createVirtualClock } from '../../../testing/virtual-clock.ts';
import type { LogQuery } from '../../driver.ts';
import { containerLog } from './logs.ts';

const query: LogQuery = { container: 'main', follow: false, previous: false, timestamps: false };
const status = (state: object): Pod['status'] => ({
  phase: 'Running',
  containerStatuses: [{ name: 'main', image: 'example/main:1', imageID: '', ready: true, restartCount: 0, state }],
});
const running = makePod('p', {
  node: 'a',
  hostPort: 80,
  status: status({ running: { startedAt: '2026-01-01T00:00:00Z' } }),
});

async function read(pod: Pod, asked: Partial<LogQuery>, afterMs: number): Promise<readonly string[]> {
  const clock = createVirtualClock();
  await clock.advance(afterMs);
  const lines: string[] = [];
  for await (const line of containerLog(pod, { ...query, ...asked }, { clock, signal: new AbortController().signal }))
    lines.push(line);
  return lines;
}

test('a log begins with the start and goes on with a sign of life every minute', async () => {
  expect(await read(running, {}, 125_000)).toEqual([
    'level=info msg="container started" container=main image=example/main:1 node=a\n',
    'level=info msg="listening" port=80 name=\n',
    'level=info msg="alive" container=main uptime=1m\n',
    'level=info msg="alive" container=main uptime=2m\n',
  ]);
});

test('the newest lines, since when, with times, not more than', async () => {
  expect(await read(running, { tailLines: 1 }, 125_000)).toEqual(['level=info msg="alive" container=main uptime=2m\n']);
  expect(await read(running, { sinceSeconds: 10, timestamps: true }, 125_000)).toEqual([
    '2026-01-01T00:02:00.000000000Z level=info msg="alive" container=main uptime=2m\n',
  ]);
  expect((await read(running, { limitBytes: 10 }, 0)).join('')).toBe('level=info');
});

test('who follows gets the next minute too', async () => {
  const clock = createVirtualClock();
  const ending = new AbortController();
  const lines: string[] = [];
  const reading = (async () => {
    for await (const line of containerLog(running, { ...query, follow: true }, { clock, signal: ending.signal }))
      lines.push(line);
  })().catch(() => undefined);
  await clock.advance(61_000);
  expect(lines.at(-1)).toBe('level=info msg="alive" container=main uptime=1m\n');
  ending.abort(new Error('enough'));
  await reading;
});

test('a container that has not started has no log, and who asks is told why', async () => {
  const waiting = makePod('p', { status: status({ waiting: { reason: 'ContainerCreating' } }) });
  await expect(read(waiting, {}, 0)).rejects.toThrow(
    'container "main" in pod "p" is waiting to start: ContainerCreating',
  );
});

test('a container of a pod that has failed before it ran has none, and is not said to start', async () => {
  const never = makePod('p', { status: status({ terminated: { exitCode: 137, reason: 'ContainerStatusUnknown' } }) });
  await expect(read(never, {}, 0)).rejects.toThrow('container "main" in pod "p" is terminated');
  const refused = makePod('p', { status: { phase: 'Failed', reason: 'OutOfcpu' } });
  await expect(read(refused, {}, 0)).rejects.toThrow('container "main" in pod "p" is not available');
});

test('a container that runs for the first time has no previous log', async () => {
  await expect(read(running, { previous: true }, 0)).rejects.toThrow(
    'previous terminated container "main" in pod "p" not found',
  );
});
