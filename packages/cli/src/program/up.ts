import { type Advertised, isLeftPart, type LeftPart, planeParts } from '@signalbox/cluster';
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { UpOptions } from '../commands/up.ts';
import { absolute } from '../io/io.ts';
import type { LogOptions } from '../io/log.ts';
import { defaultMemoryLimitBytes } from '../io/memory-size.ts';
import { isCertificateName, parseAdvertised } from '../up/reach.ts';
import { type AccessFlags, accessOptions, accessTerms } from './access-options.ts';
import type { Context } from './context.ts';
import { type NodeFlags, nodeOptions, toNodeTerms } from './node-options.ts';
import { logOptions, outputOption, parseMemoryLimit, parseNodes, parsePort, parseTimeout } from './options.ts';

/** `signalbox up`. */
export function addUp(program: Command, { io, finish }: Context): void {
  const [logLevel, logFormat] = logOptions();
  const command = program
    .command('up')
    .description('start a cluster in this process, with the operator in it, and apply manifests')
    .option('-f, --file <path...>', 'manifests to apply: a file, a folder, or - for standard input; may be repeated')
    .option('--nodes <n>', 'how many simulated nodes (default: 3; in an existing data folder those it has)', parseNodes)
    .addOption(new Option('--data <dir>', 'folder that keeps the cluster (default: .signalbox)').conflicts('memory'))
    .option('--memory', 'keep the cluster in memory: it ends with the process')
    .option(
      '--memory-limit <size>',
      'what the process may hold of the machine’s memory, e.g. 2Gi (default: a quarter of it)',
      parseMemoryLimit,
    )
    .option('--port <p>', 'port of the API; 0 takes any free one', parsePort, 6443)
    .option('--host <address>', 'address that the API listens on; 0.0.0.0 and :: are all of them', '127.0.0.1')
    .option(
      '--advertise <address>',
      'name or address, perhaps with a port, that the kubeconfig calls the API by (default: the host)',
      parseAdvertise,
    )
    .option('--tls-san <name>', 'one more name or address in the API’s certificate; may be repeated', addName)
    .option('--kubeconfig <file>', 'where to write the kubeconfig (default: kubeconfig in the data folder)')
    .option('--exit-when-ready', 'stop when everything is ready: 0 if it got there, 1 with the reasons if not')
    .addOption(
      new Option('-d, --detach', 'go on in the background once everything is ready').conflicts([
        'memory',
        'exitWhenReady',
      ]),
    )
    .option(
      '--no-operator',
      'leave telemetry resources to an operator in another process; they are served all the same',
    )
    .option(
      '--without <parts>',
      'parts that are left to others, e.g. scheduler,controllers; may be repeated',
      addLeftParts,
    )
    .option('--scheduler-config <file>', 'by which rules pods get their nodes: a KubeSchedulerConfiguration')
    .option('--no-crds', 'with --no-operator: leave the definitions of telemetry resources to others, too')
    .addOption(
      new Option('--real', 'add a node of this machine, whose pods are processes (default: it alone)').conflicts(
        'memory',
      ),
    );
  for (const option of [...virtualOptions(), ...nodeOptions('node-'), ...accessOptions()]) command.addOption(option);
  command
    .addOption(
      new Option('--timeout <duration>', 'how long to wait for everything to be ready')
        .argParser(parseTimeout)
        .default(120_000, '2m'),
    )
    .addOption(outputOption())
    .addOption(logLevel)
    .addOption(logFormat)
    .addHelpText('after', help)
    .action(async (given: UpFlags) => {
      refuseLone(command, given);
      const { detach, data, memory, file = [] } = given;
      const folder = memory === true ? undefined : (data ?? '.signalbox');
      if (detach === true && io.background === undefined && folder !== undefined) {
        const { launchUp } = await import('../background/launch.ts');
        return finish(await launchUp({ folder: absolute(folder, io), takesInput: file.includes('-') }, io));
      }
      const { up } = await import('../commands/up.ts');
      const access = accessTerms(command, given);
      finish(await up({ ...wanted(given, { folder, memoryBytes: io.memoryBytes }), access }, io));
    });
}

/** A clock of the cluster's own. */
function virtualOptions(): readonly Option[] {
  return [
    new Option('--virtual', 'a clock of its own, which stands still until "signalbox clock" moves it').conflicts(
      'real',
    ),
    new Option('--seed <text>', 'with --virtual: the same text, the same names and chances'),
  ];
}

/** Flags that mean nothing without another one. */
function refuseLone(command: Command, given: UpFlags): void {
  if (given.operator && !given.crds) command.error('error: --no-crds goes with --no-operator', { exitCode: 2 });
  if (given.seed !== undefined && given.virtual !== true)
    command.error('error: --seed goes with --virtual', { exitCode: 2 });
  if (given.schedulerConfig !== undefined && given.without?.includes('scheduler') === true)
    command.error('error: --scheduler-config is about the scheduler that --without leaves to others', { exitCode: 2 });
  if (given.real === true) return;
  const ofNode = nodeOptions('node-').find((option) => command.getOptionValue(option.attributeName()) !== undefined);
  if (ofNode !== undefined) command.error(`error: ${ofNode.long} goes with --real`, { exitCode: 2 });
}

function wanted(
  given: UpFlags,
  { folder, memoryBytes }: { readonly folder: string | undefined; readonly memoryBytes: number },
): Omit<UpOptions, 'access'> {
  const { file = [], nodes, memoryLimit, kubeconfig, exitWhenReady, timeout, advertise, tlsSan, ...rest } = given;
  const { schedulerConfig } = rest;
  const { port, host, operator, crds, output, logLevel, logFormat, real, without } = rest;
  const { nodeName: name, nodeLabels: labels, nodeTaints: taints, ...same } = rest;
  const named = { ...(name && { name }), ...(labels && { labels }), ...(taints && { taints }) };
  return {
    ...{ file, nodes, port, host, operator, crds, output, logLevel, logFormat, kubeconfig, advertise },
    data: folder,
    memoryLimitBytes: memoryLimit ?? defaultMemoryLimitBytes(memoryBytes),
    names: tlsSan ?? [],
    without: without ?? [],
    schedulerConfig,
    exitWhenReady: exitWhenReady === true,
    timeoutMs: timeout,
    virtual: given.virtual === true ? { seed: given.seed } : undefined,
    real: real === true ? toNodeTerms({ ...same, ...named }) : undefined,
  };
}

interface UpFlags extends LogOptions, AccessFlags, Omit<NodeFlags, 'name' | 'labels' | 'taints'> {
  readonly real?: true;
  readonly nodeName?: NonNullable<NodeFlags['name']>;
  readonly nodeLabels?: NonNullable<NodeFlags['labels']>;
  readonly nodeTaints?: NonNullable<NodeFlags['taints']>;
  readonly file?: readonly string[];
  readonly nodes?: number;
  readonly data?: string;
  readonly memory?: true;
  readonly memoryLimit?: number;
  readonly port: number;
  readonly host: string;
  readonly advertise?: Advertised;
  readonly tlsSan?: readonly string[];
  readonly kubeconfig?: string;
  readonly virtual?: true;
  readonly seed?: string;
  readonly exitWhenReady?: true;
  readonly detach?: true;
  readonly operator: boolean;
  readonly crds: boolean;
  readonly without?: readonly LeftPart[];
  readonly schedulerConfig?: string;
  readonly timeout: number;
  readonly output: 'text' | 'json';
}

function parseAdvertise(text: string): Advertised {
  const advertised = parseAdvertised(text);
  if (advertised === undefined)
    throw new InvalidArgumentError('It must be a name or an address, perhaps with a port, e.g. box.example.com:16443.');
  return advertised;
}

function addLeftParts(text: string, parts: readonly LeftPart[] = []): readonly LeftPart[] {
  const named = text.split(',').map((name) => {
    if (isLeftPart(name)) return name;
    throw new InvalidArgumentError(`There is no part ${JSON.stringify(name)}: controllers, ${planeParts.join(', ')}.`);
  });
  return [...parts, ...named];
}

function addName(text: string, names: readonly string[] = []): readonly string[] {
  if (!isCertificateName(text))
    throw new InvalidArgumentError('It must be a DNS name or an IP address, e.g. box.example.com or 192.0.2.7.');
  return [...names, text];
}

const help = `
Examples:
  signalbox up                                      an empty cluster with 3 nodes
  signalbox up -f examples/quickstart               apply a folder, wait, print the tree
  signalbox up -f app.yaml -f monitors/ --nodes 10  several manifests, more nodes
  helm template my-chart | signalbox up -f -        manifests from standard input
  signalbox up --real -f examples/real              pods are processes of this machine: agents really scrape and ship
  signalbox up --real --nodes 2                     the same beside simulated nodes
  signalbox up --detach                             go on in the background; then: signalbox status, signalbox down
  signalbox up --virtual --memory                   time stands still: signalbox clock +72h moves it
  signalbox up -f tests/ --memory --port 0 --exit-when-ready --timeout 1m
                                                    in a pipeline: is everything ready within a minute?

A folder means its *.yaml, *.yml and *.json files, without subfolders. Nothing is started when a file cannot be read.
The cluster is kept in .signalbox/ and continues there at the next start; its kubeconfig is .signalbox/kubeconfig:
  export KUBECONFIG=.signalbox/kubeconfig
With --memory it is .signalbox/memory.kubeconfig, so that a cluster in the folder keeps its own.
It is written, and the API answers, once the definitions are installed and the operator has started. Certificates are
renewed while the server runs.

A scheduler or controllers of others, upstream's among them, take the place of ours and reach the API by the kubeconfig.
  signalbox up --without scheduler,controllers

For others, behind a name: everybody who has the kubeconfig may do everything, so keep it to those you trust.
  signalbox up --host 0.0.0.0 --advertise box.example.com --tls-san 192.0.2.7

Users of one's own, and a book of who does what:
  signalbox up --token-auth-file users.csv --audit-policy-file policy.yaml --audit-log-path audit.log
A new key for tokens of service accounts, beside which the old one goes on checking:
  signalbox up --rotate-service-account-key

Near its memory limit the cluster forgets the past (watches that are behind list again), then refuses what makes
objects more or larger, with 507 and what fills it; deleting always works.

With --real the pods of one node run: programs of this machine in namespaces of their own, without root, for which
bubblewrap and iproute2 are needed (signalbox node --help says more). What runs goes on when this process is killed, and
the next "up --real" takes it over; when it ends in order, and after "signalbox down", nothing is left.

A manifest that the API refuses does not keep the others out: it is named at the end, and the cluster stays.

With --detach it runs in a session of its own, which outlives the terminal, and writes to up.log in the data folder
(at most twice 5 MB). The command waits as it does without: 0 when all is ready, 1 when not, or when it failed.
What npx or an npm script has started ends with them, unless it is detached.

Progress goes to standard error, the result to standard output. With --log-format json everything on standard error
is one object a line (level, time, component, message, error), also in up.log.
The first Ctrl-C stops in order, the second at once: the agent of a real node, a process of its own, then goes on to end
what runs in its pods. "signalbox down" ends what it may leave, and the next "up --real" takes over.
Exit codes: 0 stopped by the user, or all ready with --exit-when-ready; 1 it failed, or not all is
ready, or it refused a manifest; 2 wrong usage.`;
