import type { KubeObject } from '@signalbox/cluster';
import { adminUser, createTestCluster, type TestCluster } from '@signalbox/cluster/testing';
import { createTelemetryOperator, customResourceDefinitions, defaultComponents } from '@signalbox/telemetry';
import { standing } from './specimens.ts';
import type { Left } from './trial.ts';

const { signal } = new AbortController();

/** A whole plane with the telemetry operator on it, on a virtual clock, at rest. */
export async function createAttackedPlane(seed: string): Promise<TestCluster> {
  const cluster = await createTestCluster({
    seed,
    components: [(platform) => createTelemetryOperator(platform, { components: defaultComponents() })],
  });
  await cluster.during(cluster.apply(customResourceDefinitions()));
  await cluster.advance(2_000);
  await cluster.during(cluster.apply(standing));
  await cluster.advance(20_000);
  return cluster;
}

/** Takes away what a batch left, whatever holds it. */
export async function clear(cluster: TestCluster, left: readonly Left[]): Promise<void> {
  const remove = async ({ served, object }: Left): Promise<void> => {
    const { name, namespace } = object.metadata;
    const target = {
      resource: served.definition,
      user: adminUser,
      name,
      ...(namespace !== undefined && { namespace }),
    };
    const body = { metadata: { finalizers: null } };
    const options = { gracePeriodSeconds: 0, propagationPolicy: 'Background' } as const;
    const ignore = (): undefined => undefined;
    await cluster.api
      .perform({ ...target, verb: 'patch', patchType: 'merge', body, options: {} }, { signal })
      .catch(ignore);
    await cluster.api.perform({ ...target, verb: 'delete', options }, { signal }).catch(ignore);
  };
  await cluster.during(Promise.all(left.map(remove)));
}

/** What does not stand any more as it should when everything strange is gone. */
export async function unsettled(cluster: TestCluster): Promise<readonly string[]> {
  const ready = (kind: string, status: object): string => `${kind} ${JSON.stringify(status)}`;
  const find = async (
    apiVersion: string,
    kind: string,
    name: string,
  ): Promise<KubeObject & { readonly status?: object }> => {
    const type = cluster.typeOf({ apiVersion, kind });
    if (type === undefined) throw new Error(`${kind} is not served`);
    const namespace = type.namespaced ? { namespace: 'default' } : {};
    return cluster.during(cluster.client.get(type, { name, ...namespace, signal }));
  };
  const findings: string[] = [];
  const { status: deployment = {} } = await find('apps/v1', 'Deployment', 'standing');
  if (!('readyReplicas' in deployment) || deployment.readyReplicas !== 2)
    findings.push(ready('Deployment', deployment));
  const { status: daemons = {} } = await find('apps/v1', 'DaemonSet', 'standing');
  if (!('numberReady' in daemons) || daemons.numberReady !== 3) findings.push(ready('DaemonSet', daemons));
  for (const name of ['node-1', 'node-2', 'node-3']) {
    const { status = {} } = await find('v1', 'Node', name);
    const { conditions = [] } = status as {
      readonly conditions?: readonly { readonly type: string; readonly status: string }[];
    };
    if (!conditions.some((each) => each.type === 'Ready' && each.status === 'True'))
      findings.push(ready(name, { conditions }));
  }
  return findings.map((finding) => `afterwards, this is not as it was: ${finding}`);
}
