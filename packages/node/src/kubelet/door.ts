/** The kubelet's door: HTTPS on the loopback, by which the API server reaches logs, processes and ports of the node's pods. */
import { setMaxListeners } from 'node:events';
import { type IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import type { Client, Clock, Pod, Problem } from '@signalbox/cluster';
import type { Inside } from '../protocol/inside.ts';
import type { NodePlaces } from '../protocol/places.ts';
import { answer } from './answers.ts';
import { createJudge } from './authenticate.ts';
import { createDoorPods, type DoorPods } from './containers.ts';
import { DoorRefusal } from './refusal.ts';
import { doorRequest } from './requests.ts';
import { takeUpgrade } from './upgrades.ts';

export interface KubeletOptions {
  readonly nodeName: string;
  readonly inside: Pick<Inside, 'state' | 'exec' | 'attach' | 'dial' | 'usage'>;
  /** Those of the node, as the agent knows them. */
  readonly pods: () => readonly Pod[];
  readonly places: NodePlaces;
  /** As the node: it is asked who shows a token, and what they may. */
  readonly client: Client;
  readonly tls: KubeletTls;
  readonly clock: Clock;
  readonly report: (problem: Problem) => void;
}

/** All PEM. */
export interface KubeletTls {
  /** Who signed the certificates of those who may ask. */
  readonly authority: string;
  readonly certificate: string;
  readonly key: string;
}

export interface Kubelet {
  /** `https://127.0.0.1:41234`: for the node's annotation `signalbox.dev/kubelet`. */
  readonly url: string;
  /** For connections from now on. */
  setTls(tls: KubeletTls): void;
  /** Ends all that is under way. */
  close(): Promise<void>;
}

export interface DoorContext extends Pick<KubeletOptions, 'nodeName' | 'inside' | 'pods' | 'places' | 'clock'> {
  readonly containers: DoorPods;
  /** Aborts when the door closes: who is served longer than a moment tells the client, and ends. */
  readonly closing: AbortSignal;
}

/** For clients to hear why they are left. */
const partingMs = 500;

export async function openKubelet(options: KubeletOptions): Promise<Kubelet> {
  const ending = new AbortController();
  // Each stream listens to it.
  setMaxListeners(0, ending.signal);
  const context: DoorContext = {
    ...options,
    containers: createDoorPods(options.inside, options.pods),
    closing: ending.signal,
  };
  const judge = createJudge({ ...options, signal: ending.signal });
  const server = createServer({ ...contextOf(options.tls), requestCert: true, rejectUnauthorized: false });
  /** What is asked for, once it may be. */
  const admitted = async (request: IncomingMessage): Promise<ReturnType<typeof doorRequest>> => {
    const [path = '/'] = (request.url ?? '').split('?', 1);
    const { method = 'GET', headers } = request;
    const asked = { socket: request.socket as TLSSocket, authorization: headers.authorization, method, path };
    const refusal = await judge.refusal(asked);
    if (refusal !== undefined) throw new DoorRefusal(refusal.code, refusal.message);
    return doorRequest(path);
  };
  const failed = (response: ServerResponse, error: unknown): void => {
    if (!(error instanceof DoorRefusal) && !response.destroyed)
      options.report({ component: 'kubelet', message: 'a request failed', error });
    refuse(response, error);
  };
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const gone = new AbortController();
    response.once('close', () => gone.abort(new Error('the client has gone')));
    const signal = AbortSignal.any([gone.signal, ending.signal]);
    const work = async (): Promise<void> =>
      answer(await admitted(request), { request, response, signal, query: queryOf(request) }, context);
    work().catch((error: unknown) => failed(response, error));
  });
  const upgraded = new Set<Duplex>();
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    upgraded.add(socket.on('error', () => undefined).once('close', () => upgraded.delete(socket)));
    const work = async (): Promise<void> =>
      takeUpgrade(await admitted(request), { request, socket, head, query: queryOf(request) }, context);
    work().catch((error: unknown) => failed(responseOn(socket, request), error));
  });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve));
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    setTls: (tls) => server.setSecureContext(contextOf(tls)),
    async close() {
      ending.abort(new Error(`the agent of node ${options.nodeName} ends`));
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      const cancel = options.clock.after(partingMs, () => {
        for (const socket of upgraded) socket.destroy();
      });
      await closed;
      cancel();
    },
  };
}

function contextOf({ authority, certificate, key }: KubeletTls): object {
  return { ca: authority, cert: certificate, key, minVersion: 'TLSv1.2' };
}

function queryOf({ url = '' }: IncomingMessage): URLSearchParams {
  const question = url.indexOf('?');
  return new URLSearchParams(question < 0 ? '' : url.slice(question + 1));
}

/** For a refusal in HTTP, after which the connection ends. */
function responseOn(socket: Duplex, request: IncomingMessage): ServerResponse {
  const response = new ServerResponse(request);
  response.assignSocket(socket as Socket);
  response.setHeader('connection', 'close');
  response.on('finish', () => socket.end());
  return response;
}

function refuse(response: ServerResponse, error: unknown): void {
  if (response.headersSent || response.destroyed) return void response.destroy();
  const code = error instanceof DoorRefusal ? error.code : 500;
  const text = error instanceof Error ? error.message : String(error);
  if (code === 401) response.setHeader('www-authenticate', 'Bearer realm="kubelet"');
  response.writeHead(code, { 'content-type': 'text/plain; charset=utf-8' }).end(text);
}
