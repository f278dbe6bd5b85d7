import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { apiVersionOf, formatExactJson, formatYaml, type KubeObject, type New } from '@signalbox/cluster';
import {
  defaultComponents,
  type RenderedManifests,
  type RootComponent,
  renderWorld,
  takeIn,
  worldOf,
} from '@signalbox/telemetry';
import { findingLine, placesOf } from '../format/findings.ts';
import { CommandError } from '../io/errors.ts';
import { absolute, type Io, writeLine } from '../io/io.ts';
import { fileProblem, idOf, readManifests, withIdentity } from '../io/manifests.ts';
import { makePrivateFolder } from '../io/private-folder.ts';

export interface RenderOptions {
  readonly file: readonly string[];
  readonly configs: boolean;
  /** `yaml`, `json`, or a folder. */
  readonly output: string;
  readonly strict: boolean;
}

/** Custom resources in, everything that the operator would make of them out; no cluster. Resolves with the exit code. */
export async function render(options: RenderOptions, io: Io): Promise<number> {
  const manifests = await readManifests(options.file, io);
  const places = placesOf(manifests);
  const { objects, findings: refused } = takeIn(manifests.map(({ object }) => object as KubeObject));
  if (refused.length > 0) throw new CommandError(refused.map((finding) => findingLine(finding, places)));
  const components = defaultComponents();
  const rendered = renderWorld(worldOf(objects.map(withIdentity)), {
    components,
    nowMs: io.clock.nowMs(),
  });
  const documents = options.configs ? configDocuments(rendered.configs) : objectDocuments(rendered.objects);
  await put(documents, options, io);
  for (const finding of rendered.findings) writeLine(io.stderr, `${finding.severity}: ${findingLine(finding, places)}`);
  if (documents.length === 0)
    writeLine(
      io.stderr,
      `warning: there is nothing to render: ${reasonOf(rendered, objects.filter(isRootOf(components)))}`,
    );
  const hasErrors = rendered.findings.some(({ severity }) => severity === 'error');
  return options.strict && (hasErrors || documents.length === 0) ? 1 : 0;
}

function isRootOf(components: readonly RootComponent[]): (object: KubeObject) => boolean {
  return ({ apiVersion, kind }) =>
    components.some(({ rootType }) => apiVersionOf(rootType) === apiVersion && rootType.kind === kind);
}

function reasonOf({ trees, findings }: RenderedManifests, roots: readonly KubeObject[]): string {
  if (roots.length === 0) return 'no root is among the manifests';
  if (trees.length === 0) return 'another operator looks after every root among the manifests';
  const isRefused = findings.some(({ severity, regarding }) => severity === 'error' && roots.some(isSame(regarding)));
  return isRefused
    ? 'the root was refused, for the reasons above'
    : 'nothing among the manifests gives the roots anything to do';
}

function isSame(a: KubeObject): (b: KubeObject) => boolean {
  return (b) => idOf(a) === idOf(b);
}

/** One piece of the output. */
export interface Document {
  /** `monitoring/agent-config/agent.yml`: with configurations the key of the json form. */
  readonly name: string;
  readonly value: New<KubeObject> | string;
}

function configDocuments(configs: Readonly<Record<string, string>>): readonly Document[] {
  return Object.entries(configs).map(([name, value]) => ({ name, value }));
}

function objectDocuments(objects: readonly New<KubeObject>[]): readonly Document[] {
  return objects.map((object) => ({
    name: `${object.metadata.namespace ?? 'cluster'}/${object.kind.toLowerCase()}-${object.metadata.name ?? ''}.yaml`,
    value: withoutEmptyUids(object),
  }));
}

async function put(documents: readonly Document[], { configs, output }: RenderOptions, io: Io): Promise<void> {
  switch (output) {
    case 'yaml':
      return io.stdout.write(documents.map(formatDocument).join('---\n'));
    case 'json':
      return writeLine(io.stdout, configs ? formatConfigs(documents) : formatList(documents));
    default:
      return writeFolder(documents, output, io);
  }
}

/** Text under its name, or an object as YAML. */
export function formatDocument({ name, value }: Document): string {
  if (typeof value !== 'string') return formatYaml(value);
  return `# ${name}\n${value}${value.endsWith('\n') ? '' : '\n'}`;
}

function formatConfigs(documents: readonly Document[]): string {
  return formatExactJson(Object.fromEntries(documents.map(({ name, value }) => [name, value])), 2);
}

function formatList(documents: readonly Document[]): string {
  return formatExactJson({ apiVersion: 'v1', kind: 'List', items: documents.map(({ value }) => value) }, 2);
}

/** One file per document: `<folder>/<namespace>/<secret>/<key>` or `<folder>/<namespace>/<kind>-<name>.yaml`. */
async function writeFolder(documents: readonly Document[], folder: string, io: Io): Promise<void> {
  try {
    for (const { name, value } of documents) {
      const path = join(absolute(folder, io), name);
      // Configurations may hold credentials that a user wrote into them.
      await makePrivateFolder(dirname(path));
      await writeFile(path, typeof value === 'string' ? value : formatYaml(value), { mode: 0o600 });
      writeLine(io.stderr, join(folder, name));
    }
  } catch (cause) {
    throw new CommandError(`cannot write to ${folder}: ${fileProblem(cause)}`, { cause });
  }
}

/** No server has seen the roots, so they have no uid that a reference could name. */
function withoutEmptyUids(object: New<KubeObject>): New<KubeObject> {
  const { ownerReferences, ...metadata } = object.metadata;
  if (ownerReferences === undefined || ownerReferences.every(({ uid }) => uid !== '')) return object;
  return { ...object, metadata };
}
