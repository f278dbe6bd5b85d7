import type { KubeletServiceName } from '@signalbox/telemetry';
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { WatchingOptions } from '../commands/operator.ts';
import type { ListenAddress } from '../io/listen-address.ts';
import type { LogOptions } from '../io/log.ts';
import type { Context } from './context.ts';
import { logOptions, parseListenAddress, type ScopeFlags, scopeOptions } from './options.ts';

/** `signalbox operator`. */
export function addOperator(program: Command, { io, finish }: Context): void {
  const [level, form] = logOptions();
  const [labels, agentSelector] = scopeOptions();
  const command = program
    .command('operator')
    .description('run the operator alone, against any Kubernetes cluster')
    .option('--kubeconfig <file>', 'how to reach the cluster (default: as kubectl, then the pod’s service account)')
    .option('--context <name>', 'context of the kubeconfig (default: its current one)')
    .option('--namespace <ns...>', 'look after these namespaces only; may be repeated (default: all)', parseNamespaces)
    .option('--install-crds', 'create or update the custom resource definitions first')
    .addOption(new Option('--dry-run', 'log what it would do; write nothing, take no lease').conflicts('installCrds'))
    .option('--once', 'with --dry-run: end when there is nothing left to look at, with 3 if there is something to do')
    .option(
      '--lease-namespace <ns>',
      'namespace of the lease that keeps two operators apart',
      parseNamespace,
      'kube-system',
    )
    .addOption(labels)
    .addOption(agentSelector)
    .option('--kubelet-service <ns/name>', 'keep a Service with the addresses of all kubelets', parsePlace)
    .option('--listen <host:port>', 'serve /metrics, /healthz and /readyz there (default: nowhere)', parseListenAddress)
    .option('--tls-cert-file <file>', 'what it shows there; read again when it changes (default: no TLS)')
    .option('--tls-private-key-file <file>', 'the key of it')
    .option('--metrics-token-file <file>', 'bearer token that /metrics asks for; probes ask for none')
    .addOption(level)
    .addOption(form)
    .addHelpText('after', help)
    .action(async (flags: OperatorFlags) => {
      const { operator } = await import('../commands/operator.ts');
      const { kubeconfig, context, namespace = [], installCrds, dryRun, once, leaseNamespace, ...rest } = flags;
      if (once === true && dryRun !== true) command.error('error: --once needs --dry-run', { exitCode: 2 });
      const { labels, agentSelector, kubeletService, logLevel, logFormat } = rest;
      const watching = watchingOptions(rest, command);
      const wanted = {
        kubeconfig,
        context,
        namespaces: namespace,
        leaseNamespace,
        labels,
        agentSelector,
        kubeletService,
        logLevel,
        logFormat,
        watching,
      };
      const ways = { installCrds: installCrds === true, dryRun: dryRun === true, once: once === true };
      finish(await operator({ ...wanted, ...ways }, io));
    });
}

/** Undefined: it serves nothing. */
function watchingOptions(flags: WatchingFlags, command: Command): WatchingOptions | undefined {
  const { listen, tlsCertFile, tlsPrivateKeyFile, metricsTokenFile } = flags;
  if ((tlsCertFile === undefined) !== (tlsPrivateKeyFile === undefined))
    command.error('error: --tls-cert-file and --tls-private-key-file go together', { exitCode: 2 });
  if (listen !== undefined) return { listen, tlsCertFile, tlsPrivateKeyFile, metricsTokenFile };
  if ((tlsCertFile ?? metricsTokenFile) !== undefined)
    command.error('error: --tls-cert-file and --metrics-token-file need --listen', { exitCode: 2 });
  return undefined;
}

const label = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;

/** Any other would be followed for good, and never be there. */
function parseNamespace(text: string): string {
  if (!label.test(text)) throw new InvalidArgumentError('It must be the name of a namespace, such as team-a.');
  return text;
}

function parseNamespaces(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, parseNamespace(text)];
}

function parsePlace(text: string): KubeletServiceName {
  const [namespace = '', name = '', ...rest] = text.split('/');
  if (namespace === '' || name === '' || rest.length > 0)
    throw new InvalidArgumentError('It must be a namespace and a name, such as default/kubelet.');
  return { namespace, name };
}

interface WatchingFlags {
  readonly listen?: ListenAddress;
  readonly tlsCertFile?: string;
  readonly tlsPrivateKeyFile?: string;
  readonly metricsTokenFile?: string;
}

interface OperatorFlags extends LogOptions, ScopeFlags, WatchingFlags {
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly namespace?: readonly string[];
  readonly installCrds?: true;
  readonly dryRun?: true;
  readonly once?: true;
  readonly leaseNamespace: string;
  readonly kubeletService?: KubeletServiceName;
}

const help = `
Examples:
  signalbox operator --install-crds                          on the cluster that kubectl talks to
  signalbox operator --kubeconfig .signalbox/kubeconfig      on a cluster that "signalbox up" runs
  signalbox operator --namespace team-a --namespace team-b   for two namespaces only
  signalbox operator --context production --lease-namespace monitoring
  signalbox operator --dry-run                               what it would do, in the log; nothing is written
  signalbox operator --dry-run --once                        the same of this moment; 3 if there is something to do
  signalbox operator --kubelet-service default/kubelet       for ServiceMonitors that scrape kubelets
  signalbox operator --listen :8080                          with metrics and probes: docs/operating.md

Of several operators on one cluster one works and the others wait: they agree through the Lease "signalbox-operator".
The log goes to standard error, with --log-format json as one object a line (level, time, component, message, error).
The first Ctrl-C (or SIGTERM) stops in order and gives the lease back.
Exit codes: 0 stopped by the user, or nothing to do (--once); 1 it failed; 2 wrong usage; 3 something to do (--once).`;
