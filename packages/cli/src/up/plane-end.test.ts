import { createCluster } from '@signalbox/cluster';
import { createVirtualClock } from '@signalbox/cluster/testing';
import { expect, test } from 'vitest';
import { endOfPlane } from './plane-end.ts';

test('a cluster of which a part dies again and again ends with one line that says of what', async () => {
  const clock = createVirtualClock();
  let cluster: Awaited<ReturnType<typeof createCluster>> | undefined;
  const starting = createCluster({
    clock,
    components: [() => ({ name: 'telemetry', run: () => Promise.reject(new Error('no such thing')) })],
  });
  void starting.then((started) => {
    cluster = started;
  });
  while (cluster === undefined) await clock.settle();
  const ending = endOfPlane(cluster);
  ending.catch(() => undefined);
  await clock.advance(120_000);
  await expect(ending).rejects.toThrow(
    'the cluster ends because telemetry died 5 times within ten minutes and is given up: no such thing; what was written is kept: start it again to go on',
  );
});
