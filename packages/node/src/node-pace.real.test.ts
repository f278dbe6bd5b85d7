/** How quickly a node starts pods, and what it costs while they do nothing: held to generous bounds. The figures are `npm run bench -- real-node`. */
import { expect, test } from 'vitest';
import { measurePace } from './testing/pace.ts';
import { everybody } from './testing/real-inside.ts';

test.each(everybody)('one after the other, many at once, and then nothing, as %s', async (who) => {
  const { said, ...pace } = await measurePace(who, { alone: 10, many: 90, idleSeconds: 5 });
  console.log(`${who}: ${JSON.stringify(pace)}`);
  // Generous: the machine may have much else to do.
  expect(pace.startMsP50).toBeLessThan(1_500);
  expect(pace.manyMs).toBeLessThan(60_000);
  expect(pace.cpuMsPerStart).toBeLessThan(200);
  expect(pace.idlePercent).toBeLessThan(10);
  expect(pace.mbPerPod).toBeLessThan(2);
  expect(said).toEqual([]);
});
