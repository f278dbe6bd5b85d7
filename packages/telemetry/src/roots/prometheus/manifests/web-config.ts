import type { Volume, VolumeMount } from '@signalbox/cluster';
import { dnsLabel } from '../../../manifests/names.ts';
import type { WebTLSConfig } from '../../../resources/prometheus-fields.ts';
import { given } from '../../../scrape/given.ts';
import type { Section } from '../../../scrape/http.ts';
import type { Leaf } from '../../../scrape/leaf.ts';
import { toYaml } from '../../../scrape/yaml.ts';
import { eitherReference, type KeyReference, secretReference } from '../../../world/references.ts';
import { fieldsOf, type PrometheusRoot } from '../config/document.ts';
import { sheetOf } from '../config/fields/sheets.ts';
import type { Place } from '../config/settings.ts';
import { xxhash64 } from './xxhash64.ts';

const folder = '/etc/prometheus/web_config';

/** What it takes in the pods for Prometheus to serve over TLS. */
export interface WebTls {
  readonly isOn: boolean;
  readonly volumes: readonly Volume[];
  readonly mounts: readonly VolumeMount[];
}

export interface WebConfig {
  readonly text: string;
  readonly tls: WebTls;
}

/** The file that Prometheus' web server reads, and the volumes of the keys that it names. */
export function webConfig(root: PrometheusRoot, at: Omit<Place, 'at'>): WebConfig {
  const { web } = root.spec;
  const tls = web?.tlsConfig === undefined ? undefined : tlsSection(web.tlsConfig, at.leaf);
  const section = given({ tls_server_config: tls?.section, http_server_config: httpSection(root, at) });
  const files = tls?.files ?? [];
  return {
    text: Object.keys(section).length === 0 ? '' : toYaml(section),
    tls: {
      isOn: tls !== undefined,
      volumes: files.map(({ name, reference }) =>
        reference.kind === 'Secret'
          ? { name, secret: { secretName: reference.name } }
          : { name, configMap: { name: reference.name } },
      ),
      mounts: files.map(({ name, path }) => ({ name, mountPath: path, readOnly: true })),
    },
  };
}

function httpSection(root: PrometheusRoot, at: Omit<Place, 'at'>): Section {
  const place = { ...at, at: 'spec' };
  const fields = fieldsOf(root);
  return {
    ...sheetOf(root.spec, { fields, sheet: 'webServer' }, place),
    ...given({ headers: sheetOf(root.spec, { fields, sheet: 'webHeaders' }, place) }),
  };
}

interface MountedFile {
  /** The volume's. */
  readonly name: string;
  readonly path: string;
  readonly reference: KeyReference;
}

function tlsSection(
  config: WebTLSConfig,
  leaf: Leaf,
): { readonly section: object; readonly files: readonly MountedFile[] } {
  const at = 'spec.web.tlsConfig';
  const key = mounted('key', secretReference(config.keySecret, leaf.namespace));
  const cert = mounted('cert', eitherReference(config.cert, leaf.namespace));
  const clientCa = mounted('client-ca', eitherReference(config.client_ca, leaf.namespace), 'ca');
  // Only to hear of what is missing: without its key the server does not start.
  leaf.secretText(config.keySecret, `${at}.keySecret`);
  leaf.eitherText(config.cert, `${at}.cert`);
  leaf.eitherText(config.client_ca, `${at}.client_ca`);
  const certFile = config.certFile || fileIn(cert);
  const keyFile = config.keyFile || fileIn(key);
  if (certFile === undefined || keyFile === undefined)
    leaf.reject('InvalidField', at, 'TLS needs a certificate and its key: set cert and keySecret');
  return {
    section: given({
      cert_file: certFile,
      key_file: keyFile,
      client_auth_type: config.clientAuthType,
      client_ca_file: config.clientCAFile || fileIn(clientCa),
      min_version: config.minVersion,
      max_version: config.maxVersion,
      cipher_suites: config.cipherSuites,
      curve_preferences: config.curvePreferences,
      ...(config.preferServerCipherSuites !== undefined && {
        prefer_server_cipher_suites: config.preferServerCipherSuites,
      }),
    }),
    files: [key, cert, clientCa].filter((file) => file !== undefined),
  };
}

/** Names of volumes are short, names of Secrets are not: what is cut off counts by its hash. */
function mounted(use: string, reference: KeyReference | undefined, folderUse = use): MountedFile | undefined {
  if (reference === undefined) return undefined;
  const kind = reference.kind === 'Secret' ? 'secret' : 'configmap';
  const name = hashedDnsLabel(`web-config-tls-${kind}-${use}-${reference.name}`, reference.name);
  return { name, path: `${folder}/${kind}/${reference.name}-${folderUse}`, reference };
}

/** A label that ends with the first eight digits of what is hashed, at most 63 characters long. */
function hashedDnsLabel(text: string, hashed: string): string {
  const end = `-${xxhash64(hashed).toString(16).slice(0, 8)}`;
  return `${dnsLabel(text).slice(0, 63 - end.length)}${end}`;
}

function fileIn(file: MountedFile | undefined): string | undefined {
  return file === undefined ? undefined : `${file.path}/${file.reference.key}`;
}
