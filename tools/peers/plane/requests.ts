import { Agent, type RequestOptions, request } from 'node:https';

export interface Requests {
  /** Anything, as it is: no retry, nothing decoded. */
  ask(request: Asked): Promise<Answered>;
  close(): void;
}

export interface Asked {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal?: AbortSignal;
  /** Is told what comes, as it comes: of a watch, which has no end. */
  readonly heard?: (text: string) => void;
}

export interface Answered {
  readonly code: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly text: string;
}

export interface RequestsOptions {
  /** `https://127.0.0.1:6443` */
  readonly server: string;
  /** PEM. */
  readonly ca: string;
  readonly client: { readonly cert: string; readonly key: string };
}

/** Plain requests to an API server: for what is to be compared byte by byte, and for what is no part of the API. */
export function createRequests({ server, ca, client }: RequestsOptions): Requests {
  const { hostname, port } = new URL(server);
  const agent = new Agent({ keepAlive: true, maxSockets: 16, ca, ...client });
  return {
    ask({ body, signal, heard, headers = {}, ...asked }) {
      // Of a DELETE nobody expects a body.
      const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
      const options = { ...asked, headers: { ...headers, ...length }, hostname, port, agent };
      return answered({ ...options, ...(signal && { signal }) }, { body, heard });
    },
    close: () => agent.destroy(),
  };
}

interface Exchange {
  readonly body: string | undefined;
  readonly heard: Asked['heard'];
}

function answered(options: RequestOptions, { body, heard }: Exchange): Promise<Answered> {
  return new Promise((resolve, reject) => {
    const sent = request(options, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => {
        chunks.push(chunk);
        heard?.(chunk.toString('utf8'));
      });
      response.on('error', reject);
      response.on('end', () =>
        resolve({
          code: response.statusCode ?? 0,
          headers: response.headers,
          text: Buffer.concat(chunks).toString('utf8'),
        }),
      );
    });
    sent.on('error', reject);
    sent.end(body);
  });
}
