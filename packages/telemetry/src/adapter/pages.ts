import { type Client, type Container, type Pod, type PodPage, readPodText } from '@signalbox/cluster';
import type { Page } from './rule.ts';

/** Reads what a pod says about itself. Rejects when it does not answer, and with the signal's reason. */
export type ReadPage = (target: PageTarget, options: { readonly signal: AbortSignal }) => Promise<string>;

export interface PageTarget extends PodPage {
  /** The pod's address in the cluster's network. */
  readonly address: string;
}

/** Where the page of a pod is; undefined while it has no address or no such port. Pure. */
export function targetOf(pod: Pod, page: Page): PageTarget | undefined {
  const { podIP = '', phase } = pod.status ?? {};
  if (phase !== 'Running' || podIP === '') return undefined;
  const ports = pod.spec.containers.flatMap((container) =>
    (container.ports ?? []).map((port) => ({ container, port })),
  );
  const wanted = page.port;
  const found = ports.find(
    ({ port }) => wanted === undefined || port.name === wanted || String(port.containerPort) === wanted,
  );
  const port = found?.port.containerPort ?? (wanted === undefined ? Number.NaN : Number(wanted));
  if (!Number.isInteger(port)) return undefined;
  const asked = found && readinessOf(found.container, { port, name: found.port.name });
  return {
    namespace: pod.metadata.namespace ?? '',
    pod: pod.metadata.name,
    address: podIP,
    scheme: page.scheme ?? (asked?.scheme?.toLowerCase() === 'https' ? 'https' : 'http'),
    port,
    path: page.path ?? `${prefixOf(asked?.path)}/metrics`,
  };
}

interface Asked {
  readonly scheme?: string;
  readonly path?: string;
}

function readinessOf(
  container: Container,
  { port, name }: { readonly port: number; readonly name?: string | undefined },
): Asked | undefined {
  const { httpGet } = container.readinessProbe ?? container.startupProbe ?? {};
  return httpGet !== undefined && (httpGet.port === port || httpGet.port === name) ? (httpGet as Asked) : undefined;
}

/** `/prometheus/-/ready` ⇒ `/prometheus`. */
function prefixOf(path = ''): string {
  return /^(\/.*?)?\/-\/\w+$/.exec(path)?.[1] ?? '';
}

/** By way of the API server, which reaches every pod, wherever this process runs. */
export function proxiedPages(client: Client): ReadPage {
  return (target, waiting) => readPodText(client, target, waiting);
}
