import { describe, expect, test } from 'vitest';
import { daemonsets } from '../../api/generated/kinds.ts';
import { anonymous } from '../../api/identities.ts';
import { apiServer, controllerUser, nodeAgent, scheduler, systemIdentities } from '../../api/system-identities.ts';
import { rbac } from '../../server/access/rbac/rbac.ts';
import { createTestCluster } from '../test-cluster.ts';
import { createIdentityJudge } from './identity-judge.ts';

describe('the identities of the plane', () => {
  test('are each listed once, in the groups that upstream has them in', () => {
    const names = systemIdentities.map(({ user }) => user.name);
    expect(new Set(names).size).toBe(names.length);
    expect(names).not.toContain(anonymous.name);
    for (const { user } of systemIdentities) expect(user.groups).toContain('system:authenticated');
    expect(apiServer.user.groups).toContain('system:masters');
    expect(nodeAgent.user.groups).toContain('system:nodes');
    expect(controllerUser('daemonset')).toEqual({
      name: 'system:serviceaccount:kube-system:daemon-set-controller',
      groups: ['system:serviceaccounts', 'system:serviceaccounts:kube-system', 'system:authenticated'],
    });
    const { name, groups } = controllerUser('copier');
    expect(name).toBe('system:serviceaccount:kube-system:copier-controller');
    expect(groups).toContain('system:masters');
  });

  test('do only what their list allows, and do act under these names', async () => {
    const judge = createIdentityJudge();
    const seen = new Set<string>();
    const authorizer = {
      ...judge,
      authorize: (...asked: Parameters<typeof judge.authorize>) => {
        seen.add(asked[0].user.name);
        return judge.authorize(...asked);
      },
    };
    const cluster = await createTestCluster({ nodes: 2, authorizer });
    await cluster.applyYaml(everyWorkload);
    await cluster.advance(60_000);
    await cluster.applyYaml(everyWorkload.replaceAll('app:1', 'app:2'));
    await cluster.advance(120_000);
    const { signal } = new AbortController();
    // What goes with its namespace needs no collector.
    await cluster.client.delete(daemonsets, { namespace: 'shop', name: 'ds', signal });
    await cluster.advance(10_000);
    await cluster.client.delete(
      { group: '', version: 'v1', resource: 'namespaces', kind: 'Namespace', namespaced: false },
      {
        name: 'shop',
        signal,
      },
    );
    await cluster.advance(120_000);
    await cluster.close();
    expect([...judge.excess]).toEqual([]);
    const acting = ['daemonset', 'deployment', 'replicaset', 'statefulset', 'endpoint', 'endpointslice', 'disruption'];
    const others = ['persistentvolume', 'service-account', 'namespace-controller', 'generic-garbage-collector'];
    for (const name of [...acting, ...others]) expect([...seen]).toContain(controllerUser(name).name);
    expect([...seen]).toEqual(expect.arrayContaining([scheduler.user.name, nodeAgent.user.name]));
  });

  test('who does more is told, with the mend', async () => {
    const listed = systemIdentities.map((identity) => (identity === scheduler ? { ...identity, rules: [] } : identity));
    const judge = createIdentityJudge(rbac, listed);
    const cluster = await createTestCluster({ nodes: 1, authorizer: judge, manifests: pod });
    await cluster.advance(5_000);
    await cluster.close();
    expect([...judge.excess]).toContain(
      'system:kube-scheduler does create pods/binding of group "": allow it in api/system-identities.ts, or let it not',
    );
  });
});

test('what is listed for somebody who never does it is told', async () => {
  const judge = createIdentityJudge();
  const cluster = await createTestCluster({ nodes: 1, authorizer: judge, manifests: pod });
  await cluster.advance(5_000);
  await cluster.close();
  expect(judge.unused(scheduler.user.name)).toEqual([
    'patch events',
    'get pods',
    'delete pods',
    'update persistentvolumeclaims',
    'update persistentvolumes',
  ]);
});

const pod = `
apiVersion: v1
kind: Pod
metadata: { name: web }
spec: { containers: [{ name: main, image: 'app:1' }] }
`;

const template = `{ metadata: { labels: { app: a } }, spec: { containers: [{ name: main, image: 'app:1' }] } }`;
const workload = `{ replicas: 2, selector: { matchLabels: { app: a } }, template: ${template} }`;

const everyWorkload = `
apiVersion: v1
kind: Namespace
metadata: { name: shop }
---
apiVersion: apps/v1
kind: Deployment
metadata: { name: d, namespace: shop }
spec: ${workload}
---
apiVersion: apps/v1
kind: DaemonSet
metadata: { name: ds, namespace: shop }
spec: { selector: { matchLabels: { app: b } }, template: ${template.replace('app: a', 'app: b')} }
---
apiVersion: apps/v1
kind: StatefulSet
metadata: { name: s, namespace: shop }
spec:
  serviceName: s
  replicas: 1
  selector: { matchLabels: { app: c } }
  template: ${template.replace('app: a', 'app: c')}
  volumeClaimTemplates:
  - metadata: { name: data }
    spec: { accessModes: [ReadWriteOnce], resources: { requests: { storage: 1Gi } } }
---
apiVersion: v1
kind: Service
metadata: { name: a, namespace: shop }
spec: { selector: { app: a }, ports: [{ port: 80 }] }
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: { name: a, namespace: shop }
spec: { maxUnavailable: 1, selector: { matchLabels: { app: a } } }
---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: { name: a, namespace: shop }
spec: { minReplicas: 3, maxReplicas: 4, scaleTargetRef: { apiVersion: apps/v1, kind: Deployment, name: d } }
`;
