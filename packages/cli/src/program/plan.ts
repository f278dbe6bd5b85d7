import { type Command, InvalidArgumentError } from 'commander';
import type { NamedScale } from '../commands/plan.ts';
import type { Context } from './context.ts';
import { outputOption } from './options.ts';

/** `signalbox plan`. */
export function addPlan(program: Command, { io, finish }: Context): void {
  program
    .command('plan')
    .description('say what would come of edits, before anything happens: objects, restarts, configurations, targets')
    .option('-f, --file <path...>', 'manifests to apply: a file, a folder, or - for standard input; may be repeated')
    .option('--scale <root=shards>', 'shards of a root, such as prometheus/main=4; may be repeated', parseScale, [])
    .option('--against <path...>', 'manifests instead of a cluster: what -f would take the place of')
    .option('-n, --namespace <name>', 'of what names none (default: that of the context, or "default")')
    .option(
      '--kubeconfig <file>',
      'how to reach the cluster (default: KUBECONFIG, then what "up" wrote here, then as kubectl)',
    )
    .option('--context <name>', 'context of the kubeconfig (default: its current one)')
    .addOption(outputOption())
    .addHelpText('after', help)
    .action(async (flags: PlanFlags) => {
      const { plan } = await import('../commands/plan.ts');
      const { file = [], scale, against, namespace, kubeconfig, context, output } = flags;
      finish(await plan({ file, scales: scale, against, namespace, kubeconfig, context, output }, io));
    });
}

interface PlanFlags {
  readonly file?: readonly string[];
  readonly scale: readonly NamedScale[];
  readonly against?: readonly string[];
  readonly namespace?: string;
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly output: 'text' | 'json';
}

const shardsMax = 10_000;

/** As kubectl spells them; what they are is known where the command is. */
const scalable = /^(prometheus(es)?|prometheusagents?|grafanaagents?)$/i;

function parseScale(text: string, before: readonly NamedScale[]): readonly NamedScale[] {
  const [, kind = '', name = '', count = ''] = /^([^/=]+)\/([^/=]+)=(\d+)$/.exec(text) ?? [];
  const shards = Number(count);
  if (!scalable.test(kind) || shards > shardsMax)
    throw new InvalidArgumentError(
      'It must be kind/name=shards, such as prometheus/main=4, with one of prometheus, prometheusagent, grafanaagent.',
    );
  return [...before, { kind: kind.toLowerCase(), name, shards }];
}

const help = `
Examples:
  signalbox plan -f monitoring/                             what "kubectl apply -f monitoring/" would come to
  signalbox plan --scale prometheus/main=4 -n monitoring    a shard more, and how targets are handed over
  signalbox plan -f new/ --against old/                     one folder in place of another, without a cluster
  signalbox plan -f monitoring/ -o json | jq '.workloads[] | select(.effect == "restarts")'
  git show main:root.yaml | signalbox plan -f - --against root.yaml; [ $? -ne 3 ] || echo "it changes something"

First come the edits themselves, then what the operator makes of them: objects that are created, changed and deleted,
workloads whose pods start, stop or restart, and the field of their template that is the cause; the configurations as a
unified diff; the targets that are gained, lost or move, as far as Pods and Services to discover are known.
What came from a Secret is never shown. Nothing is written: the operator's own code is run on a copy of
what is there, with pods that are ready at once, until it has nothing left to do, so a hand-over is told with its steps.
Like kubectl apply, -f deletes nothing; with --against, what is only in the old folder is gone.
Examples with what comes out, and how to use it in CI: docs/plan.md

Exit codes: 0 nothing would change; 1 the cluster cannot be reached, or a manifest cannot be read or would be refused;
2 wrong usage; 3 something would change.`;
