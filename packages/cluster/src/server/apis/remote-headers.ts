import { remoteHeaderNames } from '../../api/front-proxy.ts';
import type { User } from '../../api/operation.ts';

export function remoteHeaders({
  name,
  uid,
  groups,
  extra = {},
}: User): Readonly<Record<string, string | readonly string[]>> {
  const extras = Object.entries(extra).map(([key, values]) => [
    remoteHeaderNames.extraPrefix + encodeURIComponent(key),
    values.map(bytes),
  ]);
  return {
    [remoteHeaderNames.user]: bytes(name),
    ...(uid !== undefined && { [remoteHeaderNames.uid]: bytes(uid) }),
    ...(groups.length > 0 && { [remoteHeaderNames.group]: groups.map(bytes) }),
    ...(Object.fromEntries(extras) as Readonly<Record<string, readonly string[]>>),
  };
}

/** Header bytes are UTF-8 as upstream sends them; Node takes one character per byte. */
function bytes(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1');
}
