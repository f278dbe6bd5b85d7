/** What is to be started for a container of a pod. */
import type { Container, EphemeralContainer, Pod } from '@signalbox/cluster';
import type { Image } from '../images/image.ts';
import type { ContainerLaunch } from '../protocol/launch.ts';
import type { PodAround } from './around.ts';
import { containerEnv } from './env.ts';
import { expand } from './expand.ts';
import { badConfig, type Made, made } from './made.ts';
import { mountsOf } from './mounts.ts';
import { kernelName } from './place.ts';
import { limitsOf, unknownResources } from './resources.ts';
import { containerUser } from './user.ts';

export interface LaunchAround extends PodAround {
  readonly image: Image;
  /** How often the container was started before. */
  readonly attempt: number;
}

export interface Launch {
  readonly launch: ContainerLaunch;
  /** For events of the pod, with the reason `InvalidEnvironmentVariableNames`. */
  readonly skippedVariables: readonly string[];
}

const defaultPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
const terminationPathDefault = '/dev/termination-log';

/** Refused with the reason and message that the container waits with: `CreateContainerConfigError`. */
export function containerLaunch(
  pod: Pod,
  container: Container | EphemeralContainer,
  around: LaunchAround,
): Made<Launch> {
  const { image, attempt } = around;
  const [device] = unknownResources(container);
  if (device !== undefined)
    return badConfig(`container asks for ${device}, which this node does not have: remove it from resources`);
  const user = containerUser(pod, container, image);
  if (!user.ok) return user;
  const env = containerEnv({ pod, container, around });
  if (!env.ok) return env;
  const { variables, skipped } = env.value;
  const mounts = mountsOf({ pod, container, env: variables });
  if (!mounts.ok) return mounts;
  const [program, ...args] = argvOf(container, { image, variables });
  if (program === undefined || program === '')
    return { ok: false, reason: 'CreateContainerError', message: 'no command specified' };
  const { uid, gid, groups, home } = user.value;
  const { securityContext = {}, stdin = false, stdinOnce = false, tty = false } = container;
  const { targetContainerName: target = '' } = container as Partial<EphemeralContainer>;
  const launch: ContainerLaunch = {
    ...{ pod: pod.metadata.uid, name: container.name, attempt, root: image.root },
    argv: [program, ...args],
    env: {
      PATH: defaultPath,
      HOME: home,
      HOSTNAME: kernelName(pod, around.node),
      ...(tty ? { TERM: 'xterm' } : {}),
      ...image.env,
      ...Object.fromEntries(variables),
    },
    cwd: firstOf(container.workingDir, image.workingDir, '/'),
    mounts: mounts.value,
    user: { uid, gid, groups },
    capabilities: { add: securityContext.capabilities?.add ?? [], drop: securityContext.capabilities?.drop ?? [] },
    isPrivileged: securityContext.privileged === true,
    allowsPrivilegeEscalation: securityContext.allowPrivilegeEscalation !== false,
    isRootReadOnly: securityContext.readOnlyRootFilesystem === true,
    limits: limitsOf(container, { image }),
    ...{ stdin, stdinOnce, tty },
    ...(target !== '' && { processesOf: target }),
    termination: {
      path: firstOf(container.terminationMessagePath, terminationPathDefault),
      isFromLog: container.terminationMessagePolicy === 'FallbackToLogsOnError',
    },
  };
  return made({ launch, skippedVariables: skipped });
}

interface Command {
  readonly image: Image;
  readonly variables: ReadonlyMap<string, string>;
}

/** A command of one's own makes the image's arguments meaningless; arguments of one's own replace only them. */
function argvOf({ command = [], args = [] }: Container, { image, variables }: Command): readonly string[] {
  const expanded = (texts: readonly string[]): readonly string[] =>
    texts.map((text) => expand(text, (name) => variables.get(name)));
  if (command.length > 0) return [...known(expanded(command), image), ...expanded(args)];
  return [...image.entrypoint, ...(args.length > 0 ? expanded(args) : image.cmd)];
}

/** A program does not lie where the real image has it. */
function known([program = '', ...rest]: readonly string[], { aliases }: Image): readonly string[] {
  const name = program.split('/').at(-1) ?? '';
  return [...((Object.hasOwn(aliases, name) ? aliases[name] : undefined) ?? [program]), ...rest];
}

function firstOf(...texts: readonly (string | undefined)[]): string {
  return texts.find((text) => text !== undefined && text !== '') ?? '';
}
