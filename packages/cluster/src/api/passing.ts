import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';

/** A request for something behind the server, as it came: a process in a pod, a page of what it serves. */
export interface Passing {
  readonly method: string;
  /** What stands behind the subresource, as it came: `/metrics` of `proxy/metrics`; empty when nothing does. */
  readonly path: string;
  /** As it came, without `?`. */
  readonly query: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** Whether the client wants another protocol on its connection. */
  readonly upgrades: boolean;
  body(): Promise<Buffer>;
  /** Aborts when the client has gone away or the server is closing. */
  readonly signal: AbortSignal;
}

/** What came of it. */
export type Passed =
  /** Of a request that asked to upgrade. */
  | { readonly is: 'taken'; readonly take: TakeOver }
  | {
      readonly is: 'answer';
      readonly code: number;
      readonly headers: Readonly<Record<string, string | readonly string[]>>;
      readonly body: AsyncIterable<Buffer>;
    };

/** Owns the connection from then on: answers the handshake, speaks, closes it. */
export type TakeOver = (connection: Connection) => void;

export interface Connection {
  readonly request: IncomingMessage;
  readonly socket: Duplex;
  /** What the client has sent behind its request already. */
  readonly head: Buffer;
  /** Aborts when the client has gone away or the server is closing. */
  readonly signal: AbortSignal;
}
