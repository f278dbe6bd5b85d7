import { durationMs } from '@signalbox/cluster/base';
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { ListenAddress } from '../io/listen-address.ts';
import type { LogOptions } from '../io/log.ts';
import type { Context } from './context.ts';
import { logOptions, parseListenAddress } from './options.ts';

/** `signalbox adapter`. */
export function addAdapter(program: Command, { io, finish }: Context): void {
  const [level, form] = logOptions();
  const command = program
    .command('adapter')
    .description('serve custom and external metrics to autoscalers, on any Kubernetes cluster')
    .option('--kubeconfig <file>', 'how to reach the cluster (default: as kubectl, then the pod’s service account)')
    .option('--context <name>', 'context of the kubeconfig (default: its current one)')
    .addOption(
      new Option('--listen <host:port>', 'where to serve')
        .argParser(parseListenAddress)
        .default({ host: '127.0.0.1', port: 6444 }, '127.0.0.1:6444'),
    )
    .option('--tls-cert-file <file>', 'what it shows there (default: a certificate signed by nobody)')
    .option('--tls-private-key-file <file>', 'the key of it')
    .option('--rules <file...>', 'rules that hold in all namespaces; may be repeated')
    .addOption(
      new Option('--interval <duration>', 'between two readings of a pod’s metrics')
        .argParser(parseInterval)
        .default(15_000, '15s'),
    )
    .option('--prometheus-url <url>', 'the server that answers rules with a query', parseUrl)
    .option('--prometheus-token-file <file>', 'bearer token for it')
    .option('--prometheus-ca-file <file>', 'authority of its certificate (default: those of the machine)')
    .addOption(level)
    .addOption(form)
    .addHelpText('after', help)
    .action(async (flags: AdapterFlags) => {
      const { tlsCertFile, tlsPrivateKeyFile, prometheusUrl, prometheusTokenFile, prometheusCaFile, ...rest } = flags;
      if ((tlsCertFile === undefined) !== (tlsPrivateKeyFile === undefined))
        command.error('error: --tls-cert-file and --tls-private-key-file go together', { exitCode: 2 });
      if (prometheusUrl === undefined && (prometheusTokenFile ?? prometheusCaFile) !== undefined)
        command.error('error: --prometheus-token-file and --prometheus-ca-file need --prometheus-url', { exitCode: 2 });
      const { kubeconfig, context, listen, rules = [], interval, logLevel, logFormat } = rest;
      const prometheus =
        prometheusUrl === undefined
          ? undefined
          : { url: prometheusUrl, tokenFile: prometheusTokenFile, caFile: prometheusCaFile };
      const wanted = { kubeconfig, context, listen, rules, intervalMs: interval, prometheus, logLevel, logFormat };
      const { adapter } = await import('../commands/adapter.ts');
      finish(await adapter({ ...wanted, tlsCertFile, tlsPrivateKeyFile }, io));
    });
}

function parseInterval(text: string): number {
  const ms = durationMs(text);
  if (ms === undefined || ms < 1_000)
    throw new InvalidArgumentError('It must be a duration of at least 1s, such as 15s.');
  return ms;
}

function parseUrl(text: string): string {
  if (!/^https?:\/\//.test(text) || !URL.canParse(text))
    throw new InvalidArgumentError('It must be a URL such as http://prometheus.monitoring:9090.');
  return text;
}

interface AdapterFlags extends LogOptions {
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly listen: ListenAddress;
  readonly tlsCertFile?: string;
  readonly tlsPrivateKeyFile?: string;
  readonly rules?: readonly string[];
  readonly interval: number;
  readonly prometheusUrl?: string;
  readonly prometheusTokenFile?: string;
  readonly prometheusCaFile?: string;
}

const help = `
Examples:
  signalbox adapter --kubeconfig ~/.kube/config --listen 0.0.0.0:6443   for a cluster that reaches this machine
  signalbox adapter --prometheus-url http://thanos-query:9090           with rules that are PromQL
  signalbox adapter --rules rules.yaml                                  with rules for all namespaces

"signalbox up" has it in itself. Without any rules there are the rates a second, over five minutes, of the samples
that agents take in and answer: prometheus_agent_samples_appended_total, prometheus_engine_query_samples_total and
prometheus_tsdb_head_samples_appended_total. More are written into ConfigMaps with the label
signalbox.dev/metric-rules, or into an annotation of that name on a HorizontalPodAutoscaler, and hold in its
namespace: docs/metrics-adapter.md, which also has the manifests for a cluster.
Exit codes: 0 stopped by the user; 1 it failed; 2 wrong usage.`;
