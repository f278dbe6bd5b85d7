/** Passwords that stand in URLs: whatever object holds them, no event of an audit log does. Pure. */
import { isObject, put } from '../../api/record.ts';
import type { AuditEvent } from './event.ts';

const hidden = '***';

/** `https://ann:hunter2@host` → `https://ann:***@host`, everywhere in a text. */
export function withoutPasswords(text: string): string {
  return text.includes('://') ? text.replace(/(:\/\/[^\s"'/?#@:\\]*):[^\s"'/?#@\\]+@/g, `$1:${hidden}@`) : text;
}

/**
 * What goes on to a pod, a node or somebody's server is asked in words that are theirs: the names stay, the values go. Of other
 * requests a token goes that is no way to say who one is here, and may be one elsewhere.
 */
export function openUri(uri: string): string {
  const question = uri.indexOf('?');
  if (question < 0) return uri;
  if (!/\/(?:pods|services|nodes)\/[^/]+\/proxy(?:\/|$)/.test(uri.slice(0, question)))
    return uri.replace(/([?&]access_token=)[^&]*/gi, `$1${hidden}`);
  return `${uri.slice(0, question)}?${uri.slice(question + 1).replace(/=[^&]*/g, `=${hidden}`)}`;
}

/** The same event where there is nothing to hide. */
export function withOpenUrls(event: AuditEvent): AuditEvent {
  const { requestURI } = event;
  const open = openPart(event) as AuditEvent;
  const uri = openUri(open.requestURI);
  return uri === requestURI ? open : { ...open, requestURI: uri };
}

function openPart(value: unknown): unknown {
  if (typeof value === 'string') return withoutPasswords(value);
  if (Array.isArray(value)) {
    const parts = value.map(openPart);
    return parts.some((part, index) => part !== value[index]) ? parts : value;
  }
  if (!isObject(value)) return value;
  let open: Record<string, unknown> | undefined;
  for (const [key, part] of Object.entries(value)) {
    const shown = openPart(part);
    if (shown === part) continue;
    open ??= { ...value };
    put(open, key, shown);
  }
  return open ?? value;
}
