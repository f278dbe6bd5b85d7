/**
 * The entry of the process inside: its namespaces have been made, and it is the first process in them. When it ends, the
 * kernel ends all others, and nothing of its network or its mounts is left.
 */
import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { optimizeLater } from '@signalbox/cluster';
import { doorPath } from '../protocol/door.ts';
import { groupName, insideDoor, nodePlaces } from '../protocol/places.ts';
import { createInsideServer } from '../protocol/server.ts';
import { leaveEnds, takeEnds } from './ends.ts';
import { createEtc } from './etc.ts';
import { createEventLog } from './event-log.ts';
import type { GatewaySettings } from './gateway/channel.ts';
import { serveGateway } from './gateway/serve-gateway.ts';
import { startClusterServices } from './gateway/start-services.ts';
import { endWhenIdle } from './idle.ts';
import { createInside } from './inside.ts';
import { removePodLogs } from './logs/pod-logs.ts';
import { observeMachine } from './machine.ts';
import { createNetwork, namespacesFolder } from './network/network.ts';
import { createRelays } from './network/relays.ts';
import { createPods } from './pods.ts';
import type { InsideClock } from './processes/container.ts';
import { createContainers } from './processes/containers.ts';
import { openControlGroups } from './processes/control-groups.ts';
import { createPipes } from './processes/pipes.ts';
import { createPodProcesses } from './processes/pod-processes.ts';
import { runWell } from './run.ts';
import type { InsideSettings } from './settings.ts';
import { createSharedMemory } from './shared-memory.ts';
import { watchUsage } from './volumes/usage.ts';
import { createVolumes } from './volumes/volumes.ts';

const clock: InsideClock = {
  nowMs: () => Date.now(),
  after(delayMs, work) {
    const timer = setTimeout(work, delayMs);
    return () => clearTimeout(timer);
  },
};

const relayIdleMs = 30_000;

async function main(settings: InsideSettings): Promise<void> {
  optimizeLater();
  // Files that containers read may not depend on the mask of who started us.
  process.umask(0o022);
  const places = nodePlaces(settings.folder);
  for (const folder of [places.pods, places.podLogs, places.containerLogs, places.claims])
    mkdirSync(folder, { recursive: true });
  // Ours from here on: nothing of the machine's sockets and locks, and names of namespaces that nobody else has.
  await runWell(['mount', '-t', 'tmpfs', '-o', 'mode=755,nosuid,nodev', 'tmpfs', '/run']);
  for (const folder of ['/run/netns', namespacesFolder]) mkdirSync(folder);
  const groups = await openControlGroups(groupName(settings.folder));
  await groups.clear();
  await createNetwork(settings.network);
  const machine = await observeMachine(settings);
  const events = createEventLog();
  const pipes = createPipes(namespacesFolder);
  const pods = createPods({
    ...{ places, network: settings.network, sharedMemory: createSharedMemory(namespacesFolder), pipes },
  });
  const volumes = createVolumes({ places, ownFolder: namespacesFolder, ...settings });
  const tools = {
    ...{
      places,
      machine,
      etc: createEtc(namespacesFolder),
      groups,
      pipes,
      volumes,
      clock,
      podProcesses: createPodProcesses(),
      logLimits: settings.logLimits,
    },
    newId: () => randomBytes(32).toString('hex'),
    told: events.told,
  };
  const containers = createContainers({ pods, tools, before: await takeEnds(places.ends), ended: events.ended });
  const services = await startClusterServices(settings, { doors: places.doors, clock, chance: Math.random, report });
  const inside = createInside({
    ...{ events, pods, containers, groups, volumes, execTools: { machine, pipes, clock } },
    relays: createRelays({ folder: namespacesFolder, idleMs: relayIdleMs }),
    services,
    forgetLogs: (uid) =>
      clock.after(settings.logsKeptMs, () => {
        if (pods.find(uid) === undefined) void removePodLogs(places, uid).catch(() => undefined);
      }),
    leaveEnds: (states) =>
      leaveEnds(places.ends, states).catch((error: Error) => report(`ends are lost: ${error.message}`)),
    end() {
      // Whoever comes from now on starts another one.
      server.close();
      clock.after(endingMs, () => process.exit(0));
    },
  });
  watchUsage(volumes, { after: clock.after, overfull: events.overfull });
  const server = createInsideServer(inside);
  endWhenIdle(server, { clock, idleMs: settings.idleMs, end: () => void inside.end() });
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void inside.end());
  listen(server, places.doors);
}

/** For the last answer to be sent. */
const endingMs = 50;

function listen(server: ReturnType<typeof createInsideServer>, doors: string): void {
  mkdirSync(doors, { recursive: true, mode: 0o700 });
  chmodSync(doors, 0o700);
  const door = doorPath(doors, insideDoor);
  const fail = (why: string): void => {
    process.stderr.write(`inside cannot listen in ${doors}: ${why}\n`);
    process.exit(1);
  };
  let isRetry = false;
  server.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EADDRINUSE' || isRetry) return fail(error.message);
    isRetry = true;
    // Of two that start at once, one finds the other; a door behind which nobody is was left by one that was killed.
    const other = connect(door.path, () => fail('another one answers there; end it first'));
    other.on('error', () => {
      rmSync(join(doors, insideDoor), { force: true });
      server.listen(door.path);
    });
  });
  server.on('listening', () => {
    // Whoever started us waits for this word, and may be gone later.
    process.stdout.on('error', () => undefined);
    process.stdout.write('ready\n');
  });
  server.listen(door.path);
}

function report(message: string): void {
  process.stderr.write(`${message}\n`);
}

const settings = JSON.parse(process.argv.at(-1) ?? '{}') as InsideSettings | { readonly gateway: GatewaySettings };
const running = 'gateway' in settings ? serveGateway(settings.gateway, { clock, chance: Math.random }) : main(settings);
running.catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  process.exit(1);
});
