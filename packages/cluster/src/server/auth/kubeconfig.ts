import { writeFileAtomically } from '../../base/atomic-file.ts';
import type { PemPair } from './certificates.ts';

export interface KubeconfigOptions {
  /** `https://127.0.0.1:6443` */
  readonly server: string;
  /** PEM. */
  readonly ca: string;
  readonly client: PemPair;
}

/** What cluster, user and context are called in a kubeconfig that we write. */
export const kubeconfigContext = 'signalbox';

const name = kubeconfigContext;

/** A kubeconfig that holds everything: it can be moved and copied. */
export function formatKubeconfig({ server, ca, client }: KubeconfigOptions): string {
  return `${[
    'apiVersion: v1',
    'kind: Config',
    'clusters:',
    `- name: ${name}`,
    '  cluster:',
    `    server: ${JSON.stringify(server)}`,
    `    certificate-authority-data: ${base64(ca)}`,
    'users:',
    `- name: ${name}`,
    '  user:',
    `    client-certificate-data: ${base64(client.cert)}`,
    `    client-key-data: ${base64(client.key)}`,
    'contexts:',
    `- name: ${name}`,
    '  context:',
    `    cluster: ${name}`,
    `    user: ${name}`,
    '    namespace: default',
    `current-context: ${name}`,
    'preferences: {}',
  ].join('\n')}\n`;
}

/** Replaces the file as a whole; nobody but its owner may read it. */
export function writeKubeconfig(path: string, options: KubeconfigOptions): Promise<void> {
  return writeFileAtomically(path, formatKubeconfig(options), { mode: 0o600 });
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}
