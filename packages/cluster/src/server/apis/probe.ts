import type { APIResource, APIResourceList } from '../../api/generated/meta-v1.ts';
import { groups } from '../../api/identities.ts';
import type { User } from '../../api/operation.ts';
import type { Passing } from '../../api/passing.ts';
import { isObject, type JsonObject } from '../../api/record.ts';
import { textOf } from '../../api/wire/passed.ts';
import { within } from '../../base/limit.ts';
import { destinationOf } from './destination.ts';
import { passToRemote, type Remote, unreachedWords } from './remote-api.ts';
import { addressOf } from './server-passing.ts';

/** What another server says of the group and version that it answers for. */
export interface Described {
  readonly resources: readonly APIResource[];
  /** The OpenAPI v3 document, where it has one. */
  readonly openApi: JsonObject | undefined;
}

export type Probed =
  | { readonly ok: true; readonly described: Described }
  /** In upstream's words, for the condition. */
  | { readonly ok: false; readonly message: string };

/** It may look at what is there, whatever the roles of the other server say. */
const aggregator: User = { name: 'system:kube-aggregator', groups: [groups.masters] };
const probeMs = 5_000;
const documentBytesMax = 16 * 2 ** 20;

/** Asks for what any server behind an APIService has to serve. What was known comes back as it is when it still holds. */
export async function probeRemote(
  remote: Remote,
  { signal, known }: { readonly signal: AbortSignal; readonly known: Described | undefined },
): Promise<Probed> {
  const path = `/apis/${remote.service.spec.group}/${remote.service.spec.version}`;
  const url = `https://${hostOf(remote)}${path}`;
  const late = (): Error => new Error(`Get "${url}": context deadline exceeded`);
  try {
    const work = async (limited: AbortSignal): Promise<Described> => {
      const list = await read(remote, { path, signal: limited });
      if (list.code < 200 || list.code >= 300) throw new Error(`bad status from ${url}: ${list.code}`);
      const { resources = [] } = parsed(list.text) as Partial<APIResourceList>;
      const document = await read(remote, { path: `/openapi/v3${path}`, signal: limited }).catch(() => undefined);
      const openApi = document?.code === 200 ? parsed(document.text) : undefined;
      return { resources, openApi };
    };
    const described = await within(probeMs, { clock: remote.context.outsideClock, signal, late, work });
    return { ok: true, described: isSame(described, known) ? known : described };
  } catch (error) {
    signal.throwIfAborted();
    const said = error instanceof Error ? error.message : String(error);
    const why = said.startsWith(unreachedWords) ? `Get "${url}": ${said.slice(unreachedWords.length)}` : said;
    return { ok: false, message: `failing or missing response from ${url}: ${why}` };
  }
}

interface Read {
  readonly code: number;
  readonly text: string;
}

async function read(
  remote: Remote,
  { path, signal }: { readonly path: string; readonly signal: AbortSignal },
): Promise<Read> {
  const passing: Passing = {
    ...{ method: 'GET', path, query: '', upgrades: false, signal },
    headers: { accept: 'application/json' },
    body: async () => Buffer.alloc(0),
  };
  const passed = await passToRemote(remote, passing, aggregator);
  if (passed.is === 'taken') throw new Error('the connection was taken');
  return { code: passed.code, text: await textOf(passed.body, documentBytesMax) };
}

function parsed(text: string): JsonObject {
  const value = JSON.parse(text) as unknown;
  return isObject(value) ? value : {};
}

function isSame(described: Described, known: Described | undefined): known is Described {
  return known !== undefined && JSON.stringify(described) === JSON.stringify(known);
}

function hostOf({ service, context }: Remote): string {
  const to = destinationOf(context, service);
  const { namespace = '', name = '', port = 443 } = service.spec.service ?? {};
  return to.is === 'address' ? addressOf(to) : `${name}.${namespace}.svc:${port}`;
}
