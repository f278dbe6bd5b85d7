/** Who can reach the API, under which names, and what they are told about it. Pure. */
import { isIP } from 'node:net';
import type { Advertised } from '@signalbox/cluster';
import type { Io } from '../io/io.ts';

/** A name or an address, perhaps with a port: `box.example.com`, `10.1.2.3:16443`, `[fd00::1]:6443`, `fd00::1`. */
export function parseAdvertised(text: string): Advertised | undefined {
  if (isIP(text) === 6) return { host: text };
  const [, bracketed, bare, digits] = /^(?:\[([^\]]+)\]|([^:[\]]+))(?::(\d{1,5}))?$/.exec(text) ?? [];
  const host = bracketed ?? bare ?? '';
  if (bracketed !== undefined ? isIP(bracketed) !== 6 : !isHostName(host) || host.startsWith('*')) return undefined;
  if (digits === undefined) return { host };
  const port = Number(digits);
  return port >= 1 && port <= 65_535 ? { host, port } : undefined;
}

/** What a certificate may be made out to: an IP address or a DNS name, which may start with `*.`. */
export function isCertificateName(text: string): boolean {
  return isIP(text) !== 0 || isHostName(text);
}

const label = /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9])?$/i;

function isHostName(text: string): boolean {
  if (isIP(text) === 4) return true;
  // What looks like an address and is none would be a name that nobody can resolve.
  if (text.length > 253 || /^[\d.]+$/.test(text)) return false;
  return text
    .replace(/^\*\.(?=.)/, '')
    .split('.')
    .every((part) => label.test(part));
}

/** Names besides the host for the server's certificate: those asked for, and all of the computer's where it listens on all. */
export function certificateNames(
  { host, names }: { readonly host: string; readonly names: readonly string[] },
  io: Pick<Io, 'host' | 'addresses'>,
): readonly string[] {
  if (!isEveryAddress(host)) return names;
  return [...names, ...(isCertificateName(io.host) ? [io.host] : []), ...io.addresses()];
}

/** What to warn of when others than this computer's users can reach the API; undefined: nobody can. */
export function reachWarning(
  { address, port }: { readonly address: string; readonly port: number },
  io: Pick<Io, 'addresses'>,
): string | undefined {
  if (isLoopback(address)) return undefined;
  const places = isEveryAddress(address) ? io.addresses() : [address];
  const where = isEveryAddress(address)
    ? `every address of this computer${places.length === 0 ? '' : ` (${places.join(', ')})`}`
    : address;
  return `the API listens on ${where}: whoever can reach port ${port} there and has the kubeconfig may do everything; --host 127.0.0.1 keeps it to this computer`;
}

function isEveryAddress(host: string): boolean {
  return host === '0.0.0.0' || /^[0:]*:[0:]*$/.test(host);
}

function isLoopback(address: string): boolean {
  return /^(::ffff:)?127\./.test(address) || address === '::1';
}
