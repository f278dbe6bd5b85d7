import { Agent, request as httpRequest } from 'node:http';
import { afterEach, expect, test } from 'vitest';
import type { SimulatedPod } from '../../protocol/network.ts';
import { createSimulatedAnswers, type SimulatedAnswers } from './answers.ts';
import { metricsText } from './metrics.ts';

const pod = (name: string, address: string, more: Partial<SimulatedPod> = {}): SimulatedPod => ({
  ...{ namespace: 'shop', name, node: 'node-1', address, ports: [0], startedMs: 1_000, series: 0 },
  ...more,
});

const now = { ms: 11_000 };
const agent = new Agent({ keepAlive: true });
let answers: SimulatedAnswers | undefined;
afterEach(async () => {
  await answers?.close();
});

function create(): SimulatedAnswers {
  answers = createSimulatedAnswers({ clock: { nowMs: () => now.ms }, report: (message) => expect(message).toBe('') });
  return answers;
}

function get(made: SimulatedAnswers, address: string, path: string, method = 'GET'): Promise<string> {
  return new Promise((resolve, reject) => {
    const to = { host: address, port: made.portOf(address) ?? 1, path, method, agent };
    const sent = httpRequest(to, (response) => {
      let body = '';
      response.on('data', (chunk) => {
        body += String(chunk);
      });
      response.on('end', () => resolve(`${response.statusCode} ${body}`));
    });
    sent.on('error', (error: NodeJS.ErrnoException) => reject(new Error(error.code)));
    sent.end();
  });
}

test('counters grow with the clock, each at its own pace', () => {
  const text = metricsText(pod('web', '10.128.0.3', { series: 12 }), 11_000);
  expect(text).toContain('signalbox_simulated_info{namespace="shop",pod="web",node="node-1"} 1\n');
  expect(text).toContain('process_start_time_seconds 1\n');
  expect(text.match(/^signalbox_simulated_events_total.*$/gm)).toHaveLength(12);
  expect(text).toContain('signalbox_simulated_events_total{series="9"} 100\n');
  expect(text).toContain('signalbox_simulated_events_total{series="10"} 10\n');
  expect(metricsText(pod('a"b\\', '10.128.0.3'), 0)).toContain('pod="a\\"b\\\\"');
});

test('each pod answers as itself', async () => {
  const made = create();
  await made.set({ pods: [pod('one', '127.0.65.1'), pod('two', '127.0.65.2', { series: 1 })] });
  expect(await get(made, '127.0.65.1', '/metrics?x=1')).toMatch(/^200 .*pod="one"/s);
  expect(await get(made, '127.0.65.2', '/metrics')).toMatch(/pod="two".*events_total\{series="0"\} 10\n/s);
  expect(await get(made, '127.0.65.2', '/-/ready')).toBe('200 simulated pod shop/two\n');
  expect(await get(made, '127.0.65.2', '/-/healthy', 'HEAD')).toBe('200 ');
  expect(await get(made, '127.0.65.2', '/other')).toBe('404 Not Found\n');
  expect(await get(made, '127.0.65.2', '/metrics', 'POST')).toBe('405 Method Not Allowed\n');
});

test('those that go refuse, those that stay keep their connections', async () => {
  const made = create();
  const [one, two] = [pod('one', '127.0.65.1'), pod('two', '127.0.65.2')];
  await made.set({ pods: [one, two] });
  const port = made.portOf('127.0.65.2');
  await get(made, '127.0.65.1', '/');
  await get(made, '127.0.65.2', '/');
  await made.set({ pods: [{ ...one, name: 'renamed' }] });
  expect(await get(made, '127.0.65.1', '/')).toBe('200 simulated pod shop/renamed\n');
  expect(made.portOf('127.0.65.2')).toBeUndefined();
  await expect(get({ ...made, portOf: () => port }, '127.0.65.2', '/')).rejects.toThrow(/ECONN(REFUSED|RESET)/);
  await expect(get({ ...made, portOf: () => port }, '127.0.65.2', '/')).rejects.toThrow('ECONNREFUSED');
});

test('thousands of addresses are one table', async () => {
  const made = create();
  const pods = Array.from({ length: 2_000 }, (_, each) => pod(`pod-${each}`, `127.1.${each >> 8}.${each & 255}`));
  await made.set({ pods: pods.slice(1) });
  expect(await get(made, '127.1.7.207', '/')).toBe('200 simulated pod shop/pod-1999\n');
});
