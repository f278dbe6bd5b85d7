/** What a pod names of ConfigMaps and Secrets and does not find, in the words of a kubelet. Pure. */
import type {
  ConfigMap,
  ConfigMapVolumeSource,
  Container,
  EnvFromSource,
  EnvVarSource,
  Pod,
  Secret,
  Volume,
  VolumeProjection,
} from '../api/generated/core-v1.ts';

/** By name, those of the pod's namespace. */
export interface Configuration {
  configMap(name: string): ConfigMap | undefined;
  secret(name: string): Secret | undefined;
}

export interface MissingVolume {
  readonly name: string;
  readonly why: string;
}

/** Whether any of the pod's volumes is made of ConfigMaps or Secrets; of all others there is nothing to look up. */
export function mountsConfiguration({ spec: { volumes = none } }: Pod): boolean {
  return volumes.some(({ configMap, secret, projected }) => configMap ?? secret ?? projected);
}

/** The volumes that cannot be set up, in the order of the pod. */
export function missingVolumes({ spec: { volumes = none } }: Pod, found: Configuration): readonly MissingVolume[] {
  return volumes.flatMap((volume) => {
    const why = whyNotSetUp(volume, found);
    return why === undefined ? [] : [{ name: volume.name, why }];
  });
}

/** Why the environment of a container cannot be made, by the names of those that wait for that. Undefined: of none. */
export function lackingEnvironments(pod: Pod, found: Configuration): ReadonlyMap<string, string> | undefined {
  const { containers, initContainers = none, ephemeralContainers = none } = pod.spec;
  let lacking: Map<string, string> | undefined;
  for (const group of [initContainers, containers, ephemeralContainers])
    for (const container of group) {
      const why = whyNoEnvironment(container, { found, namespace: pod.metadata.namespace ?? '' });
      if (why !== undefined) lacking = (lacking ?? new Map<string, string>()).set(container.name, why);
    }
  return lacking;
}

/** Secrets for pulling images that are not there. Nothing waits for them. */
export function missingPullSecrets(
  { spec: { imagePullSecrets = none } }: Pod,
  found: Configuration,
): readonly string[] {
  return imagePullSecrets.flatMap(({ name = '' }) => (name === '' || found.secret(name) !== undefined ? [] : [name]));
}

const none: readonly never[] = Object.freeze([]);

function whyNotSetUp({ configMap, secret, projected }: Volume, found: Configuration): string | undefined {
  if (configMap !== undefined) return configMapLacks(configMap, found);
  if (secret !== undefined) return secretLacks({ ...secret, name: secret.secretName ?? '' }, found);
  const whys = (projected?.sources ?? []).map((source) => projectionLacks(source, found));
  const texts = [...new Set(whys.filter((why) => why !== undefined))];
  return texts.length > 1 ? `[${texts.join(', ')}]` : texts[0];
}

function projectionLacks({ configMap, secret }: VolumeProjection, found: Configuration): string | undefined {
  if (configMap !== undefined) return configMapLacks(configMap, found);
  return secret && secretLacks(secret, found);
}

type Source = Pick<ConfigMapVolumeSource, 'name' | 'items' | 'optional'>;

function configMapLacks(source: Source, found: Configuration): string | undefined {
  const { name = '', items = none, optional } = source;
  if (optional === true) return undefined;
  const object = found.configMap(name);
  if (object === undefined) return notFound('configmap', name);
  const lacking = items.find(({ key }) => !has(object.data, key) && !has(object.binaryData, key));
  return lacking && `configmap references non-existent config key: ${lacking.key}`;
}

function secretLacks({ name = '', items = none, optional }: Source, found: Configuration): string | undefined {
  if (optional === true) return undefined;
  const object = found.secret(name);
  if (object === undefined) return notFound('secret', name);
  const lacking = items.find(({ key }) => !has(object.data, key));
  return lacking && `references non-existent secret key: ${lacking.key}`;
}

interface Around {
  readonly found: Configuration;
  readonly namespace: string;
}

/** The first reason alone, as a kubelet gives up there: whole objects first, then single variables. */
function whyNoEnvironment({ envFrom = none, env = none }: Container, around: Around): string | undefined {
  for (const source of envFrom) {
    const why = wholeLacks(source, around);
    if (why !== undefined) return why;
  }
  for (const { value = '', valueFrom } of env) {
    const why = value === '' && valueFrom !== undefined ? keyLacks(valueFrom, around) : undefined;
    if (why !== undefined) return why;
  }
  return undefined;
}

function wholeLacks({ configMapRef, secretRef }: EnvFromSource, { found }: Around): string | undefined {
  if (configMapRef !== undefined) return configMapLacks({ ...configMapRef, items: none }, found);
  return secretRef && secretLacks({ ...secretRef, items: none }, found);
}

/** What a ConfigMap has as bytes is no variable. */
function keyLacks({ configMapKeyRef, secretKeyRef }: EnvVarSource, around: Around): string | undefined {
  const { found, namespace } = around;
  const ref = configMapKeyRef ?? secretKeyRef;
  if (ref === undefined || ref.optional === true) return undefined;
  const { name = '', key } = ref;
  const isSecret = configMapKeyRef === undefined;
  const object = isSecret ? found.secret(name) : found.configMap(name);
  if (object === undefined) return notFound(isSecret ? 'secret' : 'configmap', name);
  return has(object.data, key)
    ? undefined
    : `couldn't find key ${key} in ${isSecret ? 'Secret' : 'ConfigMap'} ${namespace}/${name}`;
}

function notFound(what: 'configmap' | 'secret', name: string): string {
  return `${what} "${name}" not found`;
}

function has(entries: object | undefined, key: string): boolean {
  return entries !== undefined && Object.hasOwn(entries, key);
}
