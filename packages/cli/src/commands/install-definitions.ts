import { applyObject, type Client, customresourcedefinitions } from '@signalbox/cluster';
import { customResourceDefinitions } from '@signalbox/telemetry';
import type { Log } from '../io/log.ts';

/** Creates the definitions of all custom resources, or makes them what they are in this release. Loaded only for that. */
export async function installDefinitions(
  client: Client,
  { log, signal }: { readonly log: Log; readonly signal: AbortSignal },
): Promise<void> {
  for (const definition of customResourceDefinitions()) {
    const done = await applyObject(client, definition, { type: customresourcedefinitions, signal });
    if (done === 'unchanged') continue;
    log.write({ level: 'info', message: `customresourcedefinition ${definition.metadata.name} ${done}` });
  }
}
