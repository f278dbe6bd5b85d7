/**
 * What the reloader takes: the flags of prometheus-config-reloader with its defaults, so that manifests which name that
 * program start this one unchanged. The table is the only list of them: arguments, help and completion are read from it.
 */
import { durationMs } from '@signalbox/cluster/base';
import { type LogForm, type LogLevel, logForms, logLevels } from './log.ts';

export interface ReloaderOptions {
  /** Empty: there is none, as with all texts here. */
  readonly configFile: string;
  readonly outputFile: string;
  readonly watchedFolders: readonly string[];
  /** 0: once, for init containers. */
  readonly watchIntervalMs: number;
  readonly delayMs: number;
  readonly retryIntervalMs: number;
  readonly reloadTimeoutMs: number;
  readonly method: (typeof methods)[number];
  readonly reloadUrl: URL;
  readonly runtimeInfoUrl: URL;
  readonly processName: string;
  /** The variable that holds the pod's name. */
  readonly ordinalFrom: string;
  readonly listen: ListenAddress | undefined;
  readonly webConfigFile: string;
  readonly logLevel: LogLevel;
  readonly logForm: LogForm;
}

export interface ListenAddress {
  /** Undefined: on all of the machine's addresses. */
  readonly host: string | undefined;
  readonly port: number;
}

export interface Flag {
  readonly name: string;
  /** What stands for its value in the help; absent: it takes none. */
  readonly value?: string;
  /** What it may be. */
  readonly choices?: readonly string[];
  readonly default?: string;
  readonly isRepeated?: true;
  readonly help: string;
}

const methods = ['http', 'signal'] as const;

export const flags: readonly Flag[] = [
  { name: 'config-file', value: 'file', help: 'the configuration to watch' },
  { name: 'config-envsubst-file', value: 'file', help: 'write it there, unpacked and with its variables filled in' },
  { name: 'watched-dir', value: 'dir', isRepeated: true, help: 'reload when a file in it changes; may be repeated' },
  { name: 'watch-interval', value: 'time', default: '3m', help: 'look at everything so often; 0: write once and end' },
  { name: 'delay-interval', value: 'time', default: '1s', help: 'wait for so long without a change before a reload' },
  { name: 'retry-interval', value: 'time', default: '5s', help: 'wait so long before a failed reload is tried again' },
  { name: 'reload-timeout', value: 'time', default: '30s', help: 'wait so long for the answer to a reload' },
  { name: 'reload-method', value: 'method', choices: methods, default: 'http', help: 'how to make the process reload' },
  { name: 'reload-url', value: 'url', default: 'http://127.0.0.1:9090/-/reload', help: 'where to post the reload' },
  { name: 'process-executable-name', value: 'name', default: 'prometheus', help: 'the process to send SIGHUP' },
  {
    name: 'runtimeinfo-url',
    value: 'url',
    default: 'http://127.0.0.1:9090/api/v1/status/runtimeinfo',
    help: 'where a process that got a signal says what came of it',
  },
  {
    name: 'statefulset-ordinal-from-envvar',
    value: 'name',
    default: 'POD_NAME',
    help: 'variable whose last digits become STATEFULSET_ORDINAL_NUMBER',
  },
  { name: 'listen-address', value: 'host:port', help: 'serve /metrics and /healthz there (default: nowhere)' },
  {
    name: 'web-config-file',
    value: 'file',
    help: 'certificates and headers of what it serves, as Prometheus has them',
  },
  { name: 'log-format', value: 'form', choices: logForms, default: 'logfmt', help: 'the form of the log' },
  { name: 'log-level', value: 'level', choices: logLevels, default: 'info', help: 'leave out what is less important' },
  { name: 'auto-gomemlimit-ratio', value: 'ratio', default: '0.0', help: 'without effect, for manifests that set it' },
  { name: 'version', help: 'print the version' },
  { name: 'short-version', help: 'print just the number of the version' },
];

export type ParsedFlags =
  | { readonly kind: 'run'; readonly options: ReloaderOptions }
  | { readonly kind: 'version'; readonly isShort: boolean }
  /** With what is wrong, in one line. */
  | { readonly kind: 'refused'; readonly message: string };

export function parseFlags(argv: readonly string[]): ParsedFlags {
  try {
    const given = collect(argv);
    if (given.has('short-version')) return { kind: 'version', isShort: true };
    if (given.has('version')) return { kind: 'version', isShort: false };
    return { kind: 'run', options: optionsFrom(given) };
  } catch (error) {
    if (error instanceof Refusal) return { kind: 'refused', message: error.message };
    throw error;
  }
}

class Refusal extends Error {}

/** In the words of upstream's command line, which programs may look for. */
function collect(argv: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const given = new Map<string, readonly string[]>();
  const rest = [...argv];
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    const [, name = '', inline] = /^--?([^=-][^=]*)(?:=(.*))?$/s.exec(word) ?? [];
    if (name === '') throw new Refusal(`unexpected ${word}`);
    const flag = flags.find((each) => each.name === name);
    if (flag === undefined) throw new Refusal(`unknown long flag '--${name}'`);
    const before = given.get(name) ?? [];
    if (before.length > 0 && flag.isRepeated !== true) throw new Refusal(`flag '${name}' cannot be repeated`);
    const value = flag.value === undefined ? (inline ?? 'true') : (inline ?? rest.shift());
    if (value === undefined) throw new Refusal(`expected argument for flag '--${name}'`);
    given.set(name, [...before, value]);
  }
  return given;
}

function optionsFrom(given: ReadonlyMap<string, readonly string[]>): ReloaderOptions {
  const text = (name: string): string =>
    given.get(name)?.[0] ?? flags.find((flag) => flag.name === name)?.default ?? '';
  return {
    configFile: text('config-file'),
    outputFile: text('config-envsubst-file'),
    watchedFolders: given.get('watched-dir') ?? [],
    watchIntervalMs: duration('watch-interval', text),
    delayMs: duration('delay-interval', text),
    retryIntervalMs: positive('retry-interval', text),
    reloadTimeoutMs: positive('reload-timeout', text),
    method: choice('reload-method', text, methods),
    reloadUrl: url('reload-url', text),
    runtimeInfoUrl: url('runtimeinfo-url', text),
    processName: text('process-executable-name'),
    ordinalFrom: text('statefulset-ordinal-from-envvar'),
    listen: listenAddress('listen-address', text),
    webConfigFile: text('web-config-file'),
    logForm: choice('log-format', text, logForms),
    logLevel: choice('log-level', (name) => text(name).toLowerCase(), logLevels),
  };
}

type Text = (name: string) => string;

function duration(name: string, text: Text): number {
  const ms = durationMs(text(name));
  if (ms === undefined) throw new Refusal(`--${name}: "${text(name)}" is no duration such as 90s, 2m or 1h30m`);
  return ms;
}

/** Without a pause it would do nothing else any more. */
function positive(name: string, text: Text): number {
  const ms = duration(name, text);
  if (ms === 0) throw new Refusal(`--${name} must be more than 0, e.g. --${name}=5s`);
  return ms;
}

function choice<T extends string>(name: string, text: Text, choices: readonly T[]): T {
  const found = choices.find((each) => each === text(name));
  if (found === undefined) throw new Refusal(`--${name}: "${text(name)}" is none of ${choices.join(', ')}`);
  return found;
}

function listenAddress(name: string, text: Text): ListenAddress | undefined {
  if (text(name) === '') return undefined;
  const [, inner = '', plain = '', port = ''] = /^(?:\[([^\]]*)\]|([^:]*)):(\d{1,5})$/.exec(text(name)) ?? [];
  if (port === '' || Number(port) > 65_535) throw new Refusal(`--${name}: "${text(name)}" is no address such as :8080`);
  return { host: inner || plain || undefined, port: Number(port) };
}

function url(name: string, text: Text): URL {
  const found = URL.canParse(text(name)) ? new URL(text(name)) : undefined;
  if (found === undefined || (found.protocol !== 'http:' && found.protocol !== 'https:'))
    // What was given may hold a password.
    throw new Refusal(`--${name} is no address such as http://127.0.0.1:9090/-/reload`);
  return found;
}
