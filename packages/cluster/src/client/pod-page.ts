import { pods } from '../api/generated/kinds.ts';
import type { KubeObject } from '../api/meta.ts';
import type { Status } from '../api/status.ts';
import type { Client } from './client.ts';
import type { Waiting } from './transport.ts';

/** Something that a pod serves. */
export interface PodPage {
  readonly namespace: string;
  readonly pod: string;
  readonly scheme: 'http' | 'https';
  readonly port: number;
  /** `/metrics` */
  readonly path: string;
  readonly parameters?: Readonly<Record<string, string>>;
}

/**
 * Reads it by way of the API server, which reaches every pod wherever this process runs. JSON as it came; rejects with a
 * `StatusError` when the pod does not answer or refuses.
 */
export function readPodPage(client: Client, page: PodPage, { signal }: Waiting): Promise<KubeObject> {
  const { namespace, pod, scheme, port, path, parameters = {} } = page;
  const name = `${scheme === 'https' ? 'https:' : ''}${pod}:${port}`;
  return client.get(pods, { namespace, name, subresource: 'proxy', below: path, parameters, signal });
}

/** The same for a page that is text. Empty when it is none. */
export async function readPodText(client: Client, page: PodPage, waiting: Waiting): Promise<string> {
  const answer: object = await readPodPage(client, page, waiting);
  return (answer as Partial<Status>).message ?? '';
}
