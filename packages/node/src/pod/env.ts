/** The environment of a container, put together as the kubelet does it. */
import type { Container, EnvFromSource, EnvVar, EnvVarSource, Pod } from '@signalbox/cluster';
import type { PodAround } from './around.ts';
import { expand } from './expand.ts';
import { envField } from './fields.ts';
import { badConfig, type Made, made, type Refused } from './made.ts';
import { resourceField } from './resources.ts';
import { serviceEnv } from './service-env.ts';

export interface ContainerEnv {
  readonly variables: ReadonlyMap<string, string>;
  /** What the container does not get although it was named, for events: `InvalidEnvironmentVariableNames`. */
  readonly skipped: readonly string[];
}

interface Of {
  readonly pod: Pod;
  readonly container: Container;
  readonly around: PodAround;
}

/** What its pod says; the image's own variables stand behind them. */
export function containerEnv(of: Of): Made<ContainerEnv> {
  const { pod, container, around } = of;
  const services = serviceEnv(around.services, {
    namespace: pod.metadata.namespace ?? '',
    enabled: pod.spec.enableServiceLinks !== false,
  });
  const variables = new Map<string, string>();
  const skipped: string[] = [];
  for (const source of container.envFrom ?? []) {
    const entries = sourceEntries(source, of);
    if (!entries.ok) return entries;
    const { is, name, values } = entries.value;
    const bad = [...values.keys()].filter((key) => !isVariableName(key)).sort();
    for (const [key, value] of values) if (isVariableName(key)) variables.set(key, value);
    if (bad.length > 0)
      skipped.push(
        `Keys [${bad.join(', ')}] from the EnvFrom ${is} ${pod.metadata.namespace}/${name} were skipped since they are considered invalid environment variable names.`,
      );
  }
  for (const variable of container.env ?? []) {
    const value = variableValue(variable, { ...of, known: (name) => variables.get(name) ?? services.get(name) });
    if (!value.ok) return value;
    if (value.value !== undefined) variables.set(variable.name, value.value);
  }
  return made({ variables: new Map([...services, ...variables]), skipped });
}

/** What is printable and no equals sign: so loose since 1.30. */
function isVariableName(name: string): boolean {
  return /^[\x20-\x3c\x3e-\x7e]+$/.test(name);
}

interface SourceEntries {
  readonly is: 'configMap' | 'secret';
  readonly name: string;
  readonly values: ReadonlyMap<string, string>;
}

function sourceEntries({ configMapRef, secretRef, prefix = '' }: EnvFromSource, of: Of): Made<SourceEntries> {
  const ref = configMapRef ?? secretRef;
  const is = configMapRef === undefined ? 'secret' : 'configMap';
  const { name = '', optional = false } = ref ?? {};
  const found = is === 'secret' ? secretTexts(name, of) : of.around.configMaps.get(name)?.data;
  const exists = is === 'secret' ? of.around.secrets.has(name) : of.around.configMaps.has(name);
  if (!exists && !optional) return notFound(is, name);
  const values = Object.entries(found ?? {}).map(([key, value]) => [`${prefix}${key}`, value] as const);
  return made({ is, name, values: new Map(values) });
}

function notFound(is: 'configMap' | 'secret', name: string): Refused {
  return badConfig(`${is.toLowerCase()} "${name}" not found`);
}

function secretTexts(name: string, { around }: Of): Readonly<Record<string, string>> | undefined {
  const data = around.secrets.get(name)?.data;
  if (data === undefined) return undefined;
  return Object.fromEntries(Object.entries(data).map(([key, base64]) => [key, text(base64)]));
}

function text(base64: string): string {
  return Buffer.from(base64, 'base64').toString('utf8');
}

interface Known extends Of {
  known(name: string): string | undefined;
}

/** Undefined: the container does not get it. */
function variableValue({ value = '', valueFrom }: EnvVar, of: Known): Made<string | undefined> {
  if (value !== '' || valueFrom === undefined) return made(expand(value, of.known));
  return referenced(valueFrom, of);
}

function referenced(source: EnvVarSource, of: Of): Made<string | undefined> {
  const { pod, container, around } = of;
  const { fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef } = source;
  if (fieldRef !== undefined) return envField(pod, fieldRef, around);
  if (resourceFieldRef !== undefined) {
    const { containerName = '' } = resourceFieldRef;
    const asked = containerName === '' ? container : containerOf(pod, containerName);
    if (asked === undefined) return badConfig(`container ${containerName} not found`);
    return resourceField(resourceFieldRef, asked, around.node);
  }
  if (configMapKeyRef !== undefined) {
    const { name = '' } = configMapKeyRef;
    const found = around.configMaps.get(name);
    return keyed({ ...configMapKeyRef, name, is: 'configMap', exists: found !== undefined }, found?.data, pod);
  }
  if (secretKeyRef !== undefined) {
    const { name = '' } = secretKeyRef;
    const ref = { ...secretKeyRef, name, is: 'secret', exists: around.secrets.has(name) } as const;
    return keyed(ref, secretTexts(name, of), pod);
  }
  return badConfig('env of a kind that this node does not know: give it by value, a field, a ConfigMap or a Secret');
}

export function containerOf({ spec }: Pod, name: string): Container | undefined {
  return [...(spec.initContainers ?? []), ...spec.containers].find((each) => each.name === name);
}

interface KeyRef {
  readonly is: 'configMap' | 'secret';
  readonly name: string;
  readonly key: string;
  readonly optional?: boolean;
  readonly exists: boolean;
}

function keyed(
  { is, name, key, optional = false, exists }: KeyRef,
  values: Readonly<Record<string, string>> = {},
  { metadata }: Pod,
): Made<string | undefined> {
  if (!exists) return optional ? made(undefined) : notFound(is, name);
  const value = Object.hasOwn(values, key) ? values[key] : undefined;
  if (value !== undefined || optional) return made(value);
  const kind = is === 'secret' ? 'Secret' : 'ConfigMap';
  return badConfig(`couldn't find key ${key} in ${kind} ${metadata.namespace}/${name}`);
}
