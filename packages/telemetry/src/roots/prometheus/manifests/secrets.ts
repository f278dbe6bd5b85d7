import type { New, Secret } from '@signalbox/cluster';
import type { Gzip } from '../../../manifests/gzip.ts';
import { secretBytesMax } from '../../../manifests/secret-bytes.ts';
import { given } from '../../../scrape/given.ts';
import { type KeyReference, lookup } from '../../../world/references.ts';
import type { World } from '../../../world/world.ts';
import type { PrometheusRoot } from '../config/document.ts';
import { baseName, managedBy, ownMetadata, type PrometheusOptions } from './flavour.ts';

export const configKey = 'prometheus.yaml.gz';
export const webConfigKey = 'web-config.yaml';
/** Where Prometheus finds its TLS assets. */
export const certsFolder = '/etc/prometheus/certs';
/** What is left of a Secret's room for its own metadata. */
const assetBytesMax = secretBytesMax - 50_000;

/** One configuration for all shards. */
export function configSecret(
  root: PrometheusRoot,
  pieces: readonly string[],
  {
    annotations,
    gzip,
    options,
  }: {
    /** What is to be remembered of how the shards share. */
    readonly annotations: Readonly<Record<string, string>>;
    readonly gzip: Gzip;
    readonly options: PrometheusOptions;
  },
): New<Secret> {
  const data = { [configKey]: gzip(root.metadata.uid, pieces).toString('base64') };
  const made = secret(root, { name: baseName(root), data, options });
  return { ...made, metadata: { ...made.metadata, ...given({ annotations }) } };
}

/** What the web server is told; also without anything to say, since the pods mount it. */
export function webConfigSecret(root: PrometheusRoot, text: string, options: PrometheusOptions): New<Secret> {
  const data = { [webConfigKey]: Buffer.from(text, 'utf8').toString('base64') };
  return secret(root, { name: `${baseName(root)}-web-config`, data, options });
}

export function tlsAssetsName(root: PrometheusRoot, index: number): string {
  return `${baseName(root)}-tls-assets-${index}`;
}

/** Copies of the certificates and keys that the configuration names, in as many Secrets as they need, at least one. */
export function tlsAssetSecrets(
  root: PrometheusRoot,
  files: readonly KeyReference[],
  { world, options }: { readonly world: World; readonly options: PrometheusOptions },
): readonly New<Secret>[] {
  const chunks: Record<string, string>[] = [{}];
  let bytes = 0;
  for (const file of files) {
    const found = lookup(world, file);
    if (found.state !== 'found') continue;
    const size = found.bytes.length + assetKey(file).length;
    if (bytes > 0 && bytes + size > assetBytesMax) {
      chunks.push({});
      bytes = 0;
    }
    const chunk = chunks.at(-1);
    if (chunk !== undefined) chunk[assetKey(file)] = Buffer.from(found.bytes).toString('base64');
    bytes += size;
  }
  return chunks.map((data, index) => secret(root, { name: tlsAssetsName(root, index), data, options }));
}

/** `0_<namespace>_<secret>_<key>`, with 1 for a ConfigMap. No namespace or name holds an underscore, so no two agree. */
export function assetKey({ kind, namespace, name, key }: KeyReference): string {
  return `${kind === 'Secret' ? '0' : '1'}_${namespace}_${name}_${key}`;
}

export function assetPath(reference: KeyReference): string {
  return `${certsFolder}/${assetKey(reference)}`;
}

function secret(
  root: PrometheusRoot,
  {
    name,
    data,
    options,
  }: { readonly name: string; readonly data: NonNullable<Secret['data']>; readonly options: PrometheusOptions },
): New<Secret> {
  const labels = { 'app.kubernetes.io/managed-by': managedBy, ...options.labels };
  return { apiVersion: 'v1', kind: 'Secret', metadata: ownMetadata(root, name, labels), data, type: 'Opaque' };
}
