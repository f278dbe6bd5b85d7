import type { Node } from '../../api/generated/core-v1.ts';
import { nodes, pods } from '../../api/generated/kinds.ts';
import { sleep } from '../../base/clock.ts';
import { within } from '../../base/limit.ts';
import { onAbort } from '../../base/signal.ts';
import type { Component, Platform } from '../../runtime/component.ts';
import { callKubelet, failureText, type KubeletCredentials } from '../kubelet/call.ts';
import { addressOf, type Door } from '../kubelet/door.ts';
import { parseReading, type Reading } from './reading.ts';
import { follow, intervalMs, type Series } from './series.ts';

/** Reads the counters of nodes that somebody else runs: each at most every {@link intervalMs}. */
export interface Meter {
  /** Undefined while the node is silent. */
  seriesOf(node: string): Series | undefined;
  /** Nothing is asked while no node has a door. */
  readonly component: Component;
}

export interface MeterOptions extends Pick<Platform, 'informers' | 'clock' | 'report'> {
  /** Undefined for those that this process runs itself. */
  doorOf(node: Node): Door | undefined;
  readonly credentials: KubeletCredentials | undefined;
}

const path = '/metrics/resource';
const answerMs = 10_000;
const answerBytesMax = 32 * 2 ** 20;
/** A node that starts again misses one. */
const failuresTold = 2;

export function createMeter({ informers, clock, report, doorOf, credentials }: MeterOptions): Meter {
  const series = new Map<string, Series>();
  const followed = new Map<string, Promise<void>>();

  const doorNow = (name: string): Door | undefined => {
    const node = informers.of(nodes).get(name);
    return node && doorOf(node);
  };
  const attend = async (name: string, signal: AbortSignal): Promise<void> => {
    let failures = 0;
    for (let door = doorNow(name); door !== undefined; door = doorNow(name)) {
      const askedMs = clock.nowMs();
      try {
        const reading = await readDoor(door, signal);
        series.set(name, follow(series.get(name), reading));
        failures = 0;
      } catch (error) {
        if (signal.aborted) return;
        series.delete(name);
        if (++failures === failuresTold) report(silent(name, { door, error }));
      }
      // It may be late already.
      await sleep(clock, Math.max(0, askedMs + intervalMs - clock.nowMs()), { signal });
    }
    series.delete(name);
  };
  const readDoor = (door: Door, signal: AbortSignal): Promise<Reading> =>
    within(answerMs, {
      ...{ clock, signal },
      work: async (limited) => parseReading(await ask(door, { credentials, signal: limited }), clock.nowMs()),
    });

  const component: Component = {
    name: 'node-meter',
    async run({ signal }) {
      await informers.sync([nodes, pods], { signal });
      const consider = (node: Node): void => {
        const { name } = node.metadata;
        if (followed.has(name) || doorOf(node) === undefined) return;
        const attending = attend(name, signal)
          // Only waiting rejects, and only when it is over.
          .catch(() => undefined)
          .finally(() => {
            followed.delete(name);
            // It may have a door again since the last look.
            const now = informers.of(nodes).get(name);
            if (!signal.aborted && now !== undefined) consider(now);
          });
        followed.set(name, attending);
      };
      const stop = informers.listen(nodes, ({ type, object }) => {
        if (type !== 'deleted') consider(object);
      });
      await new Promise<void>((resolve) => onAbort(signal, resolve));
      stop();
      await Promise.all(followed.values());
    },
  };
  return { seriesOf: (node) => series.get(node), component };
}

function silent(
  name: string,
  { door, error }: { readonly door: Door; readonly error: unknown },
): Parameters<Platform['report']>[0] {
  const why = failureText(error, door);
  return {
    component: 'node-meter',
    message: `node ${name} does not say what its pods use (https://${addressOf(door)}${path}: ${why}); it is asked again every ${intervalMs / 1_000} s`,
  };
}

interface Asking {
  readonly credentials: KubeletCredentials | undefined;
  readonly signal: AbortSignal;
}

async function ask(door: Door, { credentials, signal }: Asking): Promise<string> {
  const { response } = await callKubelet(door, { method: 'GET', path, headers: {}, signal }, credentials);
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > answerBytesMax) {
      response.destroy();
      throw new Error(`the answer is longer than ${answerBytesMax / 2 ** 20} MiB`);
    }
    chunks.push(chunk);
  }
  const text = Buffer.concat(chunks).toString();
  if (response.statusCode !== 200) throw new Error(`HTTP ${response.statusCode}: ${text.trim().slice(0, 200)}`);
  return text;
}
