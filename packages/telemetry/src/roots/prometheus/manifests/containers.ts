import { posix } from 'node:path';
import type { Container, Probe, VolumeMount } from '@signalbox/cluster';
import { given } from '../../../scrape/given.ts';
import type { PrometheusRoot } from '../config/document.ts';
import { configOutFolder, envsubstFile, reloadsBySignal, routePrefix, webConfigFile } from './arguments.ts';
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
  readonly env: NonNullable<Container['env']>;
  /** Of the data and of what the root wants besides. */
  readonly mounts: readonly VolumeMount[];
  readonly web: WebTls;
}

export function prometheusContainer(
  root: PrometheusRoot,
  { image, args, env, mounts, web }: PrometheusParts,
): Container {
  const { spec } = root;
  return {
    name: 'prometheus',
    image,
    ...given({ imagePullPolicy: spec.imagePullPolicy }),
    args,
    ...given({ env }),
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
  const full = underPrefix(root, path);
  if (root.spec.listenLocal !== true)
    return { httpGet: { path: full, port: portName(root), ...(web.isOn && { scheme: 'HTTPS' }) } };
  return { exec: { command: ['sh', '-c', askFromWithin(`http://localhost:${webPort}${full}`)] } };
}

/** With whichever program the image has; letter by letter upstream's, or every pod restarts when it is taken over. */
function askFromWithin(url: string): string {
  const ifThere = (program: string, command: string): string =>
    `if [ -x "$(command -v ${program})" ]; then exec ${command} ${url}; `;
  return `${ifThere('curl', 'curl --fail')}el${ifThere('wget', 'wget -q -O /dev/null')}else exit 1; fi`;
}

function underPrefix(root: PrometheusRoot, path: string): string {
  return posix.normalize(`${routePrefix(root)}${path}`);
}

export interface ReloaderParts {
  readonly shard: number;
  readonly web: WebTls;
  /** Where what it has to watch besides the configuration is mounted. */
  readonly rules: readonly VolumeMount[];
  readonly options: PrometheusOptions;
}

/** Renders the configuration for its pod: once before Prometheus starts, then on every change, with a reload. */
export function reloaderContainers(
  root: PrometheusRoot,
  parts: ReloaderParts,
): { readonly init: Container; readonly sidecar: Container } {
  const { web } = root.spec;
  const shape = reloaderShape(root, parts);
  const reads = reloaderArguments(root, parts.rules);
  const bySignal = reloadsBySignal(root);
  // Upstream never closed the port of a reloader that sends signals.
  const isClosed = root.spec.listenLocal === true && !bySignal;
  const server = `${parts.web.isOn ? 'https' : 'http'}://localhost:${webPort}`;
  return {
    init: {
      name: 'init-config-reloader',
      ...shape,
      args: ['--watch-interval=0', '--listen-address=:8081', ...reads],
      ports: [{ name: 'reloader-init', containerPort: 8081, protocol: 'TCP' }],
    },
    sidecar: {
      name: 'config-reloader',
      ...shape,
      args: [
        `--listen-address=${isClosed ? 'localhost' : ''}:8080`,
        ...(web !== undefined ? [`--web-config-file=${webConfigFile}`] : []),
        ...(bySignal
          ? ['--reload-method=signal', `--runtimeinfo-url=${server}${underPrefix(root, '/api/v1/status/runtimeinfo')}`]
          : [`--reload-url=${server}${underPrefix(root, '/-/reload')}`]),
        ...reads,
      ],
      ...(!isClosed && { ports: [{ name: 'reloader-web', containerPort: 8080, protocol: 'TCP' }] }),
    },
  };
}

function reloaderArguments({ spec }: PrometheusRoot, rules: readonly VolumeMount[]): readonly string[] {
  return [
    `--config-file=${configFolder}/prometheus.yaml.gz`,
    `--config-envsubst-file=${envsubstFile}`,
    ...rules.map(({ mountPath }) => `--watched-dir=${mountPath}`),
    `--watched-dir=${configFolder}`,
    ...(spec.logLevel && spec.logLevel !== 'info' ? [`--log-level=${spec.logLevel}`] : []),
    ...(spec.logFormat && spec.logFormat !== 'logfmt' ? [`--log-format=${spec.logFormat}`] : []),
  ];
}

/** What both have in common, the mounts among it: also the first one, which serves nothing, gets the web server's files. */
function reloaderShape(
  { spec }: PrometheusRoot,
  { shard, web, rules, options }: ReloaderParts,
): Omit<Container, 'name'> {
  return {
    image: options.configReloaderImage,
    ...given({ imagePullPolicy: spec.imagePullPolicy }),
    command: ['/bin/prometheus-config-reloader'],
    env: [
      { name: 'POD_NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
      { name: 'SHARD', value: String(shard) },
    ],
    resources: { limits: { cpu: '10m', memory: '50Mi' }, requests: { cpu: '10m', memory: '50Mi' } },
    volumeMounts: [
      { name: 'config', mountPath: configFolder },
      { name: 'config-out', mountPath: configOutFolder },
      ...(spec.web !== undefined ? [webConfigMount, ...web.mounts] : []),
      ...rules,
    ],
    securityContext,
    terminationMessagePolicy: 'FallbackToLogsOnError',
  };
}
