/** With which flags the programs of upstream's control plane are started: pure. */
import { join } from 'node:path';

/** What they show to each other, as `loadServingPki` writes it into a folder. */
export interface Places {
  /** The folder of one control plane, of which nobody else knows. */
  readonly folder: string;
  /** Where certificates and keys lie. */
  readonly pki: string;
}

export interface StorePorts {
  readonly client: number;
  readonly peer: number;
}

/** A store that need not outlast a crash: it waits for no disk. */
export function etcdFlags({ folder }: Places, { client, peer }: StorePorts): readonly string[] {
  const [clients, peers] = [client, peer].map((port) => `http://127.0.0.1:${port}`);
  return [
    '--name=one',
    `--data-dir=${join(folder, 'etcd')}`,
    `--listen-client-urls=${clients}`,
    `--advertise-client-urls=${clients}`,
    `--listen-peer-urls=${peers}`,
    `--initial-advertise-peer-urls=${peers}`,
    `--initial-cluster=one=${peers}`,
    '--unsafe-no-fsync',
    '--log-level=warn',
  ];
}

export interface ApiServerFlags extends Places {
  readonly port: number;
  readonly etcdPort: number;
  readonly auditPolicy: string;
  readonly auditLog: string;
  readonly withoutAdmission?: readonly string[] | undefined;
  readonly alsoOn?: AlsoOn | undefined;
}

/** What upstream serves only where somebody asks for it. */
export interface AlsoOn {
  /** `MutatingAdmissionPolicy` */
  readonly features: readonly string[];
  /** `coordination.k8s.io/v1beta1` */
  readonly versions: readonly string[];
}

export function apiServerFlags({
  folder,
  pki,
  port,
  etcdPort,
  auditPolicy,
  auditLog,
  withoutAdmission = [],
  alsoOn = { features: [], versions: [] },
}: ApiServerFlags): readonly string[] {
  const authority = join(pki, 'ca.crt');
  return [
    '--bind-address=127.0.0.1',
    `--secure-port=${port}`,
    `--etcd-servers=http://127.0.0.1:${etcdPort}`,
    `--cert-dir=${folder}`,
    `--client-ca-file=${authority}`,
    `--tls-cert-file=${join(pki, 'server.crt')}`,
    `--tls-private-key-file=${join(pki, 'server.key')}`,
    '--authorization-mode=Node,RBAC',
    '--enable-admission-plugins=NodeRestriction',
    ...(withoutAdmission.length > 0 ? [`--disable-admission-plugins=${withoutAdmission.join(',')}`] : []),
    ...(alsoOn.features.length > 0 ? [`--feature-gates=${allTrue(alsoOn.features)}`] : []),
    ...(alsoOn.versions.length > 0 ? [`--runtime-config=${allTrue(alsoOn.versions)}`] : []),
    '--allow-privileged=true',
    '--service-account-issuer=https://kubernetes.default.svc.cluster.local',
    `--service-account-key-file=${join(pki, 'sa.pub')}`,
    `--service-account-signing-key-file=${join(pki, 'sa.key')}`,
    '--service-cluster-ip-range=10.96.0.0/12',
    // A loopback is no address of an Endpoints.
    '--endpoint-reconciler-type=none',
    `--requestheader-client-ca-file=${authority}`,
    '--requestheader-allowed-names=front-proxy-client',
    '--requestheader-username-headers=X-Remote-User',
    '--requestheader-group-headers=X-Remote-Group',
    '--requestheader-extra-headers-prefix=X-Remote-Extra-',
    `--proxy-client-cert-file=${join(pki, 'front-proxy-client.crt')}`,
    `--proxy-client-key-file=${join(pki, 'front-proxy-client.key')}`,
    `--audit-policy-file=${auditPolicy}`,
    `--audit-log-path=${auditLog}`,
  ];
}

function allTrue(names: readonly string[]): string {
  return names.map((name) => `${name}=true`).join(',');
}

export interface ClientFlags {
  readonly pki: string;
  /** The path of the part's own. */
  readonly kubeconfig: string;
  /** Which of the controllers run, by their names. The default is those that upstream runs. */
  readonly controllers?: readonly string[];
  /** What it is told besides: `--node-monitor-grace-period=10s`. */
  readonly further?: readonly string[];
}

/** Answers no port, and is alone. */
const alone = ['--secure-port=0', '--leader-elect=false'];
/** A test waits for every object. */
const quick = ['--kube-api-qps=500', '--kube-api-burst=1000'];

/** How often it looks again at what may have changed without a word. */
const soon = ['--pvclaimbinder-sync-period=1s', '--attach-detach-reconcile-sync-period=2s'];

export function controllerManagerFlags({
  pki,
  kubeconfig,
  controllers = ['*'],
  further = [],
}: ClientFlags): readonly string[] {
  return [
    `--kubeconfig=${kubeconfig}`,
    ...alone,
    ...quick,
    ...soon,
    `--controllers=${controllers.join(',')}`,
    '--use-service-account-credentials=true',
    `--root-ca-file=${join(pki, 'ca.crt')}`,
    `--service-account-private-key-file=${join(pki, 'sa.key')}`,
    `--cluster-signing-cert-file=${join(pki, 'ca.crt')}`,
    `--cluster-signing-key-file=${join(pki, 'ca.key')}`,
    ...further,
  ];
}

/** How upstream's scheduler is told to decide, and what it writes down of it. */
export interface SchedulerFlags {
  /** The path of a `KubeSchedulerConfiguration`, which names the kubeconfig then. */
  readonly configuration?: string | undefined;
  /** From 10 on its log has every plugin's points. */
  readonly verbosity?: number | undefined;
}

export function schedulerFlags(
  { kubeconfig }: ClientFlags,
  { configuration, verbosity }: SchedulerFlags = {},
): readonly string[] {
  const asked = configuration === undefined ? [`--kubeconfig=${kubeconfig}`, ...quick] : [`--config=${configuration}`];
  return [...asked, ...alone, ...(verbosity === undefined ? [] : [`--v=${verbosity}`])];
}

/** Everything that is asked, by whom, and how it was answered: without bodies. */
export const auditPolicyText = `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages:
  - RequestReceived
rules:
  - level: Metadata
`;
