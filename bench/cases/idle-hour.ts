/** What a virtual hour costs in which nothing happens but heartbeats. Prints one line of JSON. Arguments: the number of nodes. */
import { createTestCluster } from '@signalbox/cluster/testing';

const cluster = await createTestCluster({ nodes: Number(process.argv[2] ?? '3') });
// The first hour is compiled while it runs; tests pay for it once, so it is a figure of its own.
const [first, ms] = [await hour(), await hour()];
process.stdout.write(`${JSON.stringify({ 'first ms': first, ms })}\n`);
await cluster.close();

async function hour(): Promise<number> {
  const startMs = performance.now();
  await cluster.advance(3_600_000);
  return performance.now() - startMs;
}
