/** What becomes of volumes and of what is attached: the same stories with upstream's controllers and with ours, step by step. */
import { sleep, systemClock } from '@signalbox/cluster';
import { describe, expect, test } from 'vitest';
import { findPrograms } from './plane/programs.ts';
import { createChoice, onceMore } from './stories.ts';
import { claim, csiDriver, driver, pod, storageClass, volume } from './volumes/objects.ts';
import { here, there } from './volumes/sides.ts';
import {
  answer,
  type Does,
  hold,
  patch,
  play,
  put,
  remove,
  removeAttachment,
  type Step,
  saysNothing,
  untilPhase,
} from './volumes/steps.ts';

const { programs, missing = '' } = findPrograms(process.env);
const { signal } = new AbortController();
const isChosen = createChoice(process.env);

/** Two of its controllers may meet at one claim, which one of them then tells. */
const fasterThere = /^ *there: event .* Operation cannot be fulfilled on /;

/** Each story has clusters of its own, and most of it is waiting: they are played beside each other. */
async function compared(steps: readonly Step[], known: readonly RegExp[] = []): Promise<readonly string[]> {
  if (programs === undefined) throw new Error(missing);
  const sides = await Promise.all([there(programs), here()]);
  try {
    return await play(steps, { sides, known: [...known, fasterThere] });
  } finally {
    for (const side of sides) await side.close();
  }
}

function story(name: string, play: () => Promise<void>, limitMs: number): void {
  test.skipIf(!isChosen(name)).concurrent(name, { timeout: limitMs, ...onceMore }, play);
}

const bound = (name: string, spec: object = {}): Does =>
  put(volume(name, spec), claim(name, { volumeName: name, accessModes: ['ReadWriteOnce'] }));

describe.skipIf(programs === undefined)(
  `upstream's controllers of volumes${missing === '' ? '' : ` (${missing})`}`,
  () => {
    story(
      'attach, tell, wait and let go as ours do',
      async () => {
        const differences = await compared([
          ['a volume is bound', put(csiDriver(driver, true)), bound('one')],
          ['its pod comes', put(pod('first', { node: 'node-1', claims: ['one'] }))],
          ['it is attached', answer('one', 'node-1', { attached: true })],
          ['another node wants it', put(pod('second', { node: 'node-2', claims: ['one'] }))],
          ['the first goes', remove('Pod', 'first')],
          [
            'the driver fails',
            answer('one', 'node-2', { attachError: { message: 'no room', time: '2026-01-01T00:00:00Z' } }),
          ],
          ['and succeeds', answer('one', 'node-2', { attached: true, attachError: null })],
          ['the last one goes', remove('Pod', 'second')],
        ]);
        expect(differences).toEqual([]);
      },
      300_000,
    );

    story(
      'volumes of many nodes, of drivers that attach nothing or say nothing, and what ends otherwise',
      async () => {
        const names = ['many', 'other', 'never', 'job', 'lost', 'held', 'away'];
        const csi = (name: string): object => ({ csi: { driver: name, volumeHandle: 'h' } });
        const ending = { annotations: { 'signalbox.dev/exit-after': '8s' }, spec: { restartPolicy: 'Never' } };
        const differences = await compared([
          [
            'all are bound',
            put(csiDriver(driver, true), csiDriver('never.example.com', false)),
            bound('many', { accessModes: ['ReadWriteOnce', 'ReadWriteMany'] }),
            bound('other', csi('other.example.com')),
            bound('never', csi('never.example.com')),
            ...['job', 'lost', 'held', 'away'].map((name) => bound(name)),
          ],
          [
            'their pods come',
            put(
              ...names.map((name) => pod(name, { node: 'node-1', claims: [name], ...(name === 'job' && ending) })),
              pod('many-more', { node: 'node-2', claims: ['many'] }),
            ),
          ],
          [
            'all are attached',
            ...['many', 'other', 'job', 'lost', 'held', 'away'].map((name) =>
              answer(name, 'node-1', { attached: true }),
            ),
            answer('many', 'node-2', { attached: true }),
            hold('held', 'node-1', ['somebody/holds']),
          ],
          ['a pod has ended', untilPhase('job', 'Succeeded')],
          ['an attachment is deleted by hand', removeAttachment('lost', 'node-1')],
          [
            'a pod goes, another comes elsewhere',
            remove('Pod', 'held'),
            put(pod('held-again', { node: 'node-2', claims: ['held'] })),
          ],
          ['the driver lets go', hold('held', 'node-1', [])],
          [
            'a node is out of service',
            patch('Node', 'node-1', { metadata: { annotations: { 'signalbox.dev/stopped': 'true' } } }),
            patch('Node', 'node-1', {
              spec: { taints: [{ key: 'node.kubernetes.io/out-of-service', value: 'x', effect: 'NoExecute' }] },
            }),
            remove('Pod', 'away', { gracePeriodSeconds: 0 }),
            put(pod('away-again', { node: 'node-2', claims: ['away'] })),
          ],
        ]);
        expect(differences).toEqual([]);
      },
      300_000,
    );

    story(
      'claims find volumes, or are told why not',
      async () => {
        const labels = (name: string, own: object, spec: object = {}) => {
          const made = volume(name, spec);
          return { ...made, metadata: { ...made.metadata, labels: own as Record<string, string> } };
        };
        const sized = (storage: string): object => ({ resources: { requests: { storage } } });
        const capacity = (storage: string): object => ({ capacity: { storage } });
        const differences = await compared([
          [
            'claims without volumes',
            put(
              storageClass('none', {
                provisioner: 'kubernetes.io/no-provisioner',
                volumeBindingMode: 'WaitForFirstConsumer',
              }),
              storageClass('extern'),
              storageClass('late', { volumeBindingMode: 'WaitForFirstConsumer' }),
              claim('nothing'),
              claim('no-class', { storageClassName: 'missing' }),
              claim('extern', { storageClassName: 'extern' }),
              claim('late', { storageClassName: 'late' }),
              claim('local', { storageClassName: 'none' }),
              claim('named', { volumeName: 'not-yet', storageClassName: 'a' }),
              claim('without', { storageClassName: undefined }),
            ),
          ],
          [
            'volumes come, each for claims of its class',
            put(
              volume('large', { ...capacity('9Gi'), storageClassName: 'named' }),
              volume('fits', { ...capacity('2Gi'), storageClassName: 'b' }),
              volume('more', { ...capacity('3Gi'), storageClassName: 'b' }),
              volume('close', { ...capacity('3Gi'), storageClassName: 'c' }),
              volume('loose', { storageClassName: 'c', accessModes: ['ReadWriteOnce', 'ReadOnlyMany'] }),
              labels('red', { color: 'red' }, { storageClassName: 'd' }),
              labels('blue', { color: 'blue' }, { storageClassName: 'd' }),
              volume('not-yet', { storageClassName: 'a' }),
              volume('block', { volumeMode: 'Block', storageClassName: 'e' }),
              volume('promised', { claimRef: { namespace: 'default', name: 'mine' }, storageClassName: 'f' }),
              volume('writers', { storageClassName: 'g' }),
              volume('plain', { storageClassName: 'h' }),
              volume('gold', { storageClassName: 'h', volumeAttributesClassName: 'gold', ...capacity('2Gi') }),
            ),
          ],
          [
            'more claims',
            put(
              claim('two', { ...sized('2Gi'), storageClassName: 'b' }),
              claim('closest', { storageClassName: 'c' }),
              claim('wants-red', { storageClassName: 'd', selector: { matchLabels: { color: 'red' } } }),
              claim('files', { storageClassName: 'e' }),
              claim('raw', { volumeMode: 'Block', storageClassName: 'e' }),
              claim('taken', { volumeName: 'promised', storageClassName: 'f' }),
              claim('readers', { accessModes: ['ReadOnlyMany'], storageClassName: 'g' }),
              claim('golden', { storageClassName: 'h', volumeAttributesClassName: 'gold' }),
              claim('too-large', { volumeName: 'large', ...sized('10Gi'), storageClassName: 'named' }),
              claim('wrong-mode', { volumeName: 'large', volumeMode: 'Block', storageClassName: 'named' }),
              claim('wrong-access', { volumeName: 'large', accessModes: ['ReadWriteMany'], storageClassName: 'named' }),
              claim('wrong-class', { volumeName: 'large', storageClassName: 'extern' }),
              claim('wrong-attributes', {
                volumeName: 'large',
                storageClassName: 'named',
                volumeAttributesClassName: 'x',
              }),
            ),
          ],
          ['whom it was promised to', put(claim('mine', { storageClassName: 'f' }))],
          ['a pod wants the late one', put(pod('waits', { claims: ['late', 'local'] }))],
          [
            'a default class comes',
            put(
              storageClass('default', {
                metadata: { name: 'default', annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
              }),
            ),
          ],
        ]);
        expect(differences).toEqual([]);
      },
      300_000,
    );

    story(
      'what is in use stays, what nobody claims is reclaimed',
      async () => {
        const mine = (name: string, spec: object): Does => bound(name, spec);
        const ending = { annotations: { 'signalbox.dev/exit-after': '1s' }, spec: { restartPolicy: 'Never' } };
        const folder = (path: string): object => ({ csi: undefined, hostPath: { path } });
        const differences = await compared([
          [
            'all are bound',
            put(csiDriver(driver, false)),
            mine('used', {}),
            mine('ended', {}),
            mine('unplaced', {}),
            mine('kept', { persistentVolumeReclaimPolicy: 'Retain' }),
            mine('deleted', { persistentVolumeReclaimPolicy: 'Delete' }),
            mine('recycled', { persistentVolumeReclaimPolicy: 'Recycle' }),
            mine('folder', { persistentVolumeReclaimPolicy: 'Delete', ...folder('/data/x') }),
            mine('gone', {}),
            mine('first', {}),
          ],
          [
            'pods use some',
            put(
              pod('used', { node: 'node-1', claims: ['used'] }),
              pod('ended', { node: 'node-1', claims: ['ended'], ...ending }),
              pod('unplaced', { claims: ['unplaced'] }),
            ),
            untilPhase('ended', 'Succeeded'),
          ],
          [
            'claims are deleted',
            ...['used', 'ended', 'unplaced', 'kept', 'deleted', 'recycled', 'folder'].map((name) =>
              remove('PersistentVolumeClaim', name),
            ),
          ],
          ['pods are deleted', ...['used', 'ended', 'unplaced'].map((name) => remove('Pod', name))],
          ['a claim of that name comes again', put(claim('kept', { volumeName: 'kept' }))],
          ['its volume is freed', patch('PersistentVolume', 'kept', { spec: { claimRef: null } })],
          ['volumes are deleted', remove('PersistentVolume', 'first'), remove('PersistentVolume', 'gone')],
          ['one by force', patch('PersistentVolume', 'gone', { metadata: { finalizers: [] } })],
          ['the claim of the other goes', remove('PersistentVolumeClaim', 'first')],
        ]);
        expect(differences).toEqual([]);
      },
      300_000,
    );

    story(
      'classes that come late, claims of pods, and volumes that are promised, lost or freed',
      async () => {
        const isDefault = 'storageclass.kubernetes.io/is-default-class';
        const annotated = (name: string, annotations: Readonly<Record<string, string>>, more: object = {}) =>
          storageClass(name, { metadata: { name, annotations }, ...more });
        const late = { volumeBindingMode: 'WaitForFirstConsumer' };
        const ephemeral = (name: string) => ({
          name,
          ephemeral: {
            volumeClaimTemplate: {
              metadata: { labels: { of: name } },
              spec: {
                accessModes: ['ReadWriteOnce'],
                storageClassName: 'own',
                resources: { requests: { storage: '1Gi' } },
              },
            },
          },
        });
        const withEphemeral = (name: string, node?: string) => {
          const made = pod(name, {
            claims: [],
            spec: { volumes: [ephemeral('scratch')] },
            ...(node !== undefined && { node }),
          });
          return made;
        };
        const promise = { namespace: 'default', name: 'later' };
        const differences = await compared(
          [
            [
              'claims wait for a class',
              put(
                storageClass('late', late),
                claim('first', { storageClassName: undefined }),
                claim('second', { storageClassName: undefined }),
                claim('chosen', { storageClassName: 'late' }),
                claim('watched', { storageClassName: 'late' }),
              ),
            ],
            ['two pods want one', put(pod('a', { claims: ['watched'] }), pod('b', { claims: ['watched'] }))],
            [
              'a node is chosen for another',
              patch('PersistentVolumeClaim', 'chosen', {
                metadata: { annotations: { 'volume.kubernetes.io/selected-node': 'node-1' } },
              }),
            ],
            ['a default class comes', put(annotated('gold', { [isDefault]: 'true' }))],
            [
              'it is no default any more',
              patch('StorageClass', 'gold', { metadata: { annotations: { [isDefault]: 'false' } } }),
            ],
            [
              'a claim of a class of old',
              put(claim('old', { storageClassName: undefined }, { 'volume.beta.kubernetes.io/storage-class': 'late' })),
            ],
            [
              'claims of pods',
              put(
                storageClass('own'),
                claim('taken-scratch', { storageClassName: 'own' }),
                withEphemeral('one', 'node-1'),
                withEphemeral('taken', 'node-1'),
              ),
            ],
            [
              'volumes are promised',
              put(
                volume('promised', { claimRef: promise }),
                volume('others', { claimRef: { ...promise, uid: '11111111-1111-1111-1111-111111111111' } }),
                volume('local', {
                  csi: undefined,
                  local: { path: '/disk' },
                  nodeAffinity: {
                    required: { nodeSelectorTerms: [{ matchExpressions: [{ key: 'a', operator: 'Exists' }] }] },
                  },
                }),
                volume('deletes', {
                  csi: undefined,
                  nfs: { server: 's', path: '/' },
                  persistentVolumeReclaimPolicy: 'Delete',
                  storageClassName: 'x',
                }),
              ),
            ],
            ['and claimed', put(claim('deletes', { storageClassName: 'x' }))],
            ['the claim goes', remove('PersistentVolumeClaim', 'deletes')],
            [
              'its volume is kept after all',
              patch('PersistentVolume', 'deletes', { spec: { persistentVolumeReclaimPolicy: 'Retain' } }),
            ],
            ['and freed', patch('PersistentVolume', 'deletes', { spec: { claimRef: null } })],
            ['a free volume is deleted', remove('PersistentVolume', 'local')],
            ['whom it was promised to comes', put(claim('later'))],
            [
              'and loses it',
              remove('PersistentVolume', 'promised'),
              patch('PersistentVolume', 'promised', { metadata: { finalizers: null } }),
            ],
            ['it comes back', put(volume('promised'))],
            ['the pod of a claim goes', remove('Pod', 'one')],
          ],
          // Both happen or not as one is faster than the other: that a claim was changed meanwhile, and which pods are there already.
          [/ProvisioningFailed: Error saving claim: /, /WaitForPodScheduled: waiting for pods? [ab]/],
        );
        expect(differences).toEqual([]);
      },
      400_000,
    );

    // Six minutes are six minutes there.
    test.skipIf(process.env['SIGNALBOX_LONG'] === undefined)(
      'what a dead node and one that is gone keep, and for how long',
      async () => {
        const pass =
          (ms: number): Does =>
          () =>
            sleep(systemClock, ms, { signal });
        const stop = (node: string): Does =>
          patch('Node', node, { metadata: { annotations: { 'signalbox.dev/stopped': 'true' } } });
        const away = { gracePeriodSeconds: 0 };
        const differences = await compared([
          ['all are bound', put(csiDriver(driver, true)), bound('dead'), bound('gone')],
          [
            'their pods come',
            put(pod('dead', { node: 'node-1', claims: ['dead'] })),
            put(pod('gone', { node: 'node-2', claims: ['gone'] })),
          ],
          [
            'two are attached',
            answer('dead', 'node-1', { attached: true }),
            answer('gone', 'node-2', { attached: true }),
          ],
          ['one node dies', stop('node-1'), stop('node-2'), saysNothing('node-1')],
          [
            'its pod goes by force, and the other node with its pod',
            remove('Pod', 'dead', away),
            remove('Pod', 'gone', away),
            remove('Node', 'node-2'),
          ],
          ['two minutes pass', pass(125_000)],
          ['nearly six', pass(205_000)],
          ['more than six', pass(50_000)],
        ]);
        expect(differences).toEqual([]);
      },
      900_000,
    );

    story(
      'claims that grow',
      async () => {
        const grow = (name: string): Does =>
          patch('PersistentVolumeClaim', name, { spec: { resources: { requests: { storage: '2Gi' } } } });
        const of = (name: string): Does =>
          put(
            volume(name, { storageClassName: 'grows' }),
            claim(name, { volumeName: name, storageClassName: 'grows' }),
          );
        const differences = await compared(
          [
            ['all are bound', put(storageClass('grows', { allowVolumeExpansion: true })), of('idle')],
            ['it is to grow', grow('idle')],
          ],
          // Who says so is the controller of volumes here.
          [/ (?:volume_expand|persistentvolume-controller) Normal ExternalExpanding: /],
        );
        expect(differences).toEqual([]);
      },
      300_000,
    );
  },
);
