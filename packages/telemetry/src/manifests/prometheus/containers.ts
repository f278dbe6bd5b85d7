import type { Container, Probe, VolumeMount } from '@signalbox/cluster';
import { given } from '../../config/given.ts';
import type { PrometheusRoot } from '../../config/prometheus/document.ts';
import { configOutFolder, envsubstFile, routePrefix, webConfigFile } from './arguments.ts';
import type { PrometheusOptions } from './flavour.ts';
import { certsFolder } from './secrets.ts';
import { portName, webPort } from './service.ts';
import type { WebTls } from './web-config.ts';

const configFolder = '/etc/prometheus/config';

const securityContext: NonNullable<Container['securityContext']> = {
  readOnlyRootFilesystem: true,
  allowPrivilegeEscalation: false,
  capabilities: { drop: ['ALL'] },
};

export interface PrometheusParts {
  readonly image: string;
  readonly args: readonly string[];
  /** Of the data and of what the root wants besides. */
  readonly mounts: readonly VolumeMount[];
  readonly web: WebTls;
}

export function prometheusContainer(root: PrometheusRoot, { image, args, mounts, web }: PrometheusParts): Container {
  const { spec } = root;
  return {
    name: 'prometheus',
    image,
    ...given({ imagePullPolicy: spec.imagePullPolicy }),
    args,
    ...(spec.listenLocal !== true && {
      ports: [{ name: portName(root), containerPort: webPort, protocol: 'TCP' }],
    }),
    volumeMounts: [
      { name: 'config-out', mountPath: configOutFolder, readOnly: true },
      { name: 'tls-assets', mountPath: certsFolder, readOnly: true },
      ...mounts,
      webConfigMount,
      ...web.mounts,
    ],
    ...probesOf(root, web),
    ...given({ resources: spec.resources }),
    securityContext,
    terminationMessagePolicy: 'FallbackToLogsOnError',
  };
}

const webConfigMount: VolumeMount = {
  name: 'web-config',
  mountPath: webConfigFile,
  subPath: 'web-config.yaml',
  readOnly: true,
};

function probesOf(
  root: PrometheusRoot,
  web: WebTls,
): Pick<Container, 'livenessProbe' | 'readinessProbe' | 'startupProbe'> {
  const ready = handler(root, web, '/-/ready');
  return {
    startupProbe: { ...ready, timeoutSeconds: 3, ...startup(root.spec.maximumStartupDurationSeconds) },
    readinessProbe: { ...ready, timeoutSeconds: 3, periodSeconds: 5, failureThreshold: 3 },
    livenessProbe: { ...handler(root, web, '/-/healthy'), timeoutSeconds: 3, periodSeconds: 5, failureThreshold: 6 },
  };
}

/** A quarter of an hour unless the root knows that its data takes longer to read. */
function startup(seconds = 0): Pick<Probe, 'failureThreshold' | 'periodSeconds'> {
  if (seconds < 60) return { periodSeconds: 15, failureThreshold: 60 };
  const failureThreshold = Math.ceil(seconds / 60);
  return { periodSeconds: Math.ceil(seconds / failureThreshold), failureThreshold };
}

/** Nobody outside the pod can ask a Prometheus that listens to its own pod only. */
function handler(root: PrometheusRoot, web: WebTls, path: string): Pick<Probe, 'exec' | 'httpGet'> {
  const full = `${routePrefix(root).replace(/\/$/, '')}${path}`;
  if (root.spec.listenLocal !== true)
    return { httpGet: { path: full, port: portName(root), ...(web.isOn && { scheme: 'HTTPS' }) } };
  const url = `http://localhost:${webPort}${full}`;
  return {
    exec: {
      command: [
        'sh',
        '-c',
        `if command -v curl >/dev/null; then exec curl --fail ${url}; elif command -v wget >/dev/null; then exec wget -q -O /dev/null ${url}; else exit 1; fi`,
      ],
    },
  };
}

/** Renders the configuration for its pod: once before Prometheus starts, then on every change, with a reload. */
export function reloaderContainers(
  root: PrometheusRoot,
  { shard, web, options }: { readonly shard: number; readonly web: WebTls; readonly options: PrometheusOptions },
): { readonly init: Container; readonly sidecar: Container } {
  const hasWeb = root.spec.web !== undefined;
  const shape: Omit<Container, 'name'> = {
    image: options.configReloaderImage,
    ...given({ imagePullPolicy: root.spec.imagePullPolicy }),
    command: ['/bin/prometheus-config-reloader'],
    env: [
      { name: 'POD_NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
      { name: 'SHARD', value: String(shard) },
    ],
    resources: { limits: { cpu: '10m', memory: '50Mi' }, requests: { cpu: '10m', memory: '50Mi' } },
    securityContext,
    terminationMessagePolicy: 'FallbackToLogsOnError',
  };
  const mounts: readonly VolumeMount[] = [
    { name: 'config', mountPath: configFolder },
    { name: 'config-out', mountPath: configOutFolder },
  ];
  const files = [
    `--config-file=${configFolder}/prometheus.yaml.gz`,
    `--config-envsubst-file=${envsubstFile}`,
    `--watched-dir=${configFolder}`,
  ];
  const logs = [
    ...(root.spec.logFormat && root.spec.logFormat !== 'logfmt' ? [`--log-format=${root.spec.logFormat}`] : []),
    ...(root.spec.logLevel && root.spec.logLevel !== 'info' ? [`--log-level=${root.spec.logLevel}`] : []),
  ];
  const scheme = web.isOn ? 'https' : 'http';
  const prefix = routePrefix(root).replace(/\/$/, '');
  return {
    init: {
      name: 'init-config-reloader',
      ...shape,
      args: ['--watch-interval=0', '--listen-address=:8081', ...files, ...logs],
      ports: [{ name: 'reloader-init', containerPort: 8081, protocol: 'TCP' }],
      volumeMounts: mounts,
    },
    sidecar: {
      name: 'config-reloader',
      ...shape,
      args: [
        '--listen-address=:8080',
        ...(hasWeb ? [`--web-config-file=${webConfigFile}`] : []),
        `--reload-url=${scheme}://localhost:${webPort}${prefix}/-/reload`,
        ...files,
        ...logs,
      ],
      ports: [{ name: 'reloader-web', containerPort: 8080, protocol: 'TCP' }],
      volumeMounts: [...mounts, ...(hasWeb ? [webConfigMount, ...web.mounts] : [])],
    },
  };
}
