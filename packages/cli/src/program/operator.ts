import type { Command } from 'commander';
import type { Context } from './context.ts';

/** `signalbox operator`. */
export function addOperator(program: Command, { io, finish }: Context): void {
  program
    .command('operator')
    .description('run the operator alone, against any Kubernetes cluster')
    .option('--kubeconfig <file>', 'how to reach the cluster (default: as kubectl, then the pod’s service account)')
    .option('--context <name>', 'context of the kubeconfig (default: its current one)')
    .option('--namespace <ns...>', 'look after these namespaces only; may be repeated (default: all)')
    .option('--install-crds', 'create or update the custom resource definitions first')
    .option('--lease-namespace <ns>', 'namespace of the lease that keeps two operators apart', 'kube-system')
    .addHelpText('after', help)
    .action(async ({ kubeconfig, context, namespace = [], installCrds, leaseNamespace }: OperatorFlags) => {
      const { operator } = await import('../commands/operator.ts');
      const wanted = { kubeconfig, context, namespaces: namespace, leaseNamespace };
      finish(await operator({ ...wanted, installCrds: installCrds === true }, io));
    });
}

interface OperatorFlags {
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly namespace?: readonly string[];
  readonly installCrds?: true;
  readonly leaseNamespace: string;
}

const help = `
Examples:
  signalbox operator --install-crds                          on the cluster that kubectl talks to
  signalbox operator --kubeconfig .signalbox/kubeconfig      on a cluster that "signalbox up" runs
  signalbox operator --namespace team-a --namespace team-b   for two namespaces only
  signalbox operator --context production --lease-namespace monitoring

Of several operators on one cluster one works and the others wait: they agree through the Lease "signalbox-operator".
The log goes to standard error. The first Ctrl-C (or SIGTERM) stops in order and gives the lease back.
Exit codes: 0 stopped by the user; 1 it failed; 2 wrong usage.`;
