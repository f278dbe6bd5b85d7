/**
 * Reads raw `up` samples back from a Prometheus that agents write to, and prints each target's longest gap and every double scrape:
 *
 *     node --import tsx tools/gaps/main.ts --url http://127.0.0.1:9090 --window 10m
 *     kubectl get --raw '/api/v1/namespaces/monitoring/services/receiver:9090/proxy/api/v1/query?query=up\[10m\]' |
 *       node --import tsx tools/gaps/main.ts --json
 */
import { text } from 'node:stream/consumers';
import { readArguments } from '../arguments.ts';
import { formatGaps } from './format.ts';
import { findGaps } from './gaps.ts';
import { parseScrapes } from './samples.ts';

const usage =
  'gaps/main.ts [--url URL] [--window 10m] [--query up] [--replica-label prometheus_replica] [--most 20] [--json]';
const { values } = readArguments(
  {
    options: {
      url: { type: 'string' },
      window: { type: 'string', default: '10m' },
      query: { type: 'string', default: 'up' },
      'replica-label': { type: 'string', default: 'prometheus_replica' },
      most: { type: 'string' },
      json: { type: 'boolean', default: false },
    },
  },
  usage,
);

try {
  const answer = values.url === undefined ? await text(process.stdin) : await asked(values.url);
  const report = findGaps(parseScrapes(answer, { replicaLabel: values['replica-label'] }));
  const most = values.most === undefined ? {} : { most: Number(values.most) };
  process.stdout.write(values.json ? `${JSON.stringify(report)}\n` : formatGaps(report, most));
} catch (error) {
  process.stderr.write(`error: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}

async function asked(url: string): Promise<string> {
  const query = new URLSearchParams({ query: `${values.query}[${values.window}]` });
  const response = await fetch(`${url.replace(/\/$/, '')}/api/v1/query?${query.toString()}`);
  return response.text();
}
