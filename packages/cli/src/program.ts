import { Command, CommanderError, Option } from 'commander';
import { oneLine } from './io/errors.ts';
import { colorsFor, type Io, writeLine } from './io/io.ts';
import { describeVersion } from './io/version.ts';
import { addAdapter } from './program/adapter.ts';
import { addClock } from './program/clock.ts';
import { addCompletion } from './program/completion.ts';
import type { Context, Finish } from './program/context.ts';
import { addDataCommands } from './program/data.ts';
import { addDiff } from './program/diff.ts';
import { addDown } from './program/down.ts';
import { addExplain } from './program/explain.ts';
import { addNode } from './program/node.ts';
import { addOperator } from './program/operator.ts';
import { addPlan } from './program/plan.ts';
import { addReloader } from './program/reloader.ts';
import { addRender } from './program/render.ts';
import { addStatus } from './program/status.ts';
import { addTestAssets } from './program/test-assets.ts';
import { addTree } from './program/tree.ts';
import { addUp } from './program/up.ts';

/** The commands in the order of `--help`; each file says what its command takes and what it says about itself. */
const commands: readonly ((program: Command, context: Context) => void)[] = [
  addUp,
  addStatus,
  addDown,
  addRender,
  addOperator,
  addAdapter,
  addNode,
  addTree,
  addExplain,
  addPlan,
  addDiff,
  addDataCommands,
  addClock,
  addTestAssets,
  addReloader,
];

/**
 * The command line as a value: which commands there are, what they take, what they say about themselves. What a command
 * does is loaded when it is called, so that `--help` does not wait for it.
 */
export function createProgram(io: Io, finish: Finish): Command {
  const program = createCommands({ io, finish });
  addCompletion(program, { io, finish, listed: () => createCommands({ io, finish }) });
  for (const command of program.commands)
    command.configureOutput({ outputError: (text, write) => write(`${usageError(text, { io, command })}\n`) });
  return program;
}

/** Everything but completion, which is made from it. */
function createCommands(context: Context): Command {
  const { io } = context;
  const described = describeVersion(io.nodeVersion);
  const program = new Command('signalbox')
    .description(
      'The control point for a cluster’s telemetry: log agents on every node, metrics agents on every shard.',
    )
    .version(described, '-v, --version', 'print the version, with that of Node.js and the commit it was built from')
    .helpOption('-h, --help', 'explain a command')
    .helpCommand('help [command]', 'explain a command')
    .exitOverride()
    .showSuggestionAfterError(true)
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      writeErr: (text) => io.stderr.write(text),
      outputError: (text, write) => write(`${usageError(text, { io })}\n`),
      getOutHasColors: () => colorsFor(io.stdout, io).isColorSupported,
      getErrHasColors: () => colorsFor(io.stderr, io).isColorSupported,
      ...(io.stdout.columns !== undefined && { getOutHelpWidth: () => io.stdout.columns ?? 80 }),
    })
    .addHelpText('after', help);
  // What commander calls it unless it is told otherwise.
  program.addOption(new Option('-V').hideHelp()).on('option:V', () => {
    writeLine(io.stdout, described);
    throw new CommanderError(0, 'commander.version', described);
  });
  for (const add of commands) add(program, context);
  return program;
}

/** Commander's words on one line, with the suggestion in it and the way to the help that explains. */
function usageError(text: string, { io, command }: { readonly io: Io; readonly command?: Command }): string {
  const line = oneLine(text)
    .replace(/^error: /, '')
    .replace(/\.$/, '');
  const named = command === undefined ? 'signalbox' : `signalbox ${command.name()}`;
  return `${colorsFor(io.stderr, io).red('error:')} ${line}; see ${named} --help`;
}

const help = `
Examples:
  signalbox up -f examples/quickstart       a cluster with agents on every node and shard
  signalbox up --real -f examples/real      the same with real agents: pods are processes of this machine
  signalbox up --detach                     the same in the background; then: signalbox status, signalbox down
  signalbox render -f monitoring/ --configs  the agents' configurations, without a cluster
  signalbox operator --install-crds         the operator on the cluster that kubectl talks to
  signalbox tree                            what belongs to what, and how it is
  signalbox explain daemonset agent         where it runs and where not, and why
  signalbox explain servicemonitor web      why it is scraped, or why not
  signalbox plan -f monitoring/             what would come of it, before anything happens
  signalbox diff                            what this operator would change: before a take-over or an upgrade
  signalbox backup monday.backup            the running cluster in a file
  signalbox test-assets                     what KUBEBUILDER_ASSETS names, for tests that use envtest

Exit codes: 0 done, 1 it failed, 2 wrong usage.
Colours are used on a terminal only, and not when NO_COLOR is set.`;
