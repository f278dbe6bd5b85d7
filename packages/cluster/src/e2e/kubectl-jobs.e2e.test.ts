import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type Kubectl,
  kubectlMinor,
  type ServedCluster,
  startServedCluster,
  withoutKubectl,
} from './served-cluster.ts';

const without = withoutKubectl();
let served: ServedCluster;
let kubectl: Kubectl;

beforeAll(async () => {
  if (without) return;
  served = await startServedCluster();
  ({ kubectl } = served);
});

afterAll(async () => {
  const problems = served?.problems ?? [];
  await served?.close();
  expect(problems).toEqual([]);
});

test.skipIf(without)('a job is made, waited for, shown and described', async () => {
  expect(await kubectl('create job once --image=busybox -- true')).toBe('job.batch/once created');
  await kubectl('wait --for=condition=complete job/once --timeout=20s');
  expect(await kubectl('get job once --no-headers')).toMatch(/^once +Complete +1\/1 +\d+s +\d+s$/);
  const described = await kubectl('describe job once');
  expect(described).toMatch(/Pods Statuses: +0 (Active|Running).*\/ 1 Succeeded \/ 0 Failed/);
  expect(described).toMatch(/SuccessfulCreate .*Created pod: once-/);
  expect(described).toMatch(/Completed .*Job completed/);
  expect(await kubectl('logs job/once')).not.toBe('');
});

test.skipIf(without || (kubectlMinor ?? 0) < 21)(
  'a job of a cron job is made by hand, and both go with their pods',
  async () => {
    await kubectl("create cronjob tick --image=busybox --schedule='0 0 1 1 *' -- true");
    expect(await kubectl('create job now --from=cronjob/tick')).toBe('job.batch/now created');
    await kubectl('wait --for=condition=complete job/now --timeout=20s');
    expect(await kubectl('delete cronjob tick --wait')).toContain('deleted');
    await kubectl('wait --for=delete job/now --timeout=20s');
    await kubectl('wait --for=delete pod -l job-name=now --timeout=20s');
  },
);

test.skipIf(without)('one that fails is waited for, too', async () => {
  const manifest = {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: 'broken' },
    spec: {
      backoffLimit: 0,
      template: {
        metadata: { annotations: { 'signalbox.dev/exit-code': '3' } },
        spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'busybox' }] },
      },
    },
  };
  await kubectl('apply -f -', { stdin: JSON.stringify(manifest) });
  await kubectl('wait --for=condition=failed job/broken --timeout=20s');
  expect(await kubectl('get job broken --no-headers')).toMatch(/^broken +Failed +0\/1 /);
  expect(await kubectl('delete job broken --cascade=orphan')).toContain('deleted');
  expect(await kubectl("get pods -l job-name=broken -o jsonpath='{.items[*].metadata.finalizers}'")).toBe('');
});
