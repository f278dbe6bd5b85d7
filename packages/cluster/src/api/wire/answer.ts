import { parseExactJson } from '../../base/exact-json.ts';
import type { KubeList, KubeObject } from '../meta.ts';
import type { Outcome } from '../operation.ts';
import { failure, StatusError } from '../status.ts';

/** What came back over the wire. */
export interface Answered {
  readonly contentType: string;
  readonly text: string;
}

/** The object of an answer that is no refusal. `server` is whom a complaint names. */
export function objectOf(answer: Answered, server: string): Outcome['object'] {
  // The log of a pod and its metrics are text; there is no kind for it, so it travels as the message of a Status.
  if (/^(text\/plain|application\/openmetrics-text)/.test(answer.contentType))
    return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', message: answer.text, code: 200 };
  let value: Outcome['object'];
  try {
    value = parseExactJson(answer.text) as Outcome['object'];
  } catch (cause) {
    const message = `${server} answered with something that is no JSON; is it a Kubernetes API server?`;
    throw new StatusError(failure(500, 'InternalError', message, {}), { cause });
  }
  return 'items' in value ? typed(value) : value;
}

/** Kubernetes leaves out kind and apiVersion of a list's items. */
function typed(list: KubeList): KubeList {
  const { apiVersion } = list;
  const kind = list.kind.replace(/List$/, '');
  const items = (list.items as readonly Partial<KubeObject>[] | null) ?? [];
  const complete = items.map((item) => (item.kind === undefined ? { apiVersion, kind, ...item } : item));
  return { ...list, items: complete as readonly KubeObject[] };
}

/** `299 - "text"`, several of them in one header or in many. */
export function warningsOf(header: string | readonly string[] | undefined): readonly string[] {
  const text = [header ?? []].flat().join(', ');
  return [...text.matchAll(/299 \S+ "((?:[^"\\]|\\.)*)"/g)].map(([, quoted = '']) =>
    Buffer.from(quoted.replace(/\\(.)/g, '$1'), 'latin1').toString('utf8'),
  );
}
