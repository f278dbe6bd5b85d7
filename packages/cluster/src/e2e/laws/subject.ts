/** An API server with nothing else of the plane, in process or behind HTTPS: the laws hold for both. */
import { configmaps, namespaces } from '../../api/generated/kinds.ts';
import type { KubeList, KubeObject } from '../../api/meta.ts';
import type { ListOptions, Operation, Outcome, WatchEvent, WatchOperation } from '../../api/operation.ts';
import { type Status, StatusError } from '../../api/status.ts';
import { sleep, systemClock } from '../../base/clock.ts';
import { seededRandom } from '../../base/random.ts';
import { fixedCredentials } from '../../client/http/connection.ts';
import { createHttpTransport } from '../../client/http/http-transport.ts';
import type { Transport } from '../../client/transport.ts';
import { createAuthenticate } from '../../server/auth/authenticate.ts';
import { loadPki, type Pki } from '../../server/auth/pki.ts';
import { listen } from '../../server/http/listen.ts';
import type { Store } from '../../store/store.ts';
import { admin, createTestServer, type TestServer } from '../../testing/api-server.ts';

export interface Subject {
  readonly transport: Transport;
  /** To compact, and to know when that happened; nothing else is read past the API. */
  readonly store: Store;
  /** Lets time pass on the server's clock, and lets what is on its way arrive. */
  pass(ms: number): Promise<void>;
  close(): Promise<void>;
}

export type OpenSubject = () => Promise<Subject>;

/** So short that many of them come before a watch ends by itself. */
export const bookmarkMs = 1_000;

async function openServer(): Promise<TestServer> {
  const server = await createTestServer({ limits: { bookmarkMs } });
  await server.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'other' } });
  return server;
}

export async function openInProcess(): Promise<Subject> {
  const { server, store, clock } = await openServer();
  return {
    transport: server,
    store,
    pass: (ms) => clock.advance(ms),
    close: () => server.close(),
  };
}

let made: Promise<Pki> | undefined;

/** Made once: keys take longer than everything else here. */
function sharedPki(): Promise<Pki> {
  made ??= loadPki({ folder: undefined, host: '127.0.0.1', nowMs: systemClock.nowMs() });
  return made;
}

export async function openOverHttp(): Promise<Subject> {
  const { server, store, clock } = await openServer();
  const pki = await sharedPki();
  const ending = new AbortController();
  const listening = await listen({
    api: server,
    host: '127.0.0.1',
    port: 0,
    tls: { ...pki.server, ca: pki.ca },
    authenticate: createAuthenticate({ tokens: [] }),
    clock: systemClock,
    signal: ending.signal,
  });
  const transport = createHttpTransport({
    connection: {
      server: listening.url,
      tls: { ca: pki.ca },
      credentials: fixedCredentials({ certificate: pki.admin }),
    },
    clock: systemClock,
    random: seededRandom('laws'),
    limits: { readAttemptsMax: 1 },
  });
  return {
    transport,
    store,
    async pass(ms) {
      await clock.advance(ms);
      // Sockets know nothing of the server's clock: they get real time, in steps that are much too short to count on.
      await sleep(systemClock, 2, { signal: never });
    },
    async close() {
      await transport.close();
      await listening.close();
      await server.close();
    },
  };
}

const never: AbortSignal = new AbortController().signal;

/** What tests ask of config maps, whose names and labels are all that matters here. */
export interface Asking {
  perform(operation: Part<Operation>): Promise<Outcome>;
  list(options?: ListOptions, namespace?: string): Promise<KubeList>;
  watch(options: WatchOperation['options'], more?: WatchPlace): AsyncIterable<WatchEvent>;
}

export interface WatchPlace {
  readonly namespace?: string | undefined;
  readonly signal?: AbortSignal;
}

type Part<O> = O extends Operation ? Omit<O, 'resource' | 'user'> : never;

export function asking({ transport }: Pick<Subject, 'transport'>): Asking {
  const target = (namespace: string | undefined): Pick<WatchOperation, 'resource' | 'user' | 'namespace'> => ({
    resource: configmaps,
    user: admin,
    ...(namespace !== undefined && { namespace }),
  });
  return {
    perform: (operation) =>
      transport.perform({ resource: configmaps, user: admin, ...operation } as Operation, { signal: never }),
    list: async (options = {}, namespace) => {
      const { object } = await transport.perform({ ...target(namespace), verb: 'list', options }, { signal: never });
      return object as KubeList;
    },
    watch: (options, { namespace, signal = never } = {}) =>
      transport.watch({ ...target(namespace), options }, { signal }),
  };
}

/** The answer, or the refusal, while time passes on the server. */
export async function whileTimePasses<T>(subject: Subject, work: Promise<T>): Promise<T | Status> {
  let settled: { readonly value: T | Status } | { readonly error: unknown } | undefined;
  work.then(
    (value) => {
      settled = { value };
    },
    (error: unknown) => {
      settled = error instanceof StatusError ? { value: error.status } : { error };
    },
  );
  for (let round = 0; round < 1_000 && settled === undefined; round++) await subject.pass(100);
  if (settled === undefined) throw new Error('no answer');
  if ('error' in settled) throw settled.error;
  return settled.value;
}

/** The refusal of a request that must be refused. */
export async function refusal(subject: Subject, work: Promise<unknown>): Promise<Status> {
  const answer = await whileTimePasses(subject, work);
  if ((answer as Status | undefined)?.kind !== 'Status' || (answer as Status).status !== 'Failure')
    throw new Error(`it was not refused: ${JSON.stringify(answer)}`);
  return answer as Status;
}

export function versionOf({ metadata }: KubeObject | KubeList): number {
  return Number(metadata.resourceVersion);
}
