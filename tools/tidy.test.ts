/** The rules of ARCHITECTURE.md and CONTRIBUTING.md that a machine can check, held against the source tree itself. */
import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import ts from 'typescript';
import { expect, test } from 'vitest';
import {
  ambientFindings,
  builtinNames,
  type Finding,
  homonymFindings,
  layeringFindings,
  layersFrom,
  nameFindings,
  sizeFindings,
  strangerFindings,
} from './tidy.ts';

const rootFolder = resolve(import.meta.dirname, '..');
const layers = layersFrom(readFileSync(resolve(rootFolder, 'ARCHITECTURE.md'), 'utf8'));

const files = ['cluster', 'telemetry', 'node', 'cli']
  .flatMap((name) =>
    readdirSync(resolve(rootFolder, 'packages', name, 'src'), { recursive: true, encoding: 'utf8' }).map(
      (file) => `packages/${name}/src/${file}`,
    ),
  )
  .filter((file) => file.endsWith('.ts') && !file.includes('/generated/'))
  .sort();

const sources = files.map((file) => parse(file, readFileSync(resolve(rootFolder, file), 'utf8')));

function parse(file: string, text: string): ts.SourceFile {
  return ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
}

function lines(findings: readonly Finding[]): readonly string[] {
  return findings.map(({ file, line, message }) => `${file}:${line}: ${message}`);
}

test('the architecture names the layers', () => {
  expect(layers.get('cluster:base')).toEqual(new Set());
  expect(layers.get('cluster:scheduler')).toEqual(
    new Set(['runtime', 'client', 'resources', 'api', 'base'].map((room) => `cluster:${room}`)),
  );
  expect(layers.get('cluster:cluster.ts')).toBe('everything');
  expect(layers.get('telemetry:tree')).toEqual(new Set(['telemetry:world']));
});

test('imports point down', () => {
  expect(lines(sources.flatMap((source) => layeringFindings(source, layers)))).toEqual([]);
});

test('simulations, attacks, benchmarks and scenarios use what the packages export', () => {
  const strangers = ['sim', 'bench', 'scenarios'].flatMap((name) =>
    readdirSync(resolve(rootFolder, name), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .map((file) => parse(`${name}/${file}`, readFileSync(resolve(rootFolder, name, file), 'utf8'))),
  );
  expect(strangers.length).toBeGreaterThan(20);
  expect(lines(strangers.flatMap(strangerFindings))).toEqual([]);
});

test('time and chance are parameters', () => {
  expect(lines(sources.flatMap(ambientFindings))).toEqual([]);
});

const kinds = builtinNames(readFileSync(resolve(rootFolder, 'packages/cluster/src/api/generated/kinds.ts'), 'utf8'));

test('a kind is told by its group and its name', () => {
  expect([...kinds]).toEqual(expect.arrayContaining(['pods', 'Pod', 'customresourcedefinitions']));
  expect(lines(sources.flatMap((source) => homonymFindings(source, kinds)))).toEqual([]);
});

test('files and functions stay readable', () => {
  expect(lines(sources.flatMap(sizeFindings))).toEqual([]);
});

test('file names say what is inside', () => {
  expect(lines(files.flatMap(nameFindings))).toEqual([]);
});

test('the rules catch what they are for', () => {
  const bad = parse(
    'packages/cluster/src/controllers/daemonset/plan.ts',
    "import { x } from '../../store/log.ts';\nimport { y } from '../gc/plan.ts';\nexport const t = Date.now() + new Date().getTime();\n",
  );
  expect(lines(layeringFindings(bad, layers))).toEqual([
    'packages/cluster/src/controllers/daemonset/plan.ts:1: controllers may not import store (../../store/log.ts)',
    'packages/cluster/src/controllers/daemonset/plan.ts:2: controllers/daemonset may not import its sibling controllers/gc',
  ]);
  expect(ambientFindings(bad)).toHaveLength(2);
  const codec = parse(
    'packages/cluster/src/server/http/codec/decode.ts',
    "import { listen } from '../listen.ts';\nimport { get } from '../../reading/get.ts';\nimport { root } from '../../../api/issue.ts';\nimport { wire } from '../protobuf/wire.ts';\n",
  );
  expect(lines(layeringFindings(codec, layers))).toEqual([
    'packages/cluster/src/server/http/codec/decode.ts:1: server/http/codec may not import server/http (../listen.ts)',
    'packages/cluster/src/server/http/codec/decode.ts:2: server/http/codec may not import server/reading (../../reading/get.ts)',
  ]);
  const root = parse(
    'packages/telemetry/src/roots/prometheus/status.ts',
    "import { x } from '../grafana-agent/status.ts';\nimport { y } from '../../live/tree.ts';\n",
  );
  expect(lines(layeringFindings(root, layers))).toEqual([
    'packages/telemetry/src/roots/prometheus/status.ts:1: roots/prometheus may not import its sibling roots/grafana-agent',
    'packages/telemetry/src/roots/prometheus/status.ts:2: roots may not import live (../../live/tree.ts)',
  ]);
  const nameless = parse(
    'packages/cluster/src/server/post.ts',
    "if (served.definition.resource === 'pods') evict();\n",
  );
  expect(homonymFindings(nameless, kinds)).toHaveLength(1);
  const long = parse('packages/cli/src/long.ts', `export function f() {\n${'  g();\n'.repeat(80)}}\n`);
  expect(lines(sizeFindings(long))).toEqual(['packages/cli/src/long.ts:1: a function of 82 lines; at most 70']);
  expect(nameFindings('packages/cli/src/utils.ts')).toHaveLength(1);
});
