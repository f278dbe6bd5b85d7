import type { Clock } from '@signalbox/cluster/base';
import { type Endpoint, serveEndpoint } from './endpoint.ts';
import type { Files } from './files.ts';
import { type ParsedFlags, parseFlags, type ReloaderOptions } from './flags.ts';
import { createLog, type Log, reasonOf } from './log.ts';
import { createMeters, type Meters, type Sample } from './meters.ts';
import type { Processes } from './processes.ts';
import { httpReload, type Reload } from './reload.ts';
import { runReloader } from './reloader.ts';
import { type Env, withOrdinal } from './render.ts';
import type { Ask } from './request.ts';
import { signalReload } from './signal-reload.ts';
import type { WebConfig } from './web-config.ts';

/** Everything that the reloader takes from and gives to the world around it. */
export interface Surroundings {
  readonly files: Files;
  readonly env: Env;
  readonly clock: Clock;
  readonly ask: Ask;
  readonly processes: Processes;
  /** For what is read in one piece at the start, and before a handshake. */
  readText(path: string): string;
  /** What the process tells of itself. */
  facts(): Promise<readonly Sample[]>;
  readonly version: { readonly short: string; readonly long: string };
  /** Aborts when it is to end. */
  readonly signal: AbortSignal;
  /** Results. */
  out(line: string): void;
  /** The log. */
  err(line: string): void;
}

/** Runs the reloader with its arguments, to its end. Resolves with the exit code: 0 done, 1 it failed, 2 wrong usage. */
export async function startReloader(argv: readonly string[], world: Surroundings): Promise<number> {
  const parsed: ParsedFlags = parseFlags(argv);
  switch (parsed.kind) {
    case 'version':
      world.out(parsed.isShort ? world.version.short : world.version.long);
      return 0;
    case 'refused':
      world.err(`error: ${parsed.message}; see signalbox reloader --help`);
      return 2;
    case 'run':
      return run(parsed.options, world);
    default:
      return parsed satisfies never;
  }
}

async function run(options: ReloaderOptions, world: Surroundings): Promise<number> {
  const { clock, files, signal } = world;
  const log = createLog({
    level: options.logLevel,
    form: options.logForm,
    nowMs: () => clock.nowMs(),
    print: (line) => world.err(line),
  });
  const web = await webConfigOf(options, world).catch((error: unknown) => {
    log('error', 'Unable to validate web configuration file', { err: reasonOf(error) });
  });
  if (web === undefined) return 2;
  log('info', 'Starting prometheus-config-reloader', { version: world.version.long });
  const meters = createMeters();
  let endpoint: Endpoint | undefined;
  try {
    endpoint = await endpointOf(options, { world, web, log, meters });
    const reload = reloadOf(options, { world, log });
    const env = withOrdinal(world.env, options.ordinalFrom);
    await runReloader(options, { files, env, clock, reload, log, meters, signal });
    return 0;
  } catch (error) {
    if (!signal.aborted) log('error', 'Failed to run', { err: reasonOf(error) });
    else log('info', 'Received SIGTERM, exiting gracefully...');
    return signal.aborted ? 0 : 1;
  } finally {
    endpoint?.close();
  }
}

async function webConfigOf({ webConfigFile }: ReloaderOptions, world: Surroundings): Promise<WebConfig> {
  if (webConfigFile === '') return { headers: {}, tls: undefined };
  // Most do without, and without what reads YAML.
  const { readWebConfig } = await import('./web-config.ts');
  return readWebConfig(webConfigFile, (path) => world.readText(path));
}

interface Parts {
  readonly world: Surroundings;
  readonly log: Log;
  readonly web: WebConfig;
  readonly meters: Meters;
}

/** Who runs once serves nothing. */
async function endpointOf(
  { listen, watchIntervalMs, method }: ReloaderOptions,
  { world, log, web, meters }: Parts,
): Promise<Endpoint | undefined> {
  if (listen === undefined || watchIntervalMs === 0) return undefined;
  const info: Sample = {
    name: 'reloader_info',
    type: 'gauge',
    help: 'How it reloads; always 1.',
    labels: { method },
    value: 1,
  };
  const metrics = async (): Promise<string> => meters.text([info, ...(await world.facts())]);
  const endpoint = await serveEndpoint({ ...listen, web, log, metrics });
  log('info', 'Starting web server for metrics', { port: endpoint.port, tls: String(web.tls !== undefined) });
  return endpoint;
}

function reloadOf(options: ReloaderOptions, { world, log }: Pick<Parts, 'world' | 'log'>): Reload {
  const { method, reloadUrl, runtimeInfoUrl, processName, reloadTimeoutMs, watchIntervalMs } = options;
  const { ask, clock, processes } = world;
  log('info', method === 'signal' ? 'reloading via process signal' : 'reloading via HTTP');
  if (method === 'http') return httpReload({ url: reloadUrl, timeoutMs: reloadTimeoutMs, ask, clock });
  return signalReload({
    processName,
    runtimeInfoUrl,
    timeoutMs: reloadTimeoutMs,
    reloadMsMax: watchIntervalMs,
    processes,
    ask,
    clock,
    log,
  });
}
