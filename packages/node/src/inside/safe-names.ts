/** Names of pods and containers become names of files: what is not plainly one is refused. */
import { invalid } from '../protocol/failure.ts';
import type { ContainerId, PodPlace } from '../protocol/inside.ts';

const uidPattern = /^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/;
const namePattern = /^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/;
const labelPattern = /^[a-zA-Z0-9]([-a-zA-Z0-9]{0,61}[a-zA-Z0-9])?$/;
/** The kernel's; a pod may be called by its whole name, with dots. */
const hostnameMax = 64;
const addressPattern = /^\d{1,3}(\.\d{1,3}){3}$/;

export function assertUid(uid: string): void {
  if (!uidPattern.test(uid)) throw invalid(`${JSON.stringify(uid)} is no uid of a pod`);
}

export function assertContainer({ pod, name }: ContainerId): void {
  assertUid(pod);
  if (!namePattern.test(name) || name.includes('..'))
    throw invalid(`${JSON.stringify(name)} is no name of a container`);
}

export function assertPlace({ uid, namespace, name, hostname, address }: PodPlace): void {
  assertUid(uid);
  for (const each of [namespace, name])
    if (!namePattern.test(each) || each.includes('..')) throw invalid(`${JSON.stringify(each)} is no name of a pod`);
  if (hostname.length > hostnameMax || !hostname.split('.').every((each) => labelPattern.test(each)))
    throw invalid(`${JSON.stringify(hostname)} is no host name`);
  if (address !== undefined && !addressPattern.test(address)) throw invalid(`${JSON.stringify(address)} is no address`);
}
