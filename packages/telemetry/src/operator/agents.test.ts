import type { Client, KubeObject } from '@signalbox/cluster';
import { createVirtualClock } from '@signalbox/cluster/testing';
import { expect, test } from 'vitest';
import type { AgentQuestion } from '../sharding/agents.ts';
import { createAgentAsker } from './agents.ts';

const question = (pod: string): AgentQuestion => ({
  namespace: 'shop',
  pod,
  scheme: pod === 'closed' ? 'https' : 'http',
  port: 9090,
  prefix: '/metrics-of',
  speaks: 'prometheus',
});

/** Pods that have scraped everything; `silent` does not answer. */
function pages(calls: string[]): Client {
  return {
    get: async (_type: unknown, options: { readonly name: string; readonly below: string }) => {
      calls.push(`${options.name} ${options.below}`);
      if (options.name.startsWith('silent')) throw new Error('nobody there');
      const message = 'prometheus_config_last_reload_success_timestamp_seconds 5';
      return (options.below.endsWith('/metrics')
        ? { kind: 'Status', message }
        : { data: { activeTargets: [{ lastScrape: '2030-01-01T00:00:00Z' }] } }) as unknown as KubeObject;
    },
  } as unknown as Client;
}

test('agents are asked by way of their pods, and whoever waits for them is woken', async () => {
  const calls: string[] = [];
  const clock = createVirtualClock({ startMs: 10_000 });
  const { signal } = new AbortController();
  const asker = createAgentAsker({ client: pages(calls), clock, signal });
  const woken: string[] = [];
  asker.onAnswer((key) => woken.push(key));
  const asked = ['web-0', 'silent', 'closed'].map(question);
  const answers = () => asked.map((each) => asker.follow('shop/main', { questions: asked, jobs: () => [] }).of(each));
  expect(answers()).toEqual([undefined, undefined, undefined]);
  await clock.advance(1);
  expect(woken).toEqual(['shop/main']);
  const answer = { askedMs: 10_000, loadedMs: 5_000, refuses: false, unscraped: 0, held: undefined };
  expect(answers()).toEqual([answer, undefined, answer]);
  expect(calls).toContain('https:closed:9090 /metrics-of/api/v1/targets');
  // Not asked again at once; but when some time has passed.
  expect(calls).toHaveLength(6);
  await clock.advance(5_000);
  expect(answers()[0]).toEqual(answer);
  await clock.advance(1);
  expect(answers()[0]?.askedMs).toBe(15_001);
  // Nobody waits any more.
  expect(asker.follow('shop/main', undefined).of(question('web-0'))).toBeUndefined();
});
