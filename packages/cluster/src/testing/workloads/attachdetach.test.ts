/** What holds for volumes that are attached, in any world, at any moment, whoever dies. */
import fc from 'fast-check';
import { expect, inject, test } from 'vitest';
import type { Node } from '../../api/generated/core-v1.ts';
import { nodes, persistentvolumes, pods, volumeattachments } from '../../api/generated/kinds.ts';
import type { VolumeAttachment } from '../../api/generated/storage-v1.ts';
import { attachController, attachedController } from '../../controllers/attachdetach/controller.ts';
import { isInUse } from '../../controllers/attachdetach/facts.ts';
import { createMounts } from '../../node/mounts.ts';
import { simulatedAttacher } from '../../node/storage/attacher.ts';
import { isExclusive } from '../../resources/storage/attaching.ts';
import type { Action } from '../../runtime/plan.ts';
import { changeNode, putDriver, putMachine, putVolume, removePod, userOf } from '../attach-world.ts';
import { createWorld, terminating, type World } from '../plan-world.ts';
import { endsAlike, fateOf, isStopping, living, type Play, type Played } from './lives.ts';

const machines = ['node-1', 'node-2', 'node-3'];
const claims = ['a', 'b', 'shared'];

type Step =
  | { readonly pod: string; readonly on: string; readonly claim: string }
  | { readonly stop: string }
  | { readonly force: string }
  | { readonly dies: string }
  | { readonly returns: string }
  | { readonly outOfService: string }
  | { readonly passMs: number };

const isReady = ({ status }: Node): boolean => status.conditions?.[0]?.status === 'True';

/** What kubelets do: they say what they use, start what is there, and let go of what is to go. */
function live(world: World): void {
  const mounts = createMounts(world, () => undefined);
  for (const machine of world.list(nodes).filter(isReady)) {
    const own = world.list(pods).filter(({ spec }) => spec.nodeName === machine.metadata.name);
    for (const pod of own) {
      if (isStopping(pod)) {
        mounts.forget(pod);
        world.remove(pods, pod);
      } else if (mounts.lacking(pod, machine) === undefined && pod.status.phase !== 'Running')
        world.put(pods, { ...pod, status: { phase: 'Running', containerStatuses: [running] } });
    }
    const volumesInUse = mounts.inUse(machine.metadata.name);
    if ((machine.status.volumesInUse ?? []).join() !== volumesInUse.join())
      changeNode(world, machine.metadata.name, (now) => ({ ...now, status: { ...now.status, volumesInUse } }));
  }
}

const running = { name: 'app', image: '', imageID: '', ready: true, restartCount: 0, state: { running: {} } };

function turn(world: World, name: string, status: 'True' | 'Unknown'): void {
  changeNode(world, name, (machine) => ({
    ...machine,
    spec: status === 'True' ? {} : machine.spec,
    status: { ...machine.status, conditions: [{ type: 'Ready', status }] },
  }));
}

function happen(world: World, step: Step): void {
  if ('pod' in step) {
    if (world.of(pods).get(`default/${step.pod}`) === undefined) world.put(pods, userOf(step.claim, step.pod, step.on));
  } else if ('stop' in step) {
    const pod = world.of(pods).get(`default/${step.stop}`);
    if (pod !== undefined) world.put(pods, terminating(pod, world.nowMs));
  } else if ('force' in step) removePod(world, step.force);
  else if ('dies' in step) turn(world, step.dies, 'Unknown');
  else if ('returns' in step) turn(world, step.returns, 'True');
  else if ('outOfService' in step) {
    const taint = { key: 'node.kubernetes.io/out-of-service', value: 'x', effect: 'NoExecute' };
    changeNode(world, step.outOfService, (machine) =>
      isReady(machine) ? machine : { ...machine, spec: { taints: [taint] } },
    );
  } else world.nowMs += step.passMs;
}

/** Only one node of each volume that one node may have keeps pods that want it, so that it does not matter who comes first. */
function agree(world: World): void {
  for (const claim of ['a', 'b']) {
    const users = world.list(pods).filter(({ spec }) => spec.volumes?.[0]?.persistentVolumeClaim?.claimName === claim);
    const winner = users.map(({ spec }) => spec.nodeName ?? '').sort()[0];
    for (const pod of users) if (pod.spec.nodeName !== winner) world.remove(pods, pod);
  }
}

function play(steps: readonly Step[], { fate = fateOf(), look: seen }: Play = {}): Played {
  const world = createWorld();
  world.graceful = true;
  putDriver(world, {}, { 'signalbox.dev/simulated': 'true' });
  for (const name of machines) putMachine(world, name);
  for (const claim of claims) putVolume(world, claim, [claim === 'shared' ? 'ReadWriteMany' : 'ReadWriteOnce']);
  const wrote = (action: Action): void => seen?.(world, action);
  const named = (): readonly string[] => world.list(volumeattachments).map(({ metadata }) => metadata.name);
  const looks = [
    living(world, { controller: attachController, keys: () => claims.map((claim) => `v-${claim}`), fate, wrote }),
    living(world, { controller: attachedController, keys: () => machines, fate, wrote }),
    living(world, { controller: simulatedAttacher, keys: named, fate, wrote }),
  ];
  const goOn = (rounds: number): void => {
    for (let round = 0; round < rounds; round++) {
      for (const look of looks) look();
      live(world);
      world.nowMs += 1_000;
    }
  };
  for (const step of steps) {
    happen(world, step);
    goOn(2);
  }
  for (const name of machines) turn(world, name, 'True');
  agree(world);
  for (let calm = 0; calm < 40; calm++) {
    goOn(1);
    world.nowMs += 400_000;
  }
  return { world, fate };
}

const step: fc.Arbitrary<Step> = (() => {
  const machine = fc.constantFrom(...machines);
  const pod = fc.constantFrom('p', 'q', 'r', 's');
  return fc.oneof(
    { weight: 4, arbitrary: fc.record({ pod, on: machine, claim: fc.constantFrom(...claims) }) },
    { weight: 2, arbitrary: fc.record({ stop: pod }) },
    { weight: 2, arbitrary: fc.record({ force: pod }) },
    fc.record({ dies: machine }),
    fc.record({ returns: machine }),
    fc.record({ outOfService: machine }),
    fc.record({ passMs: fc.constantFrom(1_000, 130_000, 200_000, 361_000) }),
  );
})();
const stories = fc.array(step, { maxLength: 14, size: 'max' });

function outcomeOf({ world }: Played): unknown {
  const listed = world.list(nodes).map(({ metadata, status }) => {
    const names = (status.volumesAttached ?? []).map(({ name }) => name);
    return `${metadata.name}: ${names.toSorted().join()}`;
  });
  return {
    attached: world
      .list(volumeattachments)
      .map(({ metadata, status }) => `${metadata.name} ${status?.attached}`)
      .sort(),
    listed,
    pods: world
      .list(pods)
      .map(({ metadata, status }) => `${metadata.name} ${status.phase}`)
      .sort(),
  };
}

function attachedTo(world: World, volume: string): readonly string[] {
  return world
    .list(volumeattachments)
    .filter(({ spec }) => spec.source.persistentVolumeName === volume)
    .map(({ spec }) => spec.nodeName);
}

test('a volume that one node may have is never attached to two', () => {
  fc.assert(
    fc.property(stories, (steps) => {
      play(steps, {
        look(world) {
          for (const volume of world.list(persistentvolumes).filter(isExclusive))
            expect(attachedTo(world, volume.metadata.name).length).toBeLessThanOrEqual(1);
        },
      });
    }),
    { numRuns: 60 * inject('thoroughness') },
  );
});

test('nothing is taken from a node that is well and says that it uses it', () => {
  fc.assert(
    fc.property(stories, (steps) => {
      play(steps, {
        look(world, action) {
          if (action.do !== 'delete' || action.type !== volumeattachments) return;
          const attachment = action.target as VolumeAttachment;
          const machine = world.of(nodes).get(attachment.spec.nodeName);
          if (machine !== undefined && isReady(machine)) expect(isInUse(attachment, machine)).toBe(false);
        },
      });
    }),
    { numRuns: 60 * inject('thoroughness') },
  );
});

test('in the end every pod runs with its volume, and nothing else is attached', () => {
  fc.assert(
    fc.property(stories, (steps) => {
      const { world } = play(steps);
      for (const pod of world.list(pods)) expect(pod.status.phase).toBe('Running');
      const wanted = world
        .list(pods)
        .map(({ spec }) => `v-${spec.volumes?.[0]?.persistentVolumeClaim?.claimName} ${spec.nodeName}`);
      const there = world
        .list(volumeattachments)
        .map(({ spec }) => `${spec.source.persistentVolumeName} ${spec.nodeName}`);
      expect(there.toSorted()).toEqual([...new Set(wanted)].sort());
      const listed = world.list(nodes).flatMap(({ status }) => status.volumesAttached ?? []);
      expect(listed.length).toBe(there.length);
    }),
    { numRuns: 60 * inject('thoroughness') },
  );
});

test('whoever dies before any write, it ends alike', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 8 }), (steps) => endsAlike(steps, { play, outcomeOf })),
    { numRuns: 10 * inject('thoroughness') },
  );
});
