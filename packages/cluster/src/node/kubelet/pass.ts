import type { Passed, Passing } from '../../api/passing.ts';
import { type PassingOn, passOn } from '../../passing/pass.ts';
import { callKubelet, type KubeletCredentials } from './call.ts';
import type { Door } from './door.ts';

export interface Destination extends Pick<PassingOn, 'path' | 'adds'> {
  readonly door: Door;
  readonly credentials: KubeletCredentials | undefined;
}

/** Hands a request on; answers and upgraded connections come back as they are. Rejects when the kubelet is not reached. */
export function passToKubelet({ door, credentials, ...to }: Destination, passing: Passing): Promise<Passed> {
  return passOn({ ...to, send: (call) => callKubelet(door, call, credentials) }, passing);
}
