import type { Namespace, Service } from '../../api/generated/core-v1.ts';
import { namespaces, priorityclasses, services } from '../../api/generated/kinds.ts';
import type { ResourceType } from '../../api/gvk.ts';
import type { KubeObject, New } from '../../api/meta.ts';
import type { Operation, Outcome } from '../../api/operation.ts';
import { ifFound } from '../../api/status.ts';
import { apiServer } from '../../api/system-identities.ts';
import { builtinPriorityClasses } from '../../resources/scheduling/priorityclass.ts';

export interface BootstrapOptions {
  readonly signal: AbortSignal;
  /** Where `kubernetes.default` leads. */
  readonly apiPort?: number;
}

export interface Performs {
  perform(operation: Operation, waiting: { readonly signal: AbortSignal }): Promise<Outcome>;
}

const { user } = apiServer;

/** Creates what every cluster has from its first moment. What exists is left alone, so a restart writes nothing. */
export async function bootstrap(server: Performs, { signal, apiPort = 6443 }: BootstrapOptions): Promise<void> {
  // At once: each waits for the disk.
  await Promise.all([
    ...['default', 'kube-system', 'kube-public', 'kube-node-lease'].map((name) =>
      ensure(server, namespaces, { object: namespace(name), signal }),
    ),
    ...builtinPriorityClasses.map((object) => ensure(server, priorityclasses, { object, signal })),
  ]);
  await ensure(server, services, { object: kubernetesService(apiPort), signal });
}

function namespace(name: string): New<Namespace> {
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name } } as New<Namespace>;
}

function kubernetesService(apiPort: number): New<Service> {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: {
      name: 'kubernetes',
      namespace: 'default',
      labels: { component: 'apiserver', provider: 'kubernetes' },
    },
    spec: { type: 'ClusterIP', ports: [{ name: 'https', port: 443, protocol: 'TCP', targetPort: apiPort }] },
  } as New<Service>;
}

async function ensure(
  server: Performs,
  resource: ResourceType,
  { object, signal }: { readonly object: New<KubeObject>; readonly signal: AbortSignal },
): Promise<void> {
  const { name = '', namespace: within } = object.metadata;
  const target = { resource, user, ...(within !== undefined && { namespace: within }) };
  const found = await ifFound(server.perform({ ...target, verb: 'get', name }, { signal }));
  if (found === undefined) await server.perform({ ...target, verb: 'create', body: object, options: {} }, { signal });
}
