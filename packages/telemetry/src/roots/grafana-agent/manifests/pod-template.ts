import type { Container, PodTemplateSpec, Volume, VolumeMount } from '@signalbox/cluster';
import { mergedContainers } from '../../../manifests/merged-containers.ts';
import { uniqueDnsLabel } from '../../../manifests/names.ts';
import type { GrafanaAgent } from '../../../resources/grafana-agent.ts';
import { given } from '../../../scrape/given.ts';
import { secretsFolder } from './assets/vault.ts';
import { type AgentOptions, podLabels, type Workload } from './labels.ts';

type Env = NonNullable<Container['env']>[number];

/** How the pods of one workload differ from those of the others. */
export interface PodShape {
  readonly workload: Workload;
  /** The name of the Secret that holds `agent.yml`. */
  readonly configSecret: string;
  readonly env: readonly Env[];
  readonly volumes: readonly Volume[];
  readonly volumeMounts: readonly VolumeMount[];
  readonly isPrivileged: boolean;
}

const home = '/var/lib/grafana-agent';

/** The pods of all workloads of a root: the agent, and beside it the reloader that fills in `$(SHARD)` and reloads. */
export function podTemplate(root: GrafanaAgent, shape: PodShape, options: AgentOptions): PodTemplateSpec {
  const { spec } = root;
  const extra = extraVolumes(spec);
  const volumes: readonly Volume[] = [
    { name: 'config', secret: { secretName: shape.configSecret } },
    { name: 'config-out', emptyDir: {} },
    { name: 'secrets', secret: { secretName: `${root.metadata.name}-secrets` } },
    ...shape.volumes,
    ...(spec.volumes ?? []),
    ...extra.map(({ volume }) => volume),
  ];
  return {
    metadata: {
      labels: podLabels(root, shape.workload, options),
      annotations: {
        ...spec.podMetadata?.annotations,
        'kubectl.kubernetes.io/default-container': 'grafana-agent',
      },
    },
    spec: {
      ...given({ initContainers: spec.initContainers }),
      containers: containers(root, { shape, options, extraMounts: extra.map(({ mount }) => mount) }),
      volumes,
      ...given({
        imagePullSecrets: spec.imagePullSecrets,
        securityContext: spec.securityContext,
        serviceAccountName: spec.serviceAccountName,
        nodeSelector: spec.nodeSelector,
        priorityClassName: spec.priorityClassName,
        runtimeClassName: spec.runtimeClassName,
        tolerations: spec.tolerations,
        affinity: spec.affinity,
        topologySpreadConstraints: spec.topologySpreadConstraints,
      }),
      terminationGracePeriodSeconds: 4800,
    },
  };
}

/** The port on which the agents serve. */
export function portName({ spec }: GrafanaAgent): string {
  return spec.portName || 'http-metrics';
}

interface Parts {
  readonly shape: PodShape;
  readonly options: AgentOptions;
  readonly extraMounts: readonly VolumeMount[];
}

function containers(root: GrafanaAgent, { shape, options, extraMounts }: Parts): readonly Container[] {
  const env: readonly Env[] = [
    { name: 'POD_NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
    { name: 'AGENT_DEPLOY_MODE', value: 'operator' },
    ...shape.env,
  ];
  const volumeMounts: readonly VolumeMount[] = [
    { name: 'config', mountPath: `${home}/config-in`, readOnly: true },
    { name: 'config-out', mountPath: `${home}/config` },
    { name: 'secrets', mountPath: secretsFolder, readOnly: true },
    ...shape.volumeMounts,
    ...(root.spec.volumeMounts ?? []),
    ...extraMounts,
  ];
  const own = [
    { ...reloader(root, options), env, volumeMounts },
    { ...agent(root, { options, isPrivileged: shape.isPrivileged }), env, volumeMounts },
  ];
  return mergedContainers({ containers: own, initContainers: [] }, given({ containers: root.spec.containers }))
    .containers;
}

function reloader({ spec }: GrafanaAgent, { configReloaderVersion }: AgentOptions): Container {
  const version = spec.configReloaderVersion || configReloaderVersion;
  return {
    name: 'config-reloader',
    image: spec.configReloaderImage || `quay.io/prometheus-operator/prometheus-config-reloader:${version}`,
    args: [
      `--config-file=${home}/config-in/agent.yml`,
      `--config-envsubst-file=${home}/config/agent.yml`,
      '--watch-interval=1m',
      '--statefulset-ordinal-from-envvar=POD_NAME',
      '--reload-url=http://127.0.0.1:8080/-/reload',
    ],
    securityContext: {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    },
  };
}

function agent(
  root: GrafanaAgent,
  { options, isPrivileged }: { readonly options: AgentOptions; readonly isPrivileged: boolean },
): Container {
  const { spec } = root;
  return {
    name: 'grafana-agent',
    image: spec.image || `grafana/agent:${spec.version || options.agentVersion}`,
    args: [
      `-config.file=${home}/config/agent.yml`,
      '-config.expand-env=true',
      '-server.http.address=0.0.0.0:8080',
      '-enable-features=integrations-next',
      ...(spec.enableConfigReadAPI === true ? ['-config.enable-read-api'] : []),
      ...(spec.disableReporting === true ? ['-disable-reporting'] : []),
      ...(spec.disableSupportBundle === true ? ['-disable-support-bundle'] : []),
    ],
    ports: [{ name: portName(root), containerPort: 8080, protocol: 'TCP' }],
    readinessProbe: {
      httpGet: { path: '/-/ready', port: portName(root) },
      timeoutSeconds: 3,
      periodSeconds: 5,
      failureThreshold: 120,
    },
    ...given({ resources: spec.resources }),
    securityContext: { privileged: isPrivileged },
    terminationMessagePolicy: 'FallbackToLogsOnError',
  };
}

interface Extra {
  readonly volume: Volume;
  readonly mount: VolumeMount;
}

/** Secrets and ConfigMaps that the user wants mounted by name. */
function extraVolumes({ secrets = [], configMaps = [] }: GrafanaAgent['spec']): readonly Extra[] {
  const taken = new Set<string>();
  const named = (text: string): string => {
    const name = uniqueDnsLabel(text, taken);
    taken.add(name);
    return name;
  };
  return [
    ...secrets.map((secretName): Extra => {
      const name = named(`secret-${secretName}`);
      return {
        volume: { name, secret: { secretName } },
        mount: { name, mountPath: `${home}/extra-secrets/${secretName}`, readOnly: true },
      };
    }),
    ...configMaps.map((configMap): Extra => {
      const name = named(`configmap-${configMap}`);
      return {
        volume: { name, configMap: { name: configMap } },
        mount: { name, mountPath: `${home}/extra-configmaps/${configMap}`, readOnly: true },
      };
    }),
  ];
}
