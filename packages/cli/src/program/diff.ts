import type { Command } from 'commander';
import type { Context } from './context.ts';
import { outputOption, type ScopeFlags, scopeOptions } from './options.ts';

/** `signalbox diff`. */
export function addDiff(program: Command, { io, finish }: Context): void {
  const [labels, agentSelector] = scopeOptions();
  program
    .command('diff')
    .description('say what this operator would change in a cluster as it stands: before a take-over or an upgrade')
    .option(
      '-f, --file <path...>',
      'what a cluster holds (kubectl get -o yaml) instead of a cluster: a file, a folder, or -; may be repeated',
    )
    .option(
      '-n, --namespace <name...>',
      'tell of these namespaces of the cluster only; may be repeated. With -f: where that is which names none (default: "default")',
    )
    .option(
      '--kubeconfig <file>',
      'how to reach the cluster (default: KUBECONFIG, then what "up" wrote here, then as kubectl)',
    )
    .option('--context <name>', 'context of the kubeconfig (default: its current one)')
    .addOption(labels)
    .addOption(agentSelector)
    .addOption(outputOption())
    .addHelpText('after', help)
    .action(async (flags: DiffFlags) => {
      const { diff } = await import('../commands/diff.ts');
      const {
        file = [],
        namespace: namespaces = [],
        kubeconfig,
        context,
        labels: given,
        agentSelector: selected,
        output,
      } = flags;
      const scope = { labels: given, agentSelector: selected };
      finish(await diff({ file, namespaces, kubeconfig, context, ...scope, output }, io));
    });
}

interface DiffFlags extends ScopeFlags {
  readonly file?: readonly string[];
  readonly namespace?: readonly string[];
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly output: 'text' | 'json';
}

const help = `
Examples:
  signalbox diff --kubeconfig ~/.kube/config       what a take-over from another operator, or an upgrade, would come to
  signalbox diff -o json | jq -e '[.workloads[] | select(.effect != "keeps")] == []'    do all pods stay as they are?
  signalbox diff -n team-a -n team-b               of two namespaces only
  signalbox diff -f cluster.yaml                   the same from what "kubectl get -A -o yaml KIND,KIND…" has printed

Give the --labels and --agent-selector that the operator has, or will have: they are part of what it makes.
Objects that this operator would create, change (field by field) and delete; workloads whose pods start, stop or
restart, and the field of their template that is the cause; the configurations as a unified diff, with sorted fields
where another operator has written them in an order of its own; the targets that are gained, lost or move.
What came from a Secret is never shown. Nothing is written. What edits of yours would come to, signalbox plan says.

Exit codes: 0 nothing would change; 1 the cluster cannot be reached, or a file cannot be read; 2 wrong usage;
3 something would change.`;
