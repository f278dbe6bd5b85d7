import type { Node } from '../../api/generated/core-v1.ts';
import { driverAnnotation } from '../../resources/core/node.ts';

/** Where the kubelet of a node that is not the embedded fleet's is reached. */
export interface Door {
  readonly host: string;
  readonly port: number;
  /** It is one of ours, which dials ports of its pods for the server. */
  readonly isOwn: boolean;
}

/** `https://127.0.0.1:41234`: a kubelet of this machine whose node has an address in a network of its own. */
export const kubeletAnnotation = 'signalbox.dev/kubelet';

const kubeletPort = 10_250;

/** Undefined: the node says nowhere where that would be. */
export function doorOf({ metadata, status }: Node): Door | undefined {
  const { annotations = {} } = metadata;
  const given = annotations[driverAnnotation] === undefined ? undefined : annotations[kubeletAnnotation];
  if (given !== undefined) return loopbackDoor(given);
  const host = status?.addresses?.find(({ type }) => type === 'InternalIP')?.address;
  const port = status?.daemonEndpoints?.kubeletEndpoint?.Port ?? kubeletPort;
  return host === undefined ? undefined : { host, port, isOwn: false };
}

/** Whoever may write nodes must not make the server call anything else of the network. */
function loopbackDoor(text: string): Door | undefined {
  const [, host = '', port = ''] = /^https:\/\/(127\.0\.0\.1|\[::1\]):(\d{1,5})$/.exec(text) ?? [];
  return host === '' ? undefined : { host: host.replace(/[[\]]/g, ''), port: Number(port), isOwn: true };
}

export function isLoopback(address: string): boolean {
  return address === '::1' || /^(::ffff:)?127\./.test(address);
}

/** As it stands in a URL and in messages: `10.0.0.1:10250`, `[::1]:10250`. */
export function addressOf({ host, port }: Pick<Door, 'host' | 'port'>): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}
