import type { Command } from 'commander';
import type { Context } from './context.ts';
import { outputOption } from './options.ts';

/** `signalbox explain`. */
export function addExplain(program: Command, { io, finish }: Context): void {
  program
    .command('explain')
    .description(
      'say why something runs, waits or does not go, on which nodes and by which rule; or why it is scraped, or is not',
    )
    .argument(
      '<what>',
      'cronjob, daemonset, deployment, job, node, persistentvolumeclaim, pod, replicaset, replicationcontroller, statefulset; servicemonitor, podmonitor, probe, scrapeconfig, podlogs, target; or kind/name',
    )
    .argument('[name]', 'its name; of a target its address, or labels such as pod=web-1,namespace=shop')
    .option('-n, --namespace <name>', 'its namespace (default: that of the context, or "default")')
    .option(
      '--node <name>',
      'of a daemonset or a pod: only what is to be said of this node; of a pod that runs elsewhere, whether it would take it',
    )
    .option(
      '--scheduler-config <file>',
      'of what runs: by which rules the scheduler decides, a KubeSchedulerConfiguration (default: what the cluster says, else the default ones)',
    )
    .option('-f, --file <path...>', 'manifests instead of a cluster: a file, a folder, or - for standard input')
    .option(
      '--kubeconfig <file>',
      'how to reach the cluster (default: KUBECONFIG, then what "up" wrote here, then as kubectl)',
    )
    .option('--context <name>', 'context of the kubeconfig (default: its current one)')
    .addOption(outputOption())
    .addHelpText('after', help)
    .action(async (what: string, name: string | undefined, flags: ExplainFlags) => {
      const { explain } = await import('../commands/explain.ts');
      const { namespace, node, schedulerConfig, file, kubeconfig, context, output } = flags;
      finish(await explain({ what, name, namespace, node, schedulerConfig, file, kubeconfig, context, output }, io));
    });
}

interface ExplainFlags {
  readonly namespace?: string;
  readonly node?: string;
  readonly schedulerConfig?: string;
  readonly file?: readonly string[];
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly output: 'text' | 'json';
}

const help = `
Examples:
  signalbox explain daemonset agent -n monitoring               where it runs and where not, and why
  signalbox explain daemonset agent --node node-7               of one node
  signalbox explain pod checkout-0 -n shop                      every rule that keeps it from nodes; why it is not ready
  signalbox explain deployment web -n shop                      why a rollout waits; statefulset, job, rs, rc alike
  signalbox explain cronjob report -n shop                      when it comes due, or why it starts nothing
  signalbox explain pvc data-db-0 -n shop                       why it has no volume, or does not go
  signalbox explain node node-7                                 what is wrong with it, and which pods a drain leaves
  signalbox explain servicemonitor checkout -n shop             in the cluster that kubectl talks to
  signalbox explain podmonitor/agents -n monitoring -f deploy/  in a folder of manifests
  signalbox explain target 10.0.3.7:8080                        from the other end: who scrapes it, or why nobody does
  signalbox explain target pod=checkout-0 -n shop
  signalbox explain servicemonitor checkout -n shop -o json | jq -r .cause

What runs in a cluster is explained by the rules by which controllers and scheduler decide, from the objects as they are
listed; nothing is written. Each row is a group of nodes or pods of which the same is to be said, and what would have to
change. A cluster of "up" says by which profiles its scheduler decides; of others the default one is assumed, or what
--scheduler-config says. docs/explain.md has the shape of -o json.

Of what is scraped first comes the answer: the cause in one sentence, and what mends it. Then, for every root and
instance, which selector or namespace rule failed, what was left out, and for every target that is found its shard and
labels, or the first rule that dropped it, by number and owner. On a cluster the agents are asked how the target is.
From files, discovery is simulated from the Pods, Services, EndpointSlices, Nodes and Ingresses in them. What a cluster
would add is imagined: one pod for a workload without pods, and the endpoints of Services.
The twenty commonest mistakes: docs/why-not-scraped.md

Exit codes: 0 it is as it should be, or is scraped; 1 there is no such object, or the cluster cannot be reached; 2 wrong
usage; 3 something is waited for, or it is scraped by nobody, or that cannot be foretold.`;
