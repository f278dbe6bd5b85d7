import type { Command } from 'commander';
import type { Context } from './context.ts';
import { outputOption } from './options.ts';

/** `signalbox tree`. */
export function addTree(program: Command, { io, finish }: Context): void {
  program
    .command('tree')
    .description(
      'show the roots of a running cluster: instances, monitors and their targets, workloads, pods, conditions',
    )
    .option(
      '--kubeconfig <file>',
      'how to reach the cluster (default: KUBECONFIG, then what "up" wrote here, then as kubectl)',
    )
    .option('--context <name>', 'context of the kubeconfig (default: its current one)')
    .option('--roots', 'only the roots, without the workloads that belong to none')
    .addOption(outputOption())
    .addHelpText('after', help)
    .action(async ({ kubeconfig, context, roots, output }: TreeFlags) => {
      const { tree } = await import('../commands/tree.ts');
      finish(await tree({ kubeconfig, context, roots: roots === true, output }, io));
    });
}

interface TreeFlags {
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly roots?: true;
  readonly output: 'text' | 'json';
}

const help = `
Examples:
  signalbox tree                                   the cluster that "signalbox up" runs from this folder
  signalbox tree --context production --roots      the telemetry of a cluster of your kubeconfig
  signalbox tree -o json | jq '.[].conditions'

Targets are counted as the rules share them among shards; which agent has one, signalbox explain asks.
After the roots come the workloads that belong to none; an autoscaler stands under what it scales.
Without --kubeconfig the variable KUBECONFIG counts, then what "up" wrote last into .signalbox, then what kubectl
takes. A --context other than "signalbox" is looked up where kubectl does.

✓ ready, … not ready yet, ✗ something is wrong; the reasons stand under each object.
Exit codes: 0 done; 1 the cluster cannot be reached or refuses; 2 wrong usage.`;
