/** What every container gets to call the API with, as upstream's ServiceAccount plugin gives it. */
import type {
  Container,
  Pod,
  PodSpec,
  ProjectedVolumeSource,
  ServiceAccount,
  Volume,
  VolumeMount,
} from '../../../api/generated/core-v1.ts';
import { freeze } from '../../../base/freeze.ts';
import { fresh } from '../../../base/fresh.ts';
import { each } from './fill.ts';

const mountPath = '/var/run/secrets/kubernetes.io/serviceaccount';
const namePrefix = 'kube-api-access-';

/** The same for all pods, so they share it, and it is never looked at again. */
export const apiAccessSource: ProjectedVolumeSource = freeze({
  sources: [
    // The seconds by which the API server knows tokens that are mounted unasked.
    { serviceAccountToken: { expirationSeconds: 3607, path: 'token' } },
    { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
    {
      downwardAPI: {
        items: [{ path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } }],
      },
    },
  ],
  defaultMode: 0o644,
});

export interface ApiAccess {
  /** Absent: it is about to be made, and says nothing. */
  readonly account: ServiceAccount | undefined;
  /** Five characters that no other pod has by chance. */
  readonly suffix: () => string;
}

/** Mounts the account's token, the API's root certificate and the namespace's name, unless pod or account want none. */
export function withApiAccess(pod: Pod, { account, suffix }: ApiAccess): Pod {
  const { spec } = pod;
  if (!(spec.automountServiceAccountToken ?? account?.automountServiceAccountToken ?? true)) return pod;
  // It is only judged later whether the pod has containers.
  const { containers = [], initContainers = [], volumes = [] } = spec as Partial<PodSpec>;
  if (!containers.some(lacksMount) && !initContainers.some(lacksMount)) return pod;
  const given = volumes.find(({ name }) => name.startsWith(namePrefix))?.name;
  const name = given ?? namePrefix + suffix();
  const mount: VolumeMount = { name, readOnly: true, mountPath };
  const mounting = (container: Container): Container => withMount(container, mount);
  return {
    ...fresh,
    ...pod,
    spec: {
      ...fresh,
      ...spec,
      ...(given === undefined && { volumes: [...volumes, { name, projected: apiAccessSource } satisfies Volume] }),
      ...(initContainers.length > 0 && { initContainers: each(initContainers, mounting) }),
      containers: each(containers, mounting),
    },
  };
}

/** What a container mounts there itself is meant so. */
function lacksMount({ volumeMounts }: Container): boolean {
  return volumeMounts === undefined || !volumeMounts.some((mount) => mount.mountPath === mountPath);
}

function withMount(container: Container, mount: VolumeMount): Container {
  if (!lacksMount(container)) return container;
  return { ...fresh, ...container, volumeMounts: [...(container.volumeMounts ?? []), mount] };
}
