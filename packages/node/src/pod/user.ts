/** As whom a container runs: what its pod says, else its image. */
import type { Container, Pod } from '@signalbox/cluster';
import { findAccount } from '../images/accounts.ts';
import type { Image } from '../images/image.ts';
import type { RunAs } from '../protocol/launch.ts';
import { badConfig, type Made, made } from './made.ts';

export interface ContainerUser extends Required<RunAs> {
  readonly home: string;
}

export function containerUser(pod: Pod, container: Container, image: Image): Made<ContainerUser> {
  const wide = pod.spec.securityContext ?? {};
  const own = container.securityContext ?? {};
  const runAsUser = own.runAsUser ?? wide.runAsUser;
  const runAsGroup = own.runAsGroup ?? wide.runAsGroup;
  if (own.runAsNonRoot ?? wide.runAsNonRoot ?? false) {
    const breach = rootBreach(runAsUser, { pod, container, image });
    if (breach !== undefined) return badConfig(breach);
  }
  const found = findAccount(runAsUser === undefined ? image.user : String(runAsUser), image.accounts);
  if (found.is === 'unknown')
    return {
      ok: false,
      reason: 'CreateContainerError',
      message: `unable to find ${found.what}: no matching entries in the image's accounts`,
    };
  const gid = runAsGroup ?? found.gid;
  const named = wide.supplementalGroupsPolicy === 'Strict' ? [] : found.groups;
  const groups = [...named, ...(wide.supplementalGroups ?? []), ...(wide.fsGroup === undefined ? [] : [wide.fsGroup])];
  return made({
    uid: found.uid,
    gid,
    groups: [...new Set(groups)].filter((each) => each !== gid),
    home: found.home,
  });
}

interface Of {
  readonly pod: Pod;
  readonly container: Container;
  readonly image: Image;
}

function rootBreach(runAsUser: number | undefined, { pod, container, image }: Of): string | undefined {
  const { name, namespace, uid } = pod.metadata;
  const where = `(pod: "${name}_${namespace}(${uid})", container: ${container.name})`;
  if (runAsUser !== undefined)
    return runAsUser === 0 ? `container's runAsUser breaks non-root policy ${where}` : undefined;
  const [user = ''] = image.user.split(':');
  if (user === '' || /^0+$/.test(user)) return `container has runAsNonRoot and image will run as root ${where}`;
  if (/^\d+$/.test(user)) return undefined;
  return `container has runAsNonRoot and image has non-numeric user (${user}), cannot verify user is non-root ${where}`;
}

/** The user of all containers, where they have one in common: whom files made for the pod belong to. */
export function commonUser({ spec }: Pod): number | undefined {
  const wide = spec.securityContext?.runAsUser;
  const users = [...(spec.initContainers ?? []), ...spec.containers].map(
    ({ securityContext }) => securityContext?.runAsUser ?? wide,
  );
  return users.every((each) => each === users[0]) ? users[0] : undefined;
}
