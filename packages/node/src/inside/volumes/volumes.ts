/**
 * The volumes of pods. What is secret lies in memory that only this namespace sees; folders on disk lie in the pod's folder,
 * claims in the node's. A container gets what was opened, not what has its name: paths below a volume are bound by descriptors.
 */
import { mkdirSync } from 'node:fs';
import { chmod, mkdir, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { invalid } from '../../protocol/failure.ts';
import type { Mount } from '../../protocol/launch.ts';
import { type NodePlaces, podFolder } from '../../protocol/places.ts';
import type { VolumeContent } from '../../protocol/volume.ts';
import type { ResolvedMount } from '../../sandbox/bubblewrap.ts';
import type { Volumes } from '../parts.ts';
import { assertUid } from '../safe-names.ts';
import { openHostPath } from './host-path.ts';
import { bind, isSameFile, mountedBelow, mountMemory, unmountBelow } from './mounting.ts';
import { codeOf, openWithin, pathOf } from './open-within.ts';
import { giveFolder, giveTree, type Owners } from './owners.ts';
import { type DiskFolder, type Overfull, overfullOf, type UsageLook } from './usage.ts';
import { writeFiles } from './write-files.ts';

export interface VolumesOptions {
  readonly places: NodePlaces;
  /** Of inside alone, in memory. */
  readonly ownFolder: string;
  readonly isRoot: boolean;
  /** Real paths that pods may mount, with what is below them. */
  readonly hostPaths: readonly string[];
}

export interface NodeVolumes extends Volumes {
  /** Folders on disk that hold more than they may. */
  overfull(look: UsageLook): Promise<readonly Overfull[]>;
}

/** One that has a folder of ours. */
type FolderContent = Exclude<VolumeContent, { readonly is: 'host' }>;

interface Known {
  readonly folder: string;
  readonly content: FolderContent;
}

interface PodVolumes {
  readonly byName: Map<string, Known>;
  /** What was bound for containers, by source and path below it. */
  readonly bound: Map<string, string>;
  bindings: number;
  /** One writer at a time. */
  writing: Promise<unknown>;
}

const namePattern = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;
const folderNamePattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,252}$/;
const subPathMode = 0o755;
const emptyMode = 0o777;

export function createVolumes(options: VolumesOptions): NodeVolumes {
  const { places, ownFolder } = options;
  const pods = new Map<string, PodVolumes>();
  const ofPod = (uid: string): PodVolumes => {
    assertUid(uid);
    const known = pods.get(uid) ?? { byName: new Map(), bound: new Map(), bindings: 0, writing: Promise.resolve() };
    pods.set(uid, known);
    return known;
  };
  const ownOf = (uid: string): string => join(ownFolder, 'volumes', uid);
  const make = async (uid: string, content: VolumeContent): Promise<void> => {
    if (!namePattern.test(content.name)) throw invalid(`${JSON.stringify(content.name)} is no name of a volume`);
    if (content.is === 'host') {
      await (await openOnNode(content.path, content.type, options)).close();
      return;
    }
    const folder = folderOf(uid, content, { own: ownOf(uid), places });
    await makeVolume(folder, content, options);
    ofPod(uid).byName.set(content.name, { folder, content });
  };
  const resolve = async (uid: string, mount: Mount): Promise<ResolvedMount> => {
    const { mountPath: target, isReadOnly, subPath = '' } = mount;
    const pod = ofPod(uid);
    const root = await sourceOf(mount, { pod, uid, options });
    if (typeof root === 'string' && subPath === '') return { source: root, target, isReadOnly };
    const source = await boundTo(root, { subPath, key: JSON.stringify([mount.source, subPath]), pod, own: ownOf(uid) });
    return { source, target, isReadOnly };
  };
  return {
    async write(uid, content) {
      const pod = ofPod(uid);
      const done = pod.writing.then(() => make(uid, content));
      pod.writing = done.catch(() => undefined);
      await done;
    },
    async resolveMounts(uid, mounts) {
      const resolved: ResolvedMount[] = [];
      for (const mount of mounts) resolved.push(await resolve(uid, mount));
      return resolved;
    },
    async remove(uid) {
      await ofPod(uid).writing;
      pods.delete(uid);
      for (const folder of [ownOf(uid), join(podFolder(places, uid), 'volumes')]) {
        await unmountBelow(folder);
        await rm(folder, { recursive: true, force: true });
      }
    },
    overfull: (look) => overfullOf(diskFolders(pods), { disk: places.pods, look }),
  };
}

function diskFolders(pods: ReadonlyMap<string, PodVolumes>): readonly DiskFolder[] {
  return [...pods].flatMap(([pod, { byName }]) =>
    [...byName.values()].flatMap(({ folder, content }) => {
      if (content.is !== 'empty' || content.medium !== 'disk') return [];
      return [{ pod, volume: content.name, folder, limitBytes: content.limitBytes }];
    }),
  );
}

interface FolderOf {
  readonly own: string;
  readonly places: NodePlaces;
}

function folderOf(uid: string, content: FolderContent, { own, places }: FolderOf): string {
  const { name } = content;
  if (content.is === 'files' && content.isSecret) return join(own, 'secret', name);
  if (content.is !== 'claim') return join(podFolder(places, uid), 'volumes', name);
  const { folder } = content;
  if (!folderNamePattern.test(folder) || basename(folder) !== folder)
    throw invalid(`${JSON.stringify(folder)} is no name of a claim's folder`);
  return join(places.claims, folder);
}

async function makeVolume(folder: string, content: FolderContent, { isRoot }: VolumesOptions): Promise<void> {
  const owners: Owners = { isRoot, group: content.group };
  const isNew = mkdirSync(folder, { recursive: true }) !== undefined;
  switch (content.is) {
    case 'files':
      writeFiles(folder, content.files, owners);
      return;
    case 'claim':
      if (isNew) await chmod(folder, emptyMode);
      await giveTree(folder, owners);
      return;
    case 'empty':
      if (content.medium === 'memory' && !(await mountedBelow(folder)).includes(folder))
        await mountMemory(folder, { bytes: content.limitBytes, mode: emptyMode });
      else if (isNew) await chmod(folder, emptyMode);
      await giveFolder(folder, owners);
      return;
    default:
      content satisfies never;
  }
}

interface SourceOf {
  readonly pod: PodVolumes;
  readonly uid: string;
  readonly options: VolumesOptions;
}

type Opened = Awaited<ReturnType<typeof openWithin>>;

/** A folder of ours that nobody can replace, or what was opened on the node. */
async function sourceOf({ source }: Mount, { pod, uid, options }: SourceOf): Promise<string | Opened> {
  if ('volume' in source) {
    const known = pod.byName.get(source.volume);
    if (known === undefined) throw invalid(`volume ${source.volume} of pod ${uid} has not been written`);
    return known.folder;
  }
  return openOnNode(source.hostPath, source.type, options);
}

/** The caller closes it. */
async function openOnNode(path: string, type: string, { places, hostPaths }: VolumesOptions): Promise<Opened> {
  await mkdir(places.host, { recursive: true });
  return openHostPath(path, type, { root: places.host, allowed: hostPaths });
}

interface Binding {
  readonly subPath: string;
  readonly key: string;
  readonly pod: PodVolumes;
  readonly own: string;
}

/** Bound to a place of our own, once for each file that is meant. */
async function boundTo(root: string | Opened, { subPath, key, pod, own }: Binding): Promise<string> {
  try {
    const base = typeof root === 'string' ? root : pathOf(root);
    const opened =
      typeof root !== 'string' && subPath === ''
        ? root
        : await openWithin(base, subPath, { above: 'refused', createMode: subPathMode });
    try {
      return await bindOnce(opened, { key, pod, own });
    } finally {
      if (opened !== root) await opened.close();
    }
  } catch (error) {
    if (codeOf(error) === 'ENOTDIR') throw invalid(`subPath ${subPath} leads through a file`);
    throw error;
  } finally {
    if (typeof root !== 'string') await root.close();
  }
}

async function bindOnce(opened: Opened, { key, pod, own }: Omit<Binding, 'subPath'>): Promise<string> {
  const known = pod.bound.get(key);
  if (known !== undefined && (await isSameFile(pathOf(opened), known))) return known;
  // One that means something else by now stays until the pod goes: a container may just be starting with it.
  pod.bindings += 1;
  const target = join(own, 'bound', String(pod.bindings));
  await mkdir(dirname(target), { recursive: true });
  if ((await opened.stat()).isDirectory()) await mkdir(target);
  else await writeFile(target, '');
  await bind(pathOf(opened), target);
  pod.bound.set(key, target);
  return target;
}
