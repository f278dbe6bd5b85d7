import type { ApiDestination } from './other-apis.ts';

/** A request that is posted to a webhook: JSON there and back. */
export interface ServerCall {
  readonly to: Omit<ApiDestination, 'isInsecure'>;
  /** With its query. */
  readonly path: string;
  readonly body: string;
  readonly answerBytesMax: number;
  readonly signal: AbortSignal;
}

export interface ServerAnswer {
  readonly code: number;
  readonly text: string;
}

/** Calls on webhooks over the network. What it rejects with says in upstream's words why nobody was met. */
export interface CallServer {
  call(call: ServerCall): Promise<ServerAnswer>;
  /** Lets go of the connections that are kept. */
  close(): Promise<void>;
}
