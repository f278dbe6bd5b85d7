import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { createGzip } from '../../../manifests/gzip.ts';
import type { Prometheus } from '../../../resources/prometheus.ts';
import { objectsOf } from '../../../testing/world.ts';
import type { KeyReference } from '../../../world/references.ts';
import { worldOf } from '../../../world/world.ts';
import { defaultPrometheusOptions as options } from './flavour.ts';
import { assetKey, assetPath, configSecret, tlsAssetSecrets } from './secrets.ts';

const [root] = objectsOf(`
apiVersion: monitoring.coreos.com/v1
kind: Prometheus
metadata: { name: main, namespace: monitoring }
spec: {}
`) as unknown as readonly [Prometheus];

const file = (namespace: string, key = 'ca.crt', kind: KeyReference['kind'] = 'Secret'): KeyReference => ({
  kind,
  namespace,
  name: 'tls',
  key,
  optional: false,
});

function secretsOf(namespaces: readonly string[], bytes: number): ReturnType<typeof worldOf> {
  const text = 'x'.repeat(bytes);
  return worldOf(
    namespaces.flatMap((namespace) =>
      objectsOf(
        `{ apiVersion: v1, kind: Secret, metadata: { name: tls, namespace: ${namespace} }, stringData: { ca.crt: ${text} } }`,
      ),
    ),
  );
}

test('a configuration is compressed, and the same one always to the same bytes', () => {
  const made = [createGzip(), createGzip()].map((gzip) =>
    configSecret(root, ['global: {}\n'], { annotations: {}, gzip, options }),
  );
  expect(made[0]).toEqual(made[1]);
  const bytes = Buffer.from(made[0]?.data?.['prometheus.yaml.gz'] ?? '', 'base64');
  expect(gunzipSync(bytes).toString()).toBe('global: {}\n');
  // No time, no name of the system.
  expect([...bytes.subarray(4, 8), bytes[9]]).toEqual([0, 0, 0, 0, 255]);
});

test('a file is found under its namespace, its object and its key', () => {
  expect(assetPath(file('shop'))).toBe('/etc/prometheus/certs/0_shop_tls_ca.crt');
  expect(assetKey(file('shop', 'ca.pem', 'ConfigMap'))).toBe('1_shop_tls_ca.pem');
});

test('there is always a Secret for certificates, since the pods mount it', () => {
  const made = tlsAssetSecrets(root, [], { world: worldOf([]), options });
  expect(made.map(({ metadata, data }) => [metadata.name, data])).toEqual([['prometheus-main-tls-assets-0', {}]]);
});

test('a file that is gone is left out', () => {
  const world = secretsOf(['a'], 3);
  const [only] = tlsAssetSecrets(root, [file('a'), file('b'), file('a', 'other')], { world, options });
  expect(only?.data).toEqual({ '0_a_tls_ca.crt': 'eHh4' });
});

test('certificates that do not fit into one Secret are spread, each whole', () => {
  const namespaces = ['a', 'b', 'c'];
  const world = secretsOf(namespaces, 400_000);
  const made = tlsAssetSecrets(
    root,
    namespaces.map((each) => file(each)),
    { world, options },
  );
  expect(made.map(({ metadata, data }) => [metadata.name, Object.keys(data ?? {})])).toEqual([
    ['prometheus-main-tls-assets-0', ['0_a_tls_ca.crt', '0_b_tls_ca.crt']],
    ['prometheus-main-tls-assets-1', ['0_c_tls_ca.crt']],
  ]);
});
