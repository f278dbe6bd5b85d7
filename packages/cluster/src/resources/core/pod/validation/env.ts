import type {
  Container,
  EnvFromSource,
  EnvVar,
  EnvVarSource,
  EphemeralContainer,
  ObjectFieldSelector,
  ResourceFieldSelector,
} from '../../../../api/generated/core-v1.ts';
import type { Issue } from '../../../../api/issue.ts';
import { parseQuantity, quantityMessage } from '../../../../api/quantity.ts';
import { dataKey, dnsSubdomain, isDnsSubdomain, isQualifiedName, qualifiedName } from '../../../validation/names.ts';
import { inside, type Place } from './place.ts';

// Printable ASCII other than `=`: what the relaxed rule has allowed since 1.32.
const envName = /^[ -<>-~]+$/;
const envNameText = "a valid environment variable name must consist only of printable ASCII characters other than '='";
const plainKey = /^[A-Za-z0-9_-][-._A-Za-z0-9]{0,252}$/;

/** Fields that reach containers as environment variables. */
const envFields: ReadonlySet<string> = new Set([
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
  'spec.nodeName',
  'spec.serviceAccountName',
  'status.hostIP',
  'status.hostIPs',
  'status.podIP',
  'status.podIPs',
]);
/** Fields that reach containers as files. */
export const fileFields: ReadonlySet<string> = new Set([
  'metadata.annotations',
  'metadata.labels',
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
]);
/** Everything that the downward API can name at all. */
const knownFields: ReadonlySet<string> = new Set([
  ...envFields,
  ...fileFields,
  'spec.restartPolicy',
  'spec.schedulerName',
  'status.phase',
]);
const subscripted = /^(metadata\.(?:labels|annotations))\['(.*)'\]$/s;
const containerResources: ReadonlySet<string> = new Set([
  'limits.cpu',
  'limits.ephemeral-storage',
  'limits.memory',
  'requests.cpu',
  'requests.ephemeral-storage',
  'requests.memory',
]);
const cpuDivisors = [1_000_000n, 1_000_000_000n];
const memoryDivisors: readonly string[] = [
  '1',
  '1k',
  '1M',
  '1G',
  '1T',
  '1P',
  '1E',
  '1Ki',
  '1Mi',
  '1Gi',
  '1Ti',
  '1Pi',
  '1Ei',
];

export function* validateEnvironment(
  { env, envFrom }: Pick<Container | EphemeralContainer, 'env' | 'envFrom'>,
  at: Place,
): Iterable<Issue> {
  if (env !== undefined)
    for (let index = 0; index < env.length; index++)
      yield* validateVariable(env[index] as EnvVar, inside(at, 'env', index));
  if (envFrom !== undefined)
    for (let index = 0; index < envFrom.length; index++)
      yield* validateEnvFrom(envFrom[index] as EnvFromSource, { list: inside(at, 'envFrom'), index });
}

function* validateVariable(variable: Partial<EnvVar>, at: Place): Iterable<Issue> {
  const { name = '', valueFrom } = variable;
  if (name === '') yield at()('name').required();
  else if (!envName.test(name)) yield at()('name').invalid(name, envNameText);
  if (valueFrom !== undefined) yield* validateValueFrom(variable, valueFrom, inside(at, 'valueFrom'));
}

function* validateValueFrom(variable: Partial<EnvVar>, source: EnvVarSource, at: Place): Iterable<Issue> {
  const { fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef, fileKeyRef } = source;
  if (fieldRef !== undefined) yield* validateFieldRef(fieldRef, inside(at, 'fieldRef'), { allowed: envFields });
  if (resourceFieldRef !== undefined)
    yield* validateResourceFieldRef(resourceFieldRef, inside(at, 'resourceFieldRef'), { inVolume: false });
  if (configMapKeyRef !== undefined) yield* validateKeyRef(configMapKeyRef, inside(at, 'configMapKeyRef'));
  if (secretKeyRef !== undefined) yield* validateKeyRef(secretKeyRef, inside(at, 'secretKeyRef'));
  if (fileKeyRef !== undefined)
    yield at()('fileKeyRef').forbidden('reading variables from files is not supported by this cluster');
  const sources = [fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef];
  const count = sources.filter((each) => each !== undefined).length;
  if (count === 0 && fileKeyRef === undefined)
    yield at().invalid('', 'must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef` or `secretKeyRef`');
  else if ((variable.value ?? '') !== '') yield at().invalid('', 'may not be specified when `value` is not empty');
  else if (count > 1) yield at().invalid('', 'may not have more than one field specified at a time');
}

/** A field of the pod itself, by path. */
export function* validateFieldRef(
  { apiVersion = '', fieldPath = '' }: Partial<ObjectFieldSelector>,
  at: Place,
  { allowed }: { readonly allowed: ReadonlySet<string> },
): Iterable<Issue> {
  if (apiVersion === '') {
    yield at()('apiVersion').required();
    return;
  }
  if (fieldPath === '') {
    yield at()('fieldPath').required();
    return;
  }
  if (apiVersion !== 'v1') {
    const why = `error converting fieldPath: unsupported pod version: ${apiVersion}`;
    yield at()('fieldPath').invalid(fieldPath, why);
    return;
  }
  if (allowed.has(fieldPath)) return;
  const parts = subscripted.exec(fieldPath);
  if (parts !== null) {
    const key = parts[2] ?? '';
    const checked = parts[1] === 'metadata.annotations' ? key.toLowerCase() : key;
    if (!isQualifiedName(checked)) yield* qualifiedName(checked, at());
  } else if (!knownFields.has(fieldPath))
    yield at()('fieldPath').invalid(fieldPath, `error converting fieldPath: field label not supported: ${fieldPath}`);
  else yield at()('fieldPath').notSupported(fieldPath, [...allowed].sort());
}

/** A request or limit of a container; in a volume, which belongs to all containers, it names the container. */
export function* validateResourceFieldRef(
  { containerName = '', resource = '', divisor = '0' }: Partial<ResourceFieldSelector>,
  at: Place,
  { inVolume }: { readonly inVolume: boolean },
): Iterable<Issue> {
  if (inVolume && containerName === '') yield at()('containerName').required();
  else if (resource === '') yield at()('resource').required();
  else if (!containerResources.has(resource) && !/^(?:limits|requests)\.hugepages-./.test(resource))
    yield at()('resource').notSupported(resource, [...containerResources].sort());
  yield* validateDivisor(resource, divisor, inside(at, 'divisor'));
}

function* validateDivisor(resource: string, divisor: string, at: Place): Iterable<Issue> {
  const nano = parseQuantity(divisor);
  if (nano === undefined) yield at().invalid(divisor, quantityMessage);
  if (nano === undefined || nano === 0n) return;
  if (resource.endsWith('.cpu')) {
    if (!cpuDivisors.includes(nano))
      yield at().invalid(resource, "only divisor's values 1m and 1 are supported with the cpu resource");
  } else if (!memoryDivisors.some((each) => parseQuantity(each) === nano)) {
    const [, kind] = /^(?:limits|requests)\.(memory|ephemeral-storage|hugepages-.*)$/.exec(resource) ?? [];
    // Of a resource that nobody knows, no unit is wrong.
    if (kind === undefined) return;
    const name =
      kind === 'ephemeral-storage' ? 'local ephemeral storage' : kind.startsWith('hugepages-') ? 'hugepages' : kind;
    yield at().invalid(
      resource,
      `only divisor's values ${memoryDivisors.slice(0, -1).join(', ')} and 1Ei are supported with the ${name} resource`,
    );
  }
}

function* validateKeyRef(
  { name = '', key = '' }: { readonly name?: string; readonly key?: string },
  at: Place,
): Iterable<Issue> {
  if (!isDnsSubdomain(name)) yield* dnsSubdomain(name, at()('name'));
  if (key === '') yield at()('key').required();
  else if (!plainKey.test(key)) yield* dataKey(key, at()('key'));
}

function* validateEnvFrom(
  { prefix = '', configMapRef, secretRef }: EnvFromSource,
  { list, index }: { readonly list: Place; readonly index: number },
): Iterable<Issue> {
  if (prefix !== '' && !envName.test(prefix)) yield list()(index, 'prefix').invalid(prefix, envNameText);
  if (configMapRef !== undefined)
    yield* validateSourceName(configMapRef.name, () => list()(index, 'configMapRef', 'name'));
  if (secretRef !== undefined) yield* validateSourceName(secretRef.name, () => list()(index, 'secretRef', 'name'));
  // Which one of them it is, is not told: neither does upstream.
  if (configMapRef === undefined && secretRef === undefined)
    yield list().invalid('', 'must specify one of: `configMapRef` or `secretRef`');
  else if (configMapRef !== undefined && secretRef !== undefined)
    yield list().invalid('', 'may not have more than one field specified at a time');
}

function* validateSourceName(name: string | undefined, at: Place): Iterable<Issue> {
  if (name === undefined || name === '') yield at().required();
  else if (!isDnsSubdomain(name)) yield* dnsSubdomain(name, at());
}
