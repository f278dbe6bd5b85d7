import { isIP, isIPv4, isIPv6 } from 'node:net';
import { fromStrictTimestamp } from '../../base/clock.ts';
import { parseGoDuration } from '../../base/duration.ts';
import { base64Problem } from './scalar.ts';

const dateTime = /^(\d{4}-\d{2}-\d{2})[Tt](\d{2}:\d{2}:\d{2})(\.\d+)?([Zz]|[+-]\d{2}:\d{2})$/;
const uuid = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i;
const hostname = /^[a-zA-Z0-9](?:[-a-zA-Z0-9]{0,62})(?:\.[a-zA-Z0-9](?:[-a-zA-Z0-9]{0,62}))*\.?$/;
const mac = /^[0-9a-f]{2}(?:([:-])[0-9a-f]{2})(?:\1[0-9a-f]{2}){4}$/i;

const formats: ReadonlyMap<string, (text: string) => boolean> = new Map([
  ['date-time', (text) => dateTime.test(text) && !Number.isNaN(fromStrictTimestamp(text.toUpperCase()))],
  ['date', (text) => !Number.isNaN(fromStrictTimestamp(`${text}T00:00:00Z`))],
  ['byte', (text) => base64Problem(text) === undefined],
  ['uuid', (text) => uuid.test(text)],
  ['ip', (text) => isIP(text) !== 0],
  ['ipv4', (text) => isIPv4(text)],
  ['ipv6', (text) => isIPv6(text)],
  ['cidr', isCidr],
  ['hostname', (text) => text.length <= 255 && hostname.test(text)],
  ['email', (text) => text.length <= 320 && /^[^\s@<>]+@[^\s@<>]+$/.test(text)],
  ['uri', (text) => URL.canParse(text) || text.startsWith('/')],
  ['mac', (text) => mac.test(text)],
  ['duration', (text) => typeof parseGoDuration(text) === 'number'],
]);

/** Whether the text breaks the format. Formats that Kubernetes does not know mean nothing. */
export function formatProblem(text: string, format: string): boolean {
  return formats.get(format)?.(text) === false;
}

function isCidr(text: string): boolean {
  const parts = /^([^/]+)\/(\d{1,3})$/.exec(text);
  if (parts === null) return false;
  const family = isIP(parts[1] ?? '');
  return family !== 0 && Number(parts[2]) <= (family === 4 ? 32 : 128);
}
