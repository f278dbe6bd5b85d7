import { Command, InvalidArgumentError, Option } from 'commander';
import { parseDuration } from './duration.ts';
import { oneLine } from './errors.ts';
import { completionHelp, operatorHelp, programHelp, renderHelp, treeHelp, upHelp } from './help.ts';
import { colorsFor, type Io } from './io.ts';
import { version } from './version.ts';

/** Called with the exit code of the command that ran. */
export type Finish = (code: number) => void;

/**
 * The command line as a value: which commands there are, what they take, what they say about themselves. What a command
 * does is loaded when it is called, so that `--help` does not wait for it.
 */
export function createProgram(io: Io, finish: Finish): Command {
  const program = createCommands(io, finish);
  addCompletion(program, io, finish);
  return program;
}

/** Everything but completion, which is made from it. */
function createCommands(io: Io, finish: Finish): Command {
  const program = new Command('signalbox')
    .description(
      'The control point for a cluster’s telemetry: log agents on every node, metrics agents on every shard.',
    )
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'explain a command')
    .helpCommand('help [command]', 'explain a command')
    .exitOverride()
    .showSuggestionAfterError(true)
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      writeErr: (text) => io.stderr.write(text),
      outputError: (text, write) => write(`${usageError(text, io)}\n`),
      getOutHasColors: () => colorsFor(io.stdout, io).isColorSupported,
      getErrHasColors: () => colorsFor(io.stderr, io).isColorSupported,
      ...(io.stdout.columns !== undefined && { getOutHelpWidth: () => io.stdout.columns ?? 80 }),
    })
    .addHelpText('after', programHelp);
  addUp(program, io, finish);
  addRender(program, io, finish);
  addOperator(program, io, finish);
  addTree(program, io, finish);
  return program;
}

/** Commander's words on one line, with the suggestion in it. */
function usageError(text: string, io: Io): string {
  const line = oneLine(text)
    .replace(/^error: /, '')
    .replace(/\.$/, '');
  return `${colorsFor(io.stderr, io).red('error:')} ${line}; see signalbox --help`;
}

interface UpFlags {
  readonly file?: readonly string[];
  readonly nodes?: number;
  readonly data?: string;
  readonly memory?: true;
  readonly port: number;
  readonly host: string;
  readonly kubeconfig?: string;
  readonly exitWhenReady?: true;
  readonly operator: boolean;
  readonly timeout: number;
  readonly output: 'text' | 'json';
}

function addUp(program: Command, io: Io, finish: Finish): void {
  program
    .command('up')
    .description('start a cluster in this process, with the operator in it, and apply manifests')
    .option('-f, --file <path...>', 'manifests to apply: a file, a folder, or - for standard input; may be repeated')
    .option('--nodes <n>', 'how many simulated nodes (default: 3; in an existing data folder those it has)', parseNodes)
    .addOption(new Option('--data <dir>', 'folder that keeps the cluster (default: .signalbox)').conflicts('memory'))
    .option('--memory', 'keep the cluster in memory: it ends with the process')
    .option('--port <p>', 'port of the API; 0 takes any free one', parsePort, 6443)
    .option('--host <address>', 'address that the API listens on', '127.0.0.1')
    .option('--kubeconfig <file>', 'where to write the kubeconfig (default: kubeconfig in the data folder)')
    .option('--exit-when-ready', 'stop when everything is ready: 0 if it got there, 1 with the reasons if not')
    .option(
      '--no-operator',
      'leave telemetry resources to an operator in another process; they are served all the same',
    )
    .addOption(
      new Option('--timeout <duration>', 'how long to wait for everything to be ready')
        .argParser(parseTimeout)
        .default(120_000, '2m'),
    )
    .addOption(outputOption())
    .addHelpText('after', upHelp)
    .action(async (flags: UpFlags) => {
      const { up } = await import('./commands/up.ts');
      const { file = [], nodes, memory, data, kubeconfig, exitWhenReady, timeout, ...rest } = flags;
      const folder = memory === true ? undefined : (data ?? '.signalbox');
      const wanted = {
        file,
        nodes,
        data: folder,
        kubeconfig,
        exitWhenReady: exitWhenReady === true,
        timeoutMs: timeout,
      };
      finish(await up({ ...rest, ...wanted }, io));
    });
}

interface RenderFlags {
  readonly file: readonly string[];
  readonly configs?: true;
  readonly output: string;
  readonly strict?: true;
}

function addRender(program: Command, io: Io, finish: Finish): void {
  program
    .command('render')
    .description('show what the operator would make of manifests, without any cluster')
    .requiredOption('-f, --file <path...>', 'manifests: a file, a folder, or - for standard input; may be repeated')
    .option('--configs', 'only the configurations of the agents')
    .option('-o, --output <form>', 'yaml, json, or a folder to write files to', 'yaml')
    .option('--strict', 'fail when a resource is left out because of an error in it')
    .addHelpText('after', renderHelp)
    .action(async ({ file, output, configs, strict }: RenderFlags) => {
      const { render } = await import('./commands/render.ts');
      finish(await render({ file, output, configs: configs === true, strict: strict === true }, io));
    });
}

interface OperatorFlags {
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly namespace?: readonly string[];
  readonly installCrds?: true;
  readonly leaseNamespace: string;
}

function addOperator(program: Command, io: Io, finish: Finish): void {
  program
    .command('operator')
    .description('run the operator alone, against any Kubernetes cluster')
    .option('--kubeconfig <file>', 'how to reach the cluster (default: as kubectl, then the pod’s service account)')
    .option('--context <name>', 'context of the kubeconfig (default: its current one)')
    .option('--namespace <ns...>', 'look after these namespaces only; may be repeated (default: all)')
    .option('--install-crds', 'create or update the custom resource definitions first')
    .option('--lease-namespace <ns>', 'namespace of the lease that keeps two operators apart', 'kube-system')
    .addHelpText('after', operatorHelp)
    .action(async ({ kubeconfig, context, namespace = [], installCrds, leaseNamespace }: OperatorFlags) => {
      const { operator } = await import('./commands/operator.ts');
      const wanted = { kubeconfig, context, namespaces: namespace, leaseNamespace };
      finish(await operator({ ...wanted, installCrds: installCrds === true }, io));
    });
}

interface TreeFlags {
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly output: 'text' | 'json';
}

function addTree(program: Command, io: Io, finish: Finish): void {
  program
    .command('tree')
    .description('show the roots of a running cluster: instances, monitors, workloads, pods, conditions')
    .option('--kubeconfig <file>', 'how to reach the cluster (default: .signalbox/kubeconfig, then as kubectl)')
    .option('--context <name>', 'context of the kubeconfig (default: its current one)')
    .addOption(outputOption())
    .addHelpText('after', treeHelp)
    .action(async ({ kubeconfig, context, output }: TreeFlags) => {
      const { tree } = await import('./commands/tree.ts');
      finish(await tree({ kubeconfig, context, output }, io));
    });
}

function addCompletion(program: Command, io: Io, finish: Finish): void {
  program
    .command('completion')
    .description('print the script that completes commands and options in a shell')
    .addArgument(program.createArgument('<shell>', 'the shell').choices(['bash', 'zsh', 'fish', 'powershell']))
    .addHelpText('after', completionHelp)
    .action(async (shell: 'bash' | 'zsh' | 'fish' | 'powershell') => {
      const { completionScript } = await import('./commands/completion.ts');
      io.stdout.write(completionScript(shell));
      finish(0);
    });
  // What the script calls at each press of the key: `signalbox complete -- up --no`.
  program
    .command('complete', { hidden: true })
    .argument('[words...]')
    .action(async (words: readonly string[]) => {
      const { completions } = await import('./commands/completion.ts');
      io.stdout.write(completions(createCommands(io, finish), words));
      finish(0);
    });
}

function outputOption(): Option {
  return new Option('-o, --output <form>', 'how to print the result').choices(['text', 'json']).default('text');
}

const nodesMax = 100_000;

function parseNodes(text: string): number {
  const nodes = wholeNumber(text);
  if (nodes === undefined || nodes > nodesMax)
    throw new InvalidArgumentError(`It must be a whole number from 0 to ${nodesMax}, e.g. --nodes 5.`);
  return nodes;
}

function parsePort(text: string): number {
  const port = wholeNumber(text);
  if (port === undefined || port > 65_535)
    throw new InvalidArgumentError('It must be a whole number from 0 to 65535; 0 takes any free one.');
  return port;
}

function wholeNumber(text: string): number | undefined {
  return /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}

function parseTimeout(text: string): number {
  const timeoutMs = parseDuration(text);
  if (timeoutMs === undefined) throw new InvalidArgumentError('It must be a duration such as 90s, 2m or 1h.');
  return timeoutMs;
}
