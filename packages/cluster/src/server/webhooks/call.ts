import { unreadableBecause } from '../../api/codec/json.ts';
import { isObject, type JsonObject } from '../../api/record.ts';
import { isStatusError } from '../../api/status.ts';
import { textOf } from '../../api/wire/passed.ts';
import { formatExactJson, parseExactJson } from '../../base/exact-json.ts';
import { within } from '../../base/limit.ts';
import type { Random } from '../../base/random.ts';
import type { HookClientConfig } from '../../resources/admissionregistration/client-config.ts';
import type { CallServer, ServerAnswer } from '../context/call-server.ts';
import type { ServerContext } from '../context/context.ts';
import { serviceDestination } from '../reading/service-destination.ts';
import { refusalWords } from './refusal-words.ts';

/** A webhook was not reached, or said nothing that could be understood. Not that it refused. */
export class HookFailure extends Error {}

/** What calling on a webhook takes. */
export interface Calling {
  readonly context: Pick<ServerContext, 'store' | 'registry' | 'outsideClock' | 'nodeDoors'>;
  readonly callServer: CallServer | undefined;
  /** Numbers the questions: of its own, so that webhooks change nothing else that chance decides. */
  readonly random: Random;
}

export interface HookCall {
  readonly clientConfig: HookClientConfig;
  readonly body: JsonObject;
  /** How long it may take, which it is told. */
  readonly timeoutMs: number;
  readonly answerBytesMax: number;
}

interface Address {
  readonly url: string;
  readonly path: string;
}

/** The object that a webhook answers with. Throws a {@link HookFailure} in upstream's words, or the signal's reason. */
export async function callHook(
  calling: Calling,
  call: HookCall,
  { signal }: { readonly signal: AbortSignal },
): Promise<JsonObject> {
  const address = addressOf(call);
  const failed = (why: string, cause?: unknown): HookFailure =>
    new HookFailure(`Post ${JSON.stringify(address.url)}: ${why}`, { cause });
  const late = (): Error => failed('context deadline exceeded');
  const answer = await within(call.timeoutMs, {
    ...{ clock: calling.context.outsideClock, signal, late },
    async work(limited) {
      try {
        return await raced(send(calling, { call, address, signal: limited }), limited);
      } catch (error) {
        if (limited.aborted) throw limited.reason;
        throw failed(error instanceof Error ? error.message : String(error), error);
      }
    },
  });
  if (answer.code < 200 || answer.code >= 300) throw new HookFailure(refusalWords(answer));
  return parsed(answer.text);
}

/** Nobody waits longer than the time allows, also for one that does not listen. */
function raced<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}

function addressOf({ clientConfig, timeoutMs }: HookCall): Address {
  const query = `?timeout=${Math.ceil(timeoutMs / 1000)}s`;
  const { url, service } = clientConfig;
  if (service === undefined) {
    const { origin, pathname: given } = new URL(url ?? '');
    const pathname = cleaned(given);
    return { url: `${origin}${url === origin ? '' : given}${query}`, path: `${pathname}${query}` };
  }
  const path = `${service.path === undefined || service.path === '' ? '/' : service.path}${query}`;
  return { url: `https://${service.name}.${service.namespace}.svc:${service.port ?? 443}${path}`, path };
}

interface Sending {
  readonly call: HookCall;
  readonly address: Address;
  readonly signal: AbortSignal;
}

async function send(calling: Calling, { call, address, signal }: Sending): Promise<ServerAnswer> {
  const { clientConfig, answerBytesMax } = call;
  const body = formatExactJson(call.body);
  const { path } = address;
  const overNetwork = (host: string, port: number, serverName: string): Promise<ServerAnswer> => {
    if (calling.callServer === undefined) throw new Error('this server calls on nobody');
    const to = { host, port, serverName, ca: authorityOf(clientConfig) };
    return calling.callServer.call({ to, path, body, answerBytesMax, signal });
  };
  const { service } = clientConfig;
  if (service === undefined) {
    const { hostname, port } = new URL(clientConfig.url ?? '');
    const host = hostname.replace(/^\[(.*)\]$/, '$1');
    return overNetwork(host, port === '' ? 443 : Number(port), host);
  }
  const { namespace, name, port = 443 } = service;
  const { store, registry } = calling.context;
  const to = serviceDestination({ store, registry, random: calling.random }, { namespace, name, port });
  switch (to.is) {
    case 'nowhere':
      throw new Error(to.why);
    case 'address':
      return overNetwork(to.host, to.port, `${name}.${namespace}.svc`);
    case 'pod': {
      const place = [to.namespace, to.pod, 'https', String(to.port)].map(encodeURIComponent).join('/');
      return throughNode(calling, { node: to.node, path: `/proxy/${place}${path}`, body, answerBytesMax, signal });
    }
    default:
      return to satisfies never;
  }
}

/** As Go joins paths: `//validate/` is `/validate`. envtest writes the former, and Go's servers redirect it. */
function cleaned(pathname: string): string {
  return `/${pathname
    .split('/')
    .filter((part) => part !== '')
    .join('/')}`;
}

/** What is no more than white space is no bundle. */
function authorityOf({ caBundle = '' }: HookClientConfig): string | undefined {
  const text = Buffer.from(caBundle, 'base64').toString();
  return text.trim() === '' ? undefined : text;
}

interface NodeCall {
  readonly node: string;
  readonly path: string;
  readonly body: string;
  readonly answerBytesMax: number;
  readonly signal: AbortSignal;
}

async function throughNode(
  { context: { nodeDoors } }: Calling,
  { node, path, body, answerBytesMax, signal }: NodeCall,
): Promise<ServerAnswer> {
  if (nodeDoors === undefined) throw new Error('this server has no way to nodes');
  const passing = {
    ...{ method: 'POST', path, query: '', upgrades: false, signal },
    headers: { 'content-type': 'application/json', accept: 'application/json, */*' },
    body: async () => Buffer.from(body),
  };
  try {
    const passed = await nodeDoors({ node, path, what: 'services/proxy' }, passing);
    if (passed.is === 'taken') throw new Error('the connection was taken');
    return { code: passed.code, text: await textOf(passed.body, answerBytesMax) };
  } catch (error) {
    throw isStatusError(error) ? new Error(error.message, { cause: error }) : error;
  }
}

function parsed(text: string): JsonObject {
  if (text === '') throw new HookFailure('0-length response');
  let value: unknown;
  try {
    value = parseExactJson(text);
  } catch (error) {
    throw new HookFailure(`couldn't get version/kind; json parse error: ${unreadableBecause(error)}`);
  }
  if (!isObject(value)) throw new HookFailure("couldn't get version/kind; json parse error: the answer is no object");
  return value;
}
