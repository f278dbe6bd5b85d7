/** Where things lie below the node's folder. Both sides of the socket know them. */
import { createHash } from 'node:crypto';
import { join } from 'node:path';

export interface NodePlaces {
  /** What pods see as the node's file system by hostPath. */
  readonly host: string;
  /** As a kubelet has them: `/var/log/pods/NAMESPACE_NAME_UID/CONTAINER/ATTEMPT.log` below `host`. */
  readonly podLogs: string;
  readonly containerLogs: string;
  readonly pods: string;
  readonly claims: string;
  /** How containers ended with the process inside. */
  readonly ends: string;
  readonly images: string;
  /** The doors, by names in a folder: their paths would be too long for a socket. */
  readonly doors: string;
}

export function nodePlaces(folder: string): NodePlaces {
  const host = join(folder, 'host');
  return {
    host,
    podLogs: join(host, 'var/log/pods'),
    containerLogs: join(host, 'var/log/containers'),
    pods: join(folder, 'pods'),
    claims: join(folder, 'claims'),
    ends: join(folder, 'ends.json'),
    images: join(folder, 'images'),
    doors: join(folder, 'doors'),
  };
}

/** In `doors`: where the agent reaches the process inside, and where that one reaches the API server and what egress names. */
export const insideDoor = 'inside.sock';
export const apiDoor = 'api.sock';
export const egressDoor = 'egress.sock';

export function podFolder({ pods }: NodePlaces, uid: string): string {
  return join(pods, uid);
}

export interface LogPlace {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly container: string;
  readonly attempt: number;
}

export function containerLog({ podLogs }: NodePlaces, { namespace, name, uid, container, attempt }: LogPlace): string {
  return join(podLogs, `${namespace}_${name}_${uid}`, container, `${attempt}.log`);
}

/** Of the node's control groups: of this folder, and of no other. */
export function groupName(folder: string): string {
  return `signalbox-${createHash('sha256').update(folder).digest('hex').slice(0, 12)}`;
}
