/** A template whose pods the API refuses for good: every controller tries again, ever more rarely, whatever it tells. */
import { expect, test } from 'vitest';
import { createTestCluster } from '../testing/test-cluster.ts';

const minutes = 30;
/** A back-off that doubles from milliseconds to a minute, with what wakes a controller meanwhile. */
const triesMax = 120;

test.each([
  ['apps/v1', 'Deployment', {}],
  ['apps/v1', 'ReplicaSet', {}],
  ['apps/v1', 'DaemonSet', {}],
  ['apps/v1', 'StatefulSet', { serviceName: 'refused' }],
])('%s %s', async (apiVersion, kind, more) => {
  let tries = 0;
  let writes = 0;
  const cluster = await createTestCluster({
    nodes: 1,
    between: (transport) => ({
      async perform(operation, waiting) {
        if (operation.verb !== 'get' && operation.verb !== 'list' && operation.resource.group === 'apps') writes++;
        if (operation.verb === 'create' && operation.resource.resource === 'pods') tries++;
        // A hot loop would never let the clock go on.
        if (tries > 10 * triesMax) return new Promise(() => undefined);
        return transport.perform(operation, waiting);
      },
      watch: (operation, waiting) => transport.watch(operation, waiting),
    }),
  });
  const containers = [{ name: 'main', image: 'app:1' }];
  const template = { metadata: { labels: { app: 'r' } }, spec: { containers, priorityClassName: 'nobody-made-it' } };
  const spec = { selector: { matchLabels: { app: 'r' } }, template, ...more };
  await cluster.applyYaml(JSON.stringify({ apiVersion, kind, metadata: { name: 'refused' }, spec }));
  await cluster.advance(minutes * 60_000);
  expect(tries).toBeGreaterThan(3);
  expect(tries).toBeLessThan(triesMax);
  expect(writes).toBeLessThan(20);
  await cluster.close();
});
