import { durationMs } from '@signalbox/cluster';
import { InvalidArgumentError, Option } from 'commander';
import { type ListenAddress, listenAddressFrom } from '../io/listen-address.ts';
import { logLevels } from '../io/log.ts';
import { memoryLimitBytesMin, parseMemorySize } from '../io/memory-size.ts';
import { isSelector, parseLabels } from './node-options.ts';

export function outputOption(): Option {
  return new Option('-o, --output <form>', 'how to print the result').choices(['text', 'json']).default('text');
}

/** Of commands that go on for long: what they say on standard error. */
export function logOptions(): readonly [level: Option, form: Option] {
  return [
    new Option('--log-level <level>', 'leave out of the log what is less important').choices(logLevels).default('info'),
    new Option('--log-format <form>', 'lines for people, or one JSON object a line')
      .choices(['text', 'json'])
      .default('text'),
  ];
}

/** The folder of a cluster that is there. */
export function dataOption(): Option {
  return new Option('--data <dir>', 'folder of the cluster').default('.signalbox');
}

const nodesMax = 100_000;

export function parseNodes(text: string): number {
  const nodes = wholeNumber(text);
  if (nodes === undefined || nodes > nodesMax)
    throw new InvalidArgumentError(`It must be a whole number from 0 to ${nodesMax}, e.g. --nodes 5.`);
  return nodes;
}

export function parsePort(text: string): number {
  const port = wholeNumber(text);
  if (port === undefined || port > 65_535)
    throw new InvalidArgumentError('It must be a whole number from 0 to 65535; 0 takes any free one.');
  return port;
}

export function parseListenAddress(text: string): ListenAddress {
  const address = listenAddressFrom(text);
  if (address === undefined)
    throw new InvalidArgumentError('It must be an address and a port such as 127.0.0.1:8080 or :8080.');
  return address;
}

function wholeNumber(text: string): number | undefined {
  return /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}

export function parseTimeout(text: string): number {
  // A bare number counts seconds.
  const timeoutMs = /^\d+$/.test(text) ? Number(text) * 1_000 : durationMs(text);
  if (timeoutMs === undefined) throw new InvalidArgumentError('It must be a duration such as 90s, 2m or 1h.');
  return timeoutMs;
}

export function parseMemoryLimit(text: string): number {
  const bytes = parseMemorySize(text);
  if (bytes === undefined || bytes < memoryLimitBytesMin)
    throw new InvalidArgumentError('It must be a size of at least 256Mi, e.g. 512Mi or 2Gi.');
  return bytes;
}

/** What an operator is told of all that it makes and looks after. */
export function scopeOptions(): readonly [labels: Option, agentSelector: Option] {
  return [
    new Option('--labels <list>', 'labels for everything that it makes, such as team=a,env=prod').argParser(
      parseLabels,
    ),
    new Option('--agent-selector <labels>', 'look after these GrafanaAgents only (default: all)').argParser(
      parseSelector,
    ),
  ];
}

export interface ScopeFlags {
  readonly labels?: Readonly<Record<string, string>>;
  readonly agentSelector?: string;
}

function parseSelector(text: string): string {
  if (!isSelector(text)) throw new InvalidArgumentError('It must be a label selector such as team=a,env!=test.');
  return text;
}
