import { controllersVariable, nodesVariable } from './controllers.ts';
import type { AssetFiles } from './folder.ts';
import { apiServerFlags, etcdFlags, type FlagNames } from './upstream-flags.ts';

export interface AssetSources {
  /** The programs, each in one file. */
  readonly apiServer: string;
  readonly etcd: string;
  /** The Node.js that they run with. */
  readonly node: string;
  /** Undefined: there is none. */
  readonly kubectl: string | undefined;
  /** Of Signalbox. */
  readonly version: string;
}

/** As the API says of itself; its test holds it to that. */
export const kubernetesVersion = 'v1.34.2';
export const etcdVersion = '3.6.4';

/** What `KUBEBUILDER_ASSETS` is to hold. Pure. */
export function assetFiles({ apiServer, etcd, node, kubectl, version }: AssetSources): AssetFiles {
  return {
    'kube-apiserver': {
      is: 'program',
      text: script({ name: 'kube-apiserver', said: `Kubernetes ${kubernetesVersion}`, node, version }),
    },
    'kube-apiserver.mjs': { is: 'text', text: apiServer },
    'kube-apiserver.txt': { is: 'text', text: apiServerHelp },
    etcd: { is: 'program', text: script({ name: 'etcd', said: `etcd Version: ${etcdVersion}`, node, version }) },
    'etcd.mjs': { is: 'text', text: etcd },
    'etcd.txt': { is: 'text', text: etcdHelp },
    ...(kubectl !== undefined && { kubectl: { is: 'link', to: kubectl } as const }),
  };
}

interface Script {
  readonly name: string;
  /** What it answers to `--version`. */
  readonly said: string;
  readonly node: string;
  readonly version: string;
}

/** Before every start envtest reads the help, so a shell prints it: Node.js would take as long as the start itself. */
function script({ name, said, node, version }: Script): string {
  return `#!/bin/sh
# Written by signalbox ${version}: its test-assets.
here=\${0%/*}
[ -L "$0" ] && here=$(dirname "$(readlink -f "$0")")
for flag; do
  case $flag in
  --help | -h) exec cat "$here/${name}.txt" ;;
  --version | --version=true) echo '${said}'; exit 0 ;;
  esac
done
node=${quoted(node)}
[ -x "$node" ] || node=node
exec "$node" "$here/${name}.mjs" "$@"
`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** A flag a line, as those who look for one in the help of upstream's programs expect. */
function flagLines({ withValue, switches }: FlagNames): string {
  const lines = [
    ...[...withValue].map((name) => `      --${name} value`),
    ...[...switches].map((name) => `      --${name}`),
  ];
  return `${lines.sort().join('\n')}\n`;
}

const apiServerHelp = `kube-apiserver of Signalbox: the API of Kubernetes 1.34 in memory, for tests that start one by envtest.

Its objects are gone when it ends. What they need of it: --etcd-servers (nothing is kept there), --secure-port, --bind-address,
--cert-dir or --tls-cert-file and --tls-private-key-file, --client-ca-file, --token-auth-file, --service-account-key-file,
--service-account-signing-key-file, --service-account-issuer, --api-audiences, --service-cluster-ip-range,
--advertise-address, --anonymous-auth, --authorization-mode (RBAC, Node, AlwaysAllow), --disable-admission-plugins,
--enable-priority-and-fairness, --max-requests-inflight and --max-mutating-requests-inflight (their sum, or each without
fairness) do here what they do upstream. The others are taken and change nothing; those that a test might rely on are named on standard error.

Environment:
  ${controllersVariable}  what runs beside the API: none (as in envtest, the default), all, or a list such as
                              deployment,replicaset,garbage-collector,namespace; -NAME leaves one out
  ${nodesVariable}        how many simulated nodes there are (default: 3 where "nodes" runs, else 0)

Flags:
${flagLines(apiServerFlags)}`;

const etcdHelp = `etcd of Signalbox: says that it is well on --listen-client-urls, and keeps nothing. The kube-apiserver beside it keeps its
objects in memory. The other flags are taken and change nothing.

Flags:
${flagLines(etcdFlags)}`;
