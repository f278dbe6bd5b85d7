import { Agent, request } from 'node:https';
import type { ServerFacts } from './server.ts';

/**
 * An ordinary client that writes and reads all the while, over a connection of its own. It may be told to come again, and does
 * so, as kubectl and client-go do; it waits all that time. Without a token it is the attacker's own user.
 */
export interface Bystander {
  /** How long each write and read took since this was asked last; and what was not answered as it must be. */
  take(): { readonly tookMs: readonly number[]; readonly failures: readonly string[] };
  stop(): Promise<void>;
}

const path = '/api/v1/namespaces/default/configmaps/bystander';
const pauseMs = 25;
const patienceMs = 20_000;
const triesMax = 3;

export function startBystander({ url, ca, cert, key }: ServerFacts, token?: string): Bystander {
  const { hostname: host, port } = new URL(url);
  const agent = new Agent({ keepAlive: true, maxSockets: 1, ca, ...(token === undefined && { cert, key }) });
  let tookMs: number[] = [];
  let failures: string[] = [];
  let isOver = false;
  /** Resolves with the code, and after how many milliseconds it is to come again. */
  const once = (method: string, body?: string): Promise<{ readonly code: number; readonly againInMs: number }> =>
    new Promise((resolve, reject) => {
      const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };
      const headers = { 'content-type': 'application/merge-patch+json', ...authorization };
      const asked = request({ host, port, path, method, headers, agent, timeout: patienceMs }, (response) => {
        const againInMs = Number(response.headers['retry-after'] ?? Number.NaN) * 1_000;
        response.resume();
        response.on('end', () => resolve({ code: response.statusCode ?? 0, againInMs }));
      });
      asked.on('timeout', () => asked.destroy(new Error(`no answer within ${patienceMs} ms`)));
      asked.on('error', reject);
      asked.end(body);
    });
  const answered = async (method: string, body?: string): Promise<string | undefined> => {
    for (let tries = 1; ; tries++) {
      const { code, againInMs } = await once(method, body);
      if (code === 200) return undefined;
      if (code !== 429 || Number.isNaN(againInMs) || tries >= triesMax) return `answered with ${code}`;
      await new Promise((resolve) => setTimeout(resolve, againInMs));
    }
  };
  const ask = async (method: string, body?: string): Promise<void> => {
    const started = performance.now();
    const failure = await answered(method, body).catch((error: Error) => error.message);
    tookMs.push(performance.now() - started);
    if (failure !== undefined) failures.push(`${method} of the bystander: ${failure}`);
  };
  const going = (async () => {
    for (let count = 0; !isOver; count++) {
      await ask('PATCH', `{"data":{"count":"${count}"}}`);
      await ask('GET');
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
    agent.destroy();
  })();
  return {
    take() {
      const taken = { tookMs, failures };
      tookMs = [];
      failures = [];
      return taken;
    },
    async stop() {
      isOver = true;
      await going;
    },
  };
}
