import { isIP } from 'node:net';
import { checkUrl, type Place } from './checks.ts';

/**
 * Where service discovery finds the API server: an address with its scheme, or a host or IP with an optional port, which
 * stays as it is written. Only what Go does not read without a scheme gets that of every API server.
 */
export function apiServerAddress(text: string | undefined, { leaf, at }: Place): string | undefined {
  const [read] = text === undefined || text === '' ? [] : leaf.readings(text);
  if (read === undefined || read.includes('://')) {
    checkUrl(text, { leaf, at });
    return text;
  }
  if (isIP(read) === 6) return `https://[${read}]`;
  const [, host = '', port] = /^(\[[^\]]*\]|[^:]*)(?::(.*))?$/.exec(read) ?? [];
  const isAddress = isIP(host) === 4 || (host.startsWith('[') && isIP(host.slice(1, -1)) === 6);
  const isPort = port === undefined || (/^\d{1,5}$/.test(port) && Number(port) <= 65_535);
  if (!isPort || !(isAddress || hostName.test(host))) {
    leaf.reject('InvalidField', at, 'is no host or IP with an optional port, and no URL');
    return text;
  }
  return isAddress && (port !== undefined || host.startsWith('[')) ? `https://${read}` : text;
}

const label = '[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?';
const hostName = new RegExp(`^(?=.{1,253}$)${label}(?:\\.${label})*\\.?$`);
