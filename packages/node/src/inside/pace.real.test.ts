/** How long a start takes, and what it costs: printed, and held to generous bounds. */
import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, test } from 'vitest';
import { everybody, podPlace, processesOf, type RealInside, realInside, shell } from '../testing/real-inside.ts';

const podsMax = 50;
let real: RealInside;
afterEach(() => real.end());

interface Cost {
  readonly cpuMs: number;
  readonly residentKiB: number;
}

/** Of the process inside, its children that have ended included. */
function costOf(pid: number): Cost {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number);
  const ticks = fields.slice(11, 15).reduce((sum, each) => sum + each, 0);
  return { cpuMs: ticks * 10, residentKiB: (fields[21] ?? 0) * 4 };
}

describe.each(everybody)('as %s', (who) => {
  test(`${podsMax} pods are started one after the other, and at once`, async () => {
    real = await realInside(who);
    const pid = Math.max(...processesOf(`inside.js .*${real.folder}`));
    const before = costOf(pid);
    const durations: number[] = [];
    const begin = async (number: number): Promise<void> => {
      const place = podPlace(number);
      const from = performance.now();
      await real.inside.addPod(place);
      await real.inside.start(shell(place.uid, 'exec sleep 1000'));
      durations.push(performance.now() - from);
    };
    for (let number = 1; number <= podsMax; number++) await begin(number);
    const p50Ms = durations.toSorted((one, other) => one - other)[podsMax / 2] ?? 0;
    const after = costOf(pid);
    const cpuMs = (after.cpuMs - before.cpuMs) / podsMax;
    const growthKiB = (after.residentKiB - before.residentKiB) / podsMax;
    const from = performance.now();
    await Promise.all(Array.from({ length: podsMax }, (_, index) => begin(podsMax + 1 + index)));
    const allMs = performance.now() - from;
    const idleFrom = costOf(pid).cpuMs;
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    const idlePercent = (costOf(pid).cpuMs - idleFrom) / 20;
    console.log(
      `as ${who}: start p50 ${p50Ms.toFixed(0)} ms, ${cpuMs.toFixed(1)} ms of CPU each; ${podsMax} at once in ${allMs.toFixed(0)} ms; ` +
        `${growthKiB.toFixed(0)} KiB of memory each; idle with ${2 * podsMax} pods ${idlePercent.toFixed(1)} %`,
    );
    expect(p50Ms).toBeLessThan(500);
    expect(idlePercent).toBeLessThan(5);
  });
});
