import type { Command } from 'commander';
import type { Context } from './context.ts';
import { outputOption } from './options.ts';

/** `signalbox tree`. */
export function addTree(program: Command, { io, finish }: Context): void {
  program
    .command('tree')
    .description('show the roots of a running cluster: instances, monitors, workloads, pods, conditions')
    .option('--kubeconfig <file>', 'how to reach the cluster (default: .signalbox/kubeconfig, then as kubectl)')
    .option('--context <name>', 'context of the kubeconfig (default: its current one)')
    .addOption(outputOption())
    .addHelpText('after', help)
    .action(async ({ kubeconfig, context, output }: TreeFlags) => {
      const { tree } = await import('../commands/tree.ts');
      finish(await tree({ kubeconfig, context, output }, io));
    });
}

interface TreeFlags {
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly output: 'text' | 'json';
}

const help = `
Examples:
  signalbox tree                                   the cluster that "signalbox up" runs from this folder
  signalbox tree --context production              a cluster of your kubeconfig
  signalbox tree -o json | jq '.[].conditions'

✓ ready, … not ready yet, ✗ something is wrong; the reasons stand under each object.
Exit codes: 0 done; 1 the cluster cannot be reached or refuses; 2 wrong usage.`;
