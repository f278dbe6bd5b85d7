/** What has to be known of the world around a pod to say how it runs. Plain values: the caller observes them. */
import type { ConfigMap, Pod, Secret, Service } from '@signalbox/cluster';

export interface PodAround {
  /** Of the pod's namespace, by name; what is not here does not exist. */
  readonly configMaps: ReadonlyMap<string, ConfigMap>;
  readonly secrets: ReadonlyMap<string, Secret>;
  /** At least those of the pod's namespace, and `default/kubernetes`. */
  readonly services: readonly Service[];
  readonly node: NodeFacts;
  /** The pod's own address; undefined on the host network, where it has the node's, and before it has any. */
  readonly address: string | undefined;
  /** By `tokenKey`. */
  readonly tokens: ReadonlyMap<string, string>;
  /** By the name of the claim. */
  readonly claims: ReadonlyMap<string, Claim>;
}

export interface NodeFacts {
  readonly name: string;
  readonly hostname: string;
  /** Its address in the cluster's network. */
  readonly address: string;
  /** For containers that ask for limits which they do not have. */
  readonly allocatable: Readonly<Record<string, string>>;
  /** `cluster.local` */
  readonly clusterDomain: string;
  /** Where the cluster's names are answered. */
  readonly nameserver: string;
  /** What the machine itself resolves names by; pods of `dnsPolicy: Default` get it. */
  readonly resolver: Resolver;
  /** Of one pod; undefined: as many as the machine can hold. */
  readonly processesMax: number | undefined;
}

export interface Resolver {
  readonly nameservers: readonly string[];
  readonly searches: readonly string[];
  /** `ndots:5` */
  readonly options: readonly string[];
}

export interface Claim {
  /** Name of its folder below the node's folder of claims; undefined: not bound. */
  readonly folder: string | undefined;
  readonly isBeingDeleted: boolean;
  /** Whose it is, for claims made from a pod's `ephemeral` volume. */
  readonly ownerUid: string | undefined;
}

/** What a pod's volumes and environment name. */
export interface PodReferences {
  readonly configMaps: readonly string[];
  readonly secrets: readonly string[];
  readonly claims: readonly string[];
  readonly tokens: readonly TokenReference[];
}

export interface TokenReference {
  /** Where it belongs in `PodAround.tokens`. */
  readonly key: string;
  readonly audience: string | undefined;
  readonly expirationSeconds: number;
}

const tokenSecondsDefault = 3_600;

export function tokenKey(volume: string, path: string): string {
  return `${volume}/${path}`;
}

/** What the caller has to look up before it asks what becomes of the pod: each once, sorted. */
export function referencesOf(pod: Pod): PodReferences {
  const { spec } = pod;
  const containers = [...(spec.initContainers ?? []), ...spec.containers];
  const envFrom = containers.flatMap((each) => each.envFrom ?? []);
  const env = containers.flatMap((each) => each.env ?? []).flatMap(({ valueFrom }) => valueFrom ?? []);
  const volumes = spec.volumes ?? [];
  const projections = volumes.flatMap(({ projected }) => projected?.sources ?? []);
  return {
    configMaps: names([
      ...envFrom.map(({ configMapRef }) => configMapRef?.name),
      ...env.map(({ configMapKeyRef }) => configMapKeyRef?.name),
      ...volumes.map(({ configMap }) => configMap?.name),
      ...projections.map(({ configMap }) => configMap?.name),
    ]),
    secrets: names([
      ...envFrom.map(({ secretRef }) => secretRef?.name),
      ...env.map(({ secretKeyRef }) => secretKeyRef?.name),
      ...volumes.map(({ secret }) => secret?.secretName),
      ...projections.map(({ secret }) => secret?.name),
    ]),
    claims: names(volumes.map((volume) => claimNameOf(pod, volume))),
    tokens: volumes.flatMap(({ name, projected }) =>
      (projected?.sources ?? []).flatMap(({ serviceAccountToken }) => {
        if (serviceAccountToken === undefined) return [];
        const { path, audience, expirationSeconds = tokenSecondsDefault } = serviceAccountToken;
        return [{ key: tokenKey(name, path), audience: audience === '' ? undefined : audience, expirationSeconds }];
      }),
    ),
  };
}

/** An ephemeral volume's claim is called after the pod and the volume. */
export function claimNameOf(
  { metadata }: Pod,
  { name, persistentVolumeClaim, ephemeral }: NonNullable<Pod['spec']['volumes']>[number],
): string | undefined {
  return ephemeral === undefined ? persistentVolumeClaim?.claimName : `${metadata.name}-${name}`;
}

function names(found: readonly (string | undefined)[]): readonly string[] {
  return [...new Set(found.flatMap((name) => (name === undefined || name === '' ? [] : [name])))].sort();
}
