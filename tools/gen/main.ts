/**
 * Generates the committed facts of the API surface: field names, types, list and patch keys. No upstream descriptions.
 *
 *   npm run gen -- --kubernetes kubernetes-api.json --crds DIR
 *
 * The documents' paths are arguments, so that the project builds without them. The types of the custom resources come from
 * the definitions as they are committed, and are written by every run.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readArguments } from '../arguments.ts';
import { crdTypeNames } from './crd-names.ts';
import { type CrdDocument, type CrdTypeOptions, crdTypesModule } from './crd-types.ts';
import { crdModules } from './crds.ts';
import { selectDefinitions } from './definitions.ts';
import type { OpenApiDocument } from './document.ts';
import { kindsModule } from './kinds.ts';
import { schemaModule } from './schema.ts';
import { structFieldsModule } from './struct-fields.ts';
import { typeModules } from './types.ts';

const usage = 'npm run gen -- [--kubernetes kubernetes-api.json] [--crds DIR]';
const { values } = readArguments({ options: { kubernetes: { type: 'string' }, crds: { type: 'string' } } }, usage);
function write(path: string, text: string): void {
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, text);
  process.stdout.write(`${path}\n`);
}

if (values.kubernetes !== undefined) {
  const document = JSON.parse(readFileSync(values.kubernetes, 'utf8')) as OpenApiDocument;
  const definitions = selectDefinitions(document);
  const api = 'packages/cluster/src/api';
  for (const [file, text] of typeModules(definitions)) write(`${api}/generated/${file}.ts`, text);
  write(`${api}/generated/kinds.ts`, kindsModule(document, definitions));
  write(`${api}/generated/schema.ts`, schemaModule(definitions));
}

if (values.crds !== undefined) {
  const directory = values.crds;
  const documents = readdirSync(directory)
    .filter((file) => file.endsWith('.json'))
    .sort()
    .map((file): unknown => JSON.parse(readFileSync(join(directory, file), 'utf8')));
  for (const [file, text] of crdModules(documents)) write(`packages/telemetry/src/resources/generated/${file}`, text);
}

// Each only now: what it reads may just have been written.
const { effectsModule } = await import('./effects.ts');
write('packages/telemetry/src/resources/generated/effects.ts', effectsModule());
const { bareDefinitions } = await import('../../packages/telemetry/src/resources/bare-crds.ts');
const { definitionsJson } = await import('../../packages/cluster/src/api/generated/schema.ts');
const { protobufMessagesJson } = await import(
  '../../packages/cluster/src/server/http/protobuf/generated/protobuf-messages.ts'
);
write(
  'packages/cluster/src/api/generated/struct-fields.ts',
  structFieldsModule(
    JSON.parse(protobufMessagesJson) as Parameters<typeof structFieldsModule>[0],
    JSON.parse(definitionsJson) as Parameters<typeof structFieldsModule>[1],
  ),
);
write(
  'packages/telemetry/src/resources/generated/types.ts',
  crdTypesModule({
    documents: bareDefinitions() as readonly CrdDocument[],
    kubernetes: JSON.parse(definitionsJson) as CrdTypeOptions['kubernetes'],
    names: crdTypeNames,
  }),
);
const { writeDeployFiles } = await import('../deploy/write.ts');
writeDeployFiles(write);
