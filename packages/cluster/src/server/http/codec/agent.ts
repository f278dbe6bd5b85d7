import type { User } from '../../../api/operation.ts';
import type { RequestHead } from './decode.ts';

const agentCharactersMax = 128;

/** Who sends a request, and with what program. */
export interface Sender {
  readonly user: User;
  readonly agent?: string;
}

export function senderOf({ headers }: RequestHead, user: User): Sender {
  const agent = agentOf(headers['user-agent'] ?? '');
  return { user, ...(agent !== '' && { agent }) };
}

/** `kubectl/v1.34.2 (linux/amd64) kubernetes/f5d35a2` is kubectl. The name ends where upstream's would: at the first slash. */
function agentOf(header: string): string {
  const name = header.slice(0, header.indexOf('/') === -1 ? undefined : header.indexOf('/'));
  return name.replaceAll(/[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu, '').slice(0, agentCharactersMax);
}
