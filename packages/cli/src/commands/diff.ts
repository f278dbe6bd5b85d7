import type { KubeObject } from '@signalbox/cluster';
import { changesWithin, defaultComponents, hasChanges, planChanges, storedManifests } from '@signalbox/telemetry';
import { findingLine, placesOf } from '../format/findings.ts';
import { formatPlannedChanges } from '../format/plan.ts';
import { type ComponentFlags, componentOptions } from '../io/component-options.ts';
import { connect } from '../io/connect.ts';
import { CommandError } from '../io/errors.ts';
import { colorsFor, type Io, writeLine } from '../io/io.ts';
import { readManifests } from '../io/manifests.ts';
import { readCluster } from '../io/read-cluster.ts';

export interface DiffCommand extends ComponentFlags {
  /** What a cluster holds, instead of a cluster. Empty: none. */
  readonly file: readonly string[];
  /** Of a cluster: what is told of, empty for everything. Of files: where that is which names none. */
  readonly namespaces: readonly string[];
  readonly kubeconfig: string | undefined;
  readonly context: string | undefined;
  readonly output: 'text' | 'json';
}

const somethingChanges = 3;

/** Says what this operator would change where it has not been yet, or an earlier release of it. Resolves with the exit code. */
export async function diff(command: DiffCommand, io: Io): Promise<number> {
  const objects = command.file.length === 0 ? await inCluster(command, io) : await inFiles(command, io);
  const options = {
    components: defaultComponents(componentOptions(command)),
    nowMs: io.clock.nowMs(),
    imagines: command.file.length > 0,
  };
  const all = planChanges(objects, objects, options);
  const isLimited = command.file.length === 0 && command.namespaces.length > 0;
  const changes = isLimited ? changesWithin(all, command.namespaces) : all;
  if (command.output === 'json') writeLine(io.stdout, JSON.stringify(changes, null, 2));
  else io.stdout.write(formatPlannedChanges(changes, colorsFor(io.stdout, io)));
  return hasChanges(changes) ? somethingChanges : 0;
}

async function inCluster(command: DiffCommand, io: Io): Promise<readonly KubeObject[]> {
  const connected = await connect({ ...command, prefersLocal: true }, io);
  try {
    const { found } = await readCluster(connected, io);
    const there = new Set(found.flatMap(({ kind, metadata }) => (kind === 'Namespace' ? [metadata.name] : [])));
    const missing = command.namespaces.filter((name) => !there.has(name));
    // Of one that is misspelt, that nothing would change would be no news.
    if (missing.length > 0) throw new CommandError(`the cluster has no namespace ${missing.join(', ')}`);
    return found;
  } finally {
    await connected.close();
  }
}

async function inFiles({ file, namespaces }: DiffCommand, io: Io): Promise<readonly KubeObject[]> {
  const [namespace = 'default', ...others] = namespaces;
  if (others.length > 0) throw new CommandError('with -f, --namespace is where that is which names none: give one');
  const read = await readManifests(file, io);
  const manifests = read.map(({ object }) => object);
  const { objects, findings } = storedManifests(manifests, namespace);
  const places = placesOf(read);
  const refused = findings.filter(({ severity }) => severity === 'error').map((each) => findingLine(each, places));
  if (refused.length > 0) throw new CommandError(refused);
  return withoutOrphans(objects, io);
}

/** What belongs to a root that is not among the files is not to be judged: the root may well be where they come from. */
function withoutOrphans(objects: readonly KubeObject[], io: Io): readonly KubeObject[] {
  const rootKinds = new Set(defaultComponents().map(({ rootType }) => rootType.kind));
  const roots = new Set(objects.filter(({ kind }) => rootKinds.has(kind)).map(placeOf));
  const missing = new Map<string, number>();
  const kept = objects.filter(({ metadata: { namespace, ownerReferences = [] } }) => {
    const owners = ownerReferences
      .filter(({ kind }) => rootKinds.has(kind))
      .map(({ kind, name }) => placeOf({ kind, metadata: { namespace, name } }));
    const [first] = owners;
    if (first === undefined || owners.some((owner) => roots.has(owner))) return true;
    missing.set(first, (missing.get(first) ?? 0) + 1);
    return false;
  });
  for (const [place, count] of missing)
    writeLine(io.stderr, `warning: ${place} is not among the files: ${count} objects that belong to it are left out`);
  return kept;
}

interface Place {
  readonly kind: string;
  readonly metadata: { readonly namespace?: string | undefined; readonly name: string };
}

function placeOf({ kind, metadata: { namespace = '', name } }: Place): string {
  return `${kind} ${namespace}/${name}`;
}
