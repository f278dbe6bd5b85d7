import type { KubeletServiceName } from '@signalbox/telemetry';
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { LogOptions } from '../io/log.ts';
import type { Context } from './context.ts';
import { logOptions, type ScopeFlags, scopeOptions } from './options.ts';

/** `signalbox operator`. */
export function addOperator(program: Command, { io, finish }: Context): void {
  const [level, form] = logOptions();
  const [labels, agentSelector] = scopeOptions();
  program
    .command('operator')
    .description('run the operator alone, against any Kubernetes cluster')
    .option('--kubeconfig <file>', 'how to reach the cluster (default: as kubectl, then the pod’s service account)')
    .option('--context <name>', 'context of the kubeconfig (default: its current one)')
    .option('--namespace <ns...>', 'look after these namespaces only; may be repeated (default: all)')
    .option('--install-crds', 'create or update the custom resource definitions first')
    .addOption(new Option('--dry-run', 'log what it would do; write nothing, take no lease').conflicts('installCrds'))
    .option('--lease-namespace <ns>', 'namespace of the lease that keeps two operators apart', 'kube-system')
    .addOption(labels)
    .addOption(agentSelector)
    .option('--kubelet-service <ns/name>', 'keep a Service with the addresses of all kubelets', parsePlace)
    .addOption(level)
    .addOption(form)
    .addHelpText('after', help)
    .action(async (flags: OperatorFlags) => {
      const { operator } = await import('../commands/operator.ts');
      const { kubeconfig, context, namespace = [], installCrds, dryRun, leaseNamespace, ...rest } = flags;
      const { labels, agentSelector, kubeletService, logLevel, logFormat } = rest;
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
      };
      finish(await operator({ ...wanted, installCrds: installCrds === true, dryRun: dryRun === true }, io));
    });
}

function parsePlace(text: string): KubeletServiceName {
  const [namespace = '', name = '', ...rest] = text.split('/');
  if (namespace === '' || name === '' || rest.length > 0)
    throw new InvalidArgumentError('It must be a namespace and a name, such as default/kubelet.');
  return { namespace, name };
}

interface OperatorFlags extends LogOptions, ScopeFlags {
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly namespace?: readonly string[];
  readonly installCrds?: true;
  readonly dryRun?: true;
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
  signalbox operator --kubelet-service default/kubelet       for ServiceMonitors that scrape kubelets

Of several operators on one cluster one works and the others wait: they agree through the Lease "signalbox-operator".
The log goes to standard error, with --log-format json as one object a line (level, time, component, message, error).
The first Ctrl-C (or SIGTERM) stops in order and gives the lease back.
Exit codes: 0 stopped by the user; 1 it failed; 2 wrong usage.`;
