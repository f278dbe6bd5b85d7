import { Agent, request } from 'node:https';
import type { ServerFacts } from './server.ts';

/** An ordinary client that writes and reads all the while, over a connection of its own. */
export interface Bystander {
  /** How long each write and read took since this was asked last; and what was not answered as it must be. */
  take(): { readonly tookMs: readonly number[]; readonly failures: readonly string[] };
  stop(): Promise<void>;
}

const path = '/api/v1/namespaces/default/configmaps/bystander';
const pauseMs = 25;
const patienceMs = 20_000;

export function startBystander({ url, ca, cert, key }: ServerFacts): Bystander {
  const { hostname: host, port } = new URL(url);
  const agent = new Agent({ keepAlive: true, maxSockets: 1, ca, cert, key });
  let tookMs: number[] = [];
  let failures: string[] = [];
  let isOver = false;
  const ask = (method: string, body?: string): Promise<void> =>
    new Promise((resolve) => {
      const started = performance.now();
      const done = (failure?: string): void => {
        tookMs.push(performance.now() - started);
        if (failure !== undefined) failures.push(`${method} of the bystander: ${failure}`);
        resolve();
      };
      const headers = { 'content-type': 'application/merge-patch+json' };
      const asked = request({ host, port, path, method, headers, agent, timeout: patienceMs }, (response) => {
        response.resume();
        response.on('end', () =>
          done(response.statusCode === 200 ? undefined : `answered with ${response.statusCode}`),
        );
      });
      asked.on('timeout', () => asked.destroy(new Error(`no answer within ${patienceMs} ms`)));
      asked.on('error', (error) => done(error.message));
      asked.end(body);
    });
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
