/** Images that are programs, and what else their real images say: entry point, arguments, user, working directory. */

export interface KnownImage {
  /** As in rules; the first entry with one that matches counts. */
  readonly patterns: readonly string[];
  /** Looked for on PATH in this order. `signalbox reloader` is ours. */
  readonly programs: readonly string[];
  /** What stands between the program and the arguments. */
  readonly leading?: readonly string[];
  readonly cmd?: readonly string[];
  readonly user?: string;
  readonly workingDir?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** The image has no entry point: its arguments begin with the program, which `cmd` names. */
  readonly isBare?: boolean;
  /** What it takes at least, where its limits were chosen for a smaller program. */
  readonly cpuMilliLeast?: number;
  readonly memoryBytesLeast?: number;
  /** How to get it. */
  readonly mend: string;
}

/** Stands for the config reloader of this very program. */
export const ownReloader = 'signalbox reloader';

const debian = (name: string): string => `apt-get install ${name}`;
const from = (url: string): string => `get it from ${url} and put it on PATH`;

export const knownImages: readonly KnownImage[] = [
  {
    patterns: ['prometheus-config-reloader', 'configmap-reload', 'config-reloader', 'agent-operator-reloader'],
    programs: [ownReloader],
    user: '65534',
    // The operators give theirs a hundredth of a core and 50 MiB; ours would take ten seconds to start with that, and be killed.
    cpuMilliLeast: 500,
    memoryBytesLeast: 160 * 1024 * 1024,
    mend: 'it is part of signalbox',
  },
  {
    patterns: ['prometheus'],
    programs: ['prometheus'],
    cmd: ['--config.file=/etc/prometheus/prometheus.yml', '--storage.tsdb.path=/prometheus'],
    user: 'nobody',
    workingDir: '/prometheus',
    mend: from('https://prometheus.io/download'),
  },
  {
    patterns: ['vmagent'],
    programs: ['vmagent-prod', 'vmagent'],
    mend: debian('victoria-metrics'),
  },
  {
    patterns: ['grafana/agent', 'grafana-agent'],
    programs: ['grafana-agent', 'agent'],
    cmd: ['--config.file=/etc/agent/agent.yaml', '--metrics.wal-directory=/etc/agent/data'],
    env: { AGENT_DEPLOY_MODE: 'docker' },
    mend: from('https://github.com/grafana/agent/releases'),
  },
  {
    patterns: ['grafana/alloy', 'alloy'],
    programs: ['alloy'],
    cmd: ['run', '/etc/alloy/config.alloy', '--storage.path=/var/lib/alloy/data'],
    env: { ALLOY_DEPLOY_MODE: 'docker' },
    mend: from('https://github.com/grafana/alloy/releases'),
  },
  {
    patterns: ['node-exporter', 'node_exporter'],
    programs: ['node_exporter', 'prometheus-node-exporter'],
    user: 'nobody',
    mend: debian('prometheus-node-exporter'),
  },
  {
    patterns: ['blackbox-exporter', 'blackbox_exporter'],
    programs: ['blackbox_exporter', 'prometheus-blackbox-exporter'],
    cmd: ['--config.file=/etc/blackbox_exporter/config.yml'],
    mend: debian('prometheus-blackbox-exporter'),
  },
  {
    patterns: ['pushgateway'],
    programs: ['pushgateway', 'prometheus-pushgateway'],
    user: '65534',
    workingDir: '/pushgateway',
    mend: debian('prometheus-pushgateway'),
  },
  {
    patterns: ['alertmanager'],
    programs: ['alertmanager', 'prometheus-alertmanager'],
    cmd: ['--config.file=/etc/alertmanager/alertmanager.yml', '--storage.path=/alertmanager'],
    user: 'nobody',
    workingDir: '/alertmanager',
    mend: debian('prometheus-alertmanager'),
  },
  {
    patterns: ['thanos'],
    programs: ['thanos'],
    user: '1001',
    mend: from('https://github.com/thanos-io/thanos/releases'),
  },
  {
    patterns: ['fluent-bit'],
    programs: ['fluent-bit', 'td-agent-bit'],
    cmd: ['-c', '/fluent-bit/etc/fluent-bit.conf'],
    mend: from('https://docs.fluentbit.io'),
  },
  {
    patterns: ['fluentd'],
    programs: ['fluentd'],
    cmd: ['fluentd'],
    isBare: true,
    mend: from('https://www.fluentd.org'),
  },
  {
    patterns: ['nginx'],
    programs: ['nginx'],
    cmd: ['nginx', '-g', 'daemon off;'],
    isBare: true,
    mend: debian('nginx-light'),
  },
  { patterns: ['curl', 'curlimages/curl'], programs: ['curl'], user: '100', mend: debian('curl') },
  { patterns: ['python'], programs: ['python3'], cmd: ['python3'], isBare: true, mend: debian('python3-minimal') },
  { patterns: ['node'], programs: ['node'], cmd: ['node'], isBare: true, mend: from('https://nodejs.org') },
  { patterns: ['bash', 'debian', 'ubuntu'], programs: ['bash'], cmd: ['bash'], isBare: true, mend: debian('bash') },
  { patterns: ['busybox', 'alpine', 'sh', 'dash'], programs: ['sh'], cmd: ['sh'], isBare: true, mend: debian('dash') },
];
