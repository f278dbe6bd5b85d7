/** The paths of the protocol, said once for both sides. */
import type { ContainerId } from './inside.ts';

const of = encodeURIComponent;
const containerPath = ({ pod, name }: ContainerId): string => `/pods/${of(pod)}/containers/${of(name)}`;

interface Paths {
  readonly state: string;
  readonly usage: string;
  readonly services: string;
  readonly zone: string;
  readonly simulated: string;
  readonly end: string;
  events(since: number): string;
  pod(uid: string): string;
  volumes(uid: string): string;
  volume(uid: string, name: string): string;
  container(id: ContainerId): string;
  signal(id: ContainerId): string;
  exec(id: ContainerId): string;
  attach(id: ContainerId): string;
}

export const paths: Paths = {
  state: '/state',
  usage: '/usage',
  services: '/services',
  zone: '/zone',
  simulated: '/simulated',
  end: '/end',
  events: (since) => `/events?since=${since}`,
  pod: (uid) => `/pods/${of(uid)}`,
  volumes: (uid) => `/pods/${of(uid)}/volumes`,
  volume: (uid, name) => `/pods/${of(uid)}/volumes/${of(name)}`,
  container: containerPath,
  signal: (id) => `${containerPath(id)}/signal`,
  exec: (id) => `${containerPath(id)}/exec`,
  attach: (id) => `${containerPath(id)}/attach`,
};

/** With CONNECT: whose loopback interface is meant. */
export const podHeader = 'signalbox-pod';

/** What a connection turns into for exec and attach (`frames.ts`). */
export const sessionUpgrade = 'signalbox-session';

export interface PathParts {
  /** With a star for each name: `/pods/UID/containers/NAME/exec` without the names. */
  readonly pattern: string;
  readonly names: readonly string[];
  readonly query: URLSearchParams;
}

/** Names stand at every second place. */
export function partsOf(path: string): PathParts {
  const url = new URL(path, 'http://inside');
  const steps = url.pathname.split('/').slice(1);
  const isName = (index: number): boolean => index % 2 === 1;
  return {
    pattern: `/${steps.map((step, index) => (isName(index) ? '*' : step)).join('/')}`,
    names: steps.filter((_, index) => isName(index)).map(decodeURIComponent),
    query: url.searchParams,
  };
}
