import {
  type Client,
  customresourcedefinitions,
  ifFound,
  isStatusError,
  resourceName,
  sleep,
} from '@signalbox/cluster';
import { isCustom, type RootComponent } from '@signalbox/telemetry';
import { CommandError } from '../io/errors.ts';
import type { Io } from '../io/io.ts';
import type { Log } from '../io/log.ts';

interface Preparing {
  readonly components: readonly RootComponent[];
  readonly installCrds: boolean;
  readonly log: Log;
  readonly io: Io;
}

/** The operator cannot watch what the API does not serve, so that is found out before it starts. */
export async function prepareDefinitions(
  client: Client,
  { components, installCrds, log, io }: Preparing,
): Promise<void> {
  const { signal } = io;
  const needed = neededDefinitions(components);
  if (installCrds) {
    const { installDefinitions } = await import('./install-definitions.ts');
    await installDefinitions(client, { log, signal });
    for (const name of needed) await untilServed(client, name, io);
    return;
  }
  try {
    const found = await Promise.all(needed.map((name) => isThere(client, name, signal)));
    const missing = needed.filter((_, index) => found[index] !== true);
    if (missing.length > 0)
      throw new CommandError(
        `the cluster lacks ${missing.length} custom resource definitions (${missing.join(', ')}); run with --install-crds, or install them first`,
      );
  } catch (error) {
    if (!isStatusError(error, 'Forbidden')) throw error;
    log.write({ level: 'warn', message: 'cannot check the custom resource definitions, going on without', error });
  }
}

/** Names of those of the roots and of everything that they look at. */
function neededDefinitions(components: readonly RootComponent[]): readonly string[] {
  const types = components.flatMap(({ rootType, reads }) => [rootType, ...reads]);
  return [...new Set(types.filter(isCustom).map(resourceName))].sort();
}

async function isThere(client: Client, name: string, signal: AbortSignal): Promise<boolean> {
  return (await ifFound(client.get(customresourcedefinitions, { name, signal }))) !== undefined;
}

const servedWithinMs = 30_000;

const lookEveryMs = 200;

async function untilServed(client: Client, name: string, { clock, signal }: Io): Promise<void> {
  const deadlineMs = clock.nowMs() + servedWithinMs;
  for (;;) {
    const { status } = await client.get(customresourcedefinitions, { name, signal });
    if (status?.conditions?.some(({ type, status: holds }) => type === 'Established' && holds === 'True')) return;
    if (clock.nowMs() >= deadlineMs)
      throw new CommandError(`the API server does not serve ${name} within 30 s; see kubectl describe crd ${name}`);
    await sleep(clock, lookEveryMs, { signal });
  }
}
