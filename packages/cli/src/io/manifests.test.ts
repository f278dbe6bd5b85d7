import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createTestIo, type TestIo } from '../testing/io.ts';
import { CommandError } from './errors.ts';
import { type Manifest, parseManifests, readManifests } from './manifests.ts';

const configmap = (name: string): string => `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\n`;
const placed = ({ object, source, line }: Manifest): string =>
  `${source}:${line} ${object.kind} ${object.metadata.name}`;

describe('a text', () => {
  const found = (text: string): readonly string[] => parseManifests(text, 'f').found.map(placed);
  const broken = (text: string): readonly string[] => parseManifests(text, 'f').broken;

  test('gives each document with the line that it starts on', () => {
    expect(found(`# first\n${configmap('a')}---\n\n${configmap('b')}`)).toEqual(['f:2 ConfigMap a', 'f:8 ConfigMap b']);
  });
  test('may be a list, whose items it gives', () => {
    expect(
      found(JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMapList', items: [{ metadata: { name: 'a' } }] })),
    ).toEqual(['f:1 ConfigMap a']);
  });
  test('may be empty', () => expect(parseManifests('\n# nothing\n---\n', 'f')).toEqual({ found: [], broken: [] }));

  test.each<[string, string, string]>([
    ['broken YAML', 'a: 1\n b: 2\n', 'f:2:3: bad indentation of a mapping entry'],
    ['text', 'hello', 'f:1:1: this is no Kubernetes object: expected a mapping with apiVersion, kind and metadata'],
    ['no kind', 'apiVersion: v1\nmetadata: { name: a }\n', 'f:1:1: kind is missing'],
    ['no apiVersion', 'kind: Pod\nmetadata: { name: a }\n', 'f:1:1: apiVersion is missing'],
    ['a version that is no text', 'apiVersion: 1\nkind: Pod\n', 'f:1:1: apiVersion must be text'],
    ['no metadata', 'apiVersion: v1\nkind: Pod\n', 'f:1:1: Pod: metadata is missing'],
    ['no name', 'apiVersion: v1\nkind: Pod\nmetadata: {}\n', 'f:1:1: Pod: metadata.name is missing'],
    [
      'a number for a name',
      'apiVersion: v1\nkind: Pod\nmetadata: { name: 12 }\n',
      'f:1:1: Pod: metadata.name must be text; put it in quotes',
    ],
  ])('with %s is refused with its place', (_, text, message) => expect(broken(text)).toEqual([message]));

  test('names every broken document that can be told apart', () => {
    expect(broken('kind: A\n---\nkind: B\n')).toEqual(['f:1:1: apiVersion is missing', 'f:3:1: apiVersion is missing']);
  });
});

describe('paths', () => {
  let io: TestIo;
  beforeEach(async () => {
    io = await createTestIo({ stdin: configmap('piped') });
    await mkdir(join(io.cwd, 'folder', 'deeper'), { recursive: true });
    await mkdir(join(io.cwd, 'empty'));
    await io.file('folder/b.yaml', configmap('b'));
    await io.file('folder/a.yml', configmap('a'));
    await io.file('folder/c.json', '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c"}}');
    await io.file('folder/notes.txt', 'not: [a manifest');
    await io.file('folder/deeper/d.yaml', configmap('d'));
  });
  afterEach(() => io.remove());

  const read = async (...paths: readonly string[]): Promise<readonly string[]> =>
    (await readManifests(paths, io)).map(placed);
  const refusal = async (...paths: readonly string[]): Promise<readonly string[]> => {
    const error = await readManifests(paths, io).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(CommandError);
    return (error as CommandError).lines;
  };

  test('of folders give their manifests in the order of their names, without subfolders', async () => {
    expect(await read('folder')).toEqual([
      'folder/a.yml:1 ConfigMap a',
      'folder/b.yaml:1 ConfigMap b',
      'folder/c.json:1 ConfigMap c',
    ]);
  });
  test('are read in the order in which they are given', async () => {
    expect(await read('folder/b.yaml', 'folder/a.yml')).toHaveLength(2);
    expect((await read('folder/b.yaml', 'folder/a.yml'))[0]).toContain('ConfigMap b');
  });
  test('of files count whatever their name ends in', async () => {
    await io.file('manifest', configmap('x'));
    expect(await read('manifest')).toEqual(['manifest:1 ConfigMap x']);
  });
  test('"-" is standard input', async () => {
    expect(await read('-')).toEqual(['standard input:1 ConfigMap piped']);
  });
  test('"-" twice makes no sense', async () =>
    expect(await refusal('-', '-')).toEqual(['-f - can be given only once']));
  test('that do not exist are named', async () => {
    expect(await refusal('none')).toEqual(['-f none: no such file or folder; check the path']);
  });
  test('of folders without manifests are named', async () => {
    expect(await refusal('empty')).toEqual(['-f empty: the folder holds no *.yaml, *.yml or *.json file']);
  });
  test('with broken files give nothing, but name every broken file', async () => {
    await io.file('folder/b.yaml', 'a: [');
    await io.file('folder/c.json', '{}');
    const lines = await refusal('folder');
    expect(lines.map((line) => line.split(':')[0])).toEqual(['folder/b.yaml', 'folder/c.json']);
  });
});
