import { expect, test } from 'vitest';
import { createTestCluster } from '../testing/test-cluster.ts';
import { createVirtualClock, type VirtualClock } from '../testing/virtual-clock.ts';

/** Counts what waits for a later moment. */
function countingClock(): { readonly clock: VirtualClock; waiting(): number } {
  const inner = createVirtualClock();
  const waiting = new Set<object>();
  const clock: VirtualClock = {
    ...inner,
    after(delayMs, work) {
      const it = {};
      waiting.add(it);
      const cancel = inner.after(delayMs, () => {
        waiting.delete(it);
        work();
      });
      return () => {
        waiting.delete(it);
        cancel();
      };
    },
  };
  return { clock, waiting: () => waiting.size };
}

/** Of each kind that waits for something of its own: a deadline, a schedule, a node that fits, a toleration that ends. */
const waitingObjects = `
apiVersion: apps/v1
kind: Deployment
metadata: { name: unplaced, namespace: default }
spec:
  minReadySeconds: 500
  selector: { matchLabels: { app: unplaced } }
  template:
    metadata: { labels: { app: unplaced } }
    spec: { nodeSelector: { no: where }, containers: [{ name: main, image: example/app:1 }] }
---
apiVersion: apps/v1
kind: DaemonSet
metadata: { name: young, namespace: default }
spec:
  minReadySeconds: 500
  selector: { matchLabels: { app: young } }
  template:
    metadata: { labels: { app: young } }
    spec: { containers: [{ name: main, image: example/app:1 }] }
---
apiVersion: apps/v1
kind: StatefulSet
metadata: { name: ordered, namespace: default }
spec:
  serviceName: ordered
  minReadySeconds: 500
  selector: { matchLabels: { app: ordered } }
  template:
    metadata: { labels: { app: ordered } }
    spec: { containers: [{ name: main, image: example/app:1 }] }
---
apiVersion: batch/v1
kind: Job
metadata: { name: kept, namespace: default }
spec:
  ttlSecondsAfterFinished: 1000
  activeDeadlineSeconds: 900
  template:
    spec: { restartPolicy: Never, containers: [{ name: main, image: example/app:1 }] }
---
apiVersion: batch/v1
kind: CronJob
metadata: { name: nightly, namespace: default }
spec:
  schedule: 0 0 * * *
  jobTemplate:
    spec:
      template:
        spec: { restartPolicy: Never, containers: [{ name: main, image: example/app:1 }] }
---
apiVersion: v1
kind: Node
metadata: { name: tainted }
spec: { taints: [{ key: example.com/ends, effect: NoExecute }] }
---
apiVersion: v1
kind: Pod
metadata: { name: tolerant, namespace: default }
spec:
  nodeName: tainted
  tolerations: [{ key: example.com/ends, operator: Exists, effect: NoExecute, tolerationSeconds: 400 }]
  containers: [{ name: main, image: example/app:1 }]
`;

test('of a cluster that is closed nothing waits for a later moment: it keeps no process alive', async () => {
  const { clock, waiting } = countingClock();
  const cluster = await createTestCluster({ clock, nodes: 2 });
  await cluster.applyYaml(waitingObjects);
  await cluster.advance(7_000);
  expect(waiting()).toBeGreaterThan(10);
  await cluster.close();
  await clock.settle();
  expect(waiting()).toBe(0);
});
