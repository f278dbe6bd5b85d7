import { builtinType, isStatusError, type KubeObject, type New, type ResourceType } from '@signalbox/cluster';
import {
  defaultComponents,
  type Edited,
  type Edits,
  foretell,
  hasChanges,
  planChanges,
  replaced,
  type Scale,
  scalableTypes,
  storedManifests,
  withEdits,
} from '@signalbox/telemetry';
import { findingLine, placesOf } from '../format/findings.ts';
import { formatPlace } from '../format/objects.ts';
import { formatPlannedChanges } from '../format/plan.ts';
import { type Connected, connect } from '../io/connect.ts';
import { CommandError } from '../io/errors.ts';
import { colorsFor, type Io, writeLine } from '../io/io.ts';
import { type Manifest, readManifests } from '../io/manifests.ts';
import { readCluster } from '../io/read-cluster.ts';

export interface PlanCommand {
  readonly file: readonly string[];
  readonly scales: readonly NamedScale[];
  /** Manifests instead of a cluster. */
  readonly against: readonly string[] | undefined;
  readonly namespace: string | undefined;
  readonly kubeconfig: string | undefined;
  readonly context: string | undefined;
  readonly output: 'text' | 'json';
}

/** `prometheus/main=4` */
export interface NamedScale {
  readonly kind: string;
  readonly name: string;
  readonly shards: number;
}

const wrongUsage = 2;
const somethingChanges = 3;

/** Says what would come of edits, before anything happens. Resolves with the exit code. */
export async function plan(command: PlanCommand, io: Io): Promise<number> {
  if (command.file.length === 0 && command.scales.length === 0) {
    writeLine(
      io.stderr,
      'error: say what is to change: -f PATH, or --scale prometheus/NAME=N; see signalbox plan --help',
    );
    return wrongUsage;
  }
  const manifests = await readManifests(command.file, io);
  const { before, edited } =
    command.against === undefined
      ? await editedCluster(manifests, command, io)
      : await editedFolder(command.against, { manifests, command, io });
  checkEdits(edited, manifests);
  const imagines = command.against !== undefined;
  const changes = planChanges(before, edited.objects, { ...optionsFor(io), imagines });
  if (command.output === 'json') writeLine(io.stdout, JSON.stringify(changes, null, 2));
  else io.stdout.write(formatPlannedChanges(changes, colorsFor(io.stdout, io)));
  return hasChanges(changes) ? somethingChanges : 0;
}

function optionsFor({ clock }: Io): Parameters<typeof planChanges>[2] {
  return { components: defaultComponents(), nowMs: clock.nowMs() };
}

interface Sides {
  readonly before: readonly KubeObject[];
  readonly edited: Edited;
}

/** What a server would refuse changes nothing, and a plan without it would be of something else. */
function checkEdits({ objects, findings, missing }: Edited, manifests: readonly Manifest[]): void {
  const places = placesOf(manifests);
  const refused = findings.filter(({ severity }) => severity === 'error').map((each) => findingLine(each, places));
  const absent = missing.map(
    ({ type, namespace, name }) =>
      `there is no ${type.kind} ${namespace}/${name} to scale; ${elsewhere(objects, { kind: type.kind, name })}`,
  );
  if (refused.length + absent.length > 0) throw new CommandError([...refused, ...absent]);
}

function elsewhere(
  objects: readonly KubeObject[],
  { kind, name }: { readonly kind: string; readonly name: string },
): string {
  const places = objects
    .filter((object) => object.kind === kind && object.metadata.name === name)
    .map(({ metadata }) => metadata.namespace);
  return places.length === 0
    ? 'check its name, and its namespace (-n)'
    : `there is one in ${places.join(', ')}: name it with -n`;
}

function editsOf(manifests: readonly Manifest[], { scales }: PlanCommand, namespace: string): Edits {
  return {
    manifests: manifests.map(({ object }) => object),
    scales: scales.flatMap((scale) => scaleOf(scale, namespace)),
    namespace,
  };
}

function scaleOf({ kind, name, shards }: NamedScale, namespace: string): readonly Scale[] {
  return scalableTypes
    .filter(({ type }) => type.kind.toLowerCase() === kind || type.resource === kind)
    .map(({ type }) => ({ type, namespace, name, shards }));
}

/** One folder in place of another: the operator has done its work on the first. */
async function editedFolder(
  paths: readonly string[],
  {
    manifests,
    command,
    io,
  }: { readonly manifests: readonly Manifest[]; readonly command: PlanCommand; readonly io: Io },
): Promise<Sides> {
  const namespace = command.namespace ?? 'default';
  const read = await readManifests(paths, io, '--against');
  const { objects, findings } = storedManifests(
    read.map(({ object }) => object),
    namespace,
  );
  checkEdits({ objects, findings, missing: [] }, read);
  const { objects: before } = foretell(objects, optionsFor(io));
  const edits = editsOf(manifests, command, namespace);
  const isReplaced = command.file.length > 0;
  return {
    before,
    edited: isReplaced ? replaced({ before: objects, settled: before }, edits) : withEdits(before, edits),
  };
}

async function editedCluster(manifests: readonly Manifest[], command: PlanCommand, io: Io): Promise<Sides> {
  const connected = await connect({ ...command, prefersLocal: true }, io);
  try {
    const namespace = command.namespace ?? connected.namespace ?? 'default';
    const { types, found } = await readCluster(connected, io);
    const { known, others } = await otherwiseLive(manifests, { types, namespace, connected, io });
    const before = [...found, ...others];
    return { before, edited: withEdits(before, editsOf(known, command, namespace)) };
  } finally {
    await connected.close();
  }
}

interface Asking {
  /** What is there of these is known. */
  readonly types: readonly ResourceType[];
  readonly namespace: string;
  readonly connected: Connected;
  readonly io: Io;
}

/** The live objects behind manifests of kinds that no operator looks at. Kinds that nobody here knows are left out. */
async function otherwiseLive(
  manifests: readonly Manifest[],
  { types, namespace, connected: { client }, io }: Asking,
): Promise<{ readonly known: readonly Manifest[]; readonly others: readonly KubeObject[] }> {
  const others: KubeObject[] = [];
  const known: Manifest[] = [];
  for (const manifest of manifests) {
    const { object } = manifest;
    const type = typeOf(object, types);
    if (type === undefined) {
      writeLine(
        io.stderr,
        `warning: ${formatPlace(object)} is left out: nobody here knows ${object.apiVersion} ${object.kind}`,
      );
      continue;
    }
    known.push(manifest);
    if (types.includes(type)) continue;
    const place = type.namespaced ? { namespace: object.metadata.namespace ?? namespace } : {};
    try {
      others.push(await client.get(type, { ...place, name: object.metadata.name ?? '', signal: io.signal }));
    } catch (error) {
      if (!isStatusError(error, 'NotFound')) throw error;
    }
  }
  return { known, others };
}

function typeOf(object: New<KubeObject>, types: readonly ResourceType[]): ResourceType | undefined {
  return (
    types.find((type) => type.kind === object.kind && versionOf(type) === object.apiVersion) ?? builtinType(object)
  );
}

function versionOf({ group, version }: ResourceType): string {
  return group === '' ? version : `${group}/${version}`;
}
