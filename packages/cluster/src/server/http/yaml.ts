import {
  boolYaml11Tag,
  dump,
  floatCoreTag,
  intCoreTag,
  load,
  mapTag,
  mergeTag,
  nullCoreTag,
  Schema,
  seqTag,
  strTag,
} from 'js-yaml';

/** YAML as Kubernetes reads it: the booleans of YAML 1.1, but neither sexagesimal numbers nor timestamps. */
const schema: Schema = new Schema([
  strTag,
  seqTag,
  mapTag,
  nullCoreTag,
  boolYaml11Tag,
  intCoreTag,
  floatCoreTag,
  mergeTag,
]);

export type ParsedYaml = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly why: string };

/** One document. Aliases are refused: a few lines of them can stand for gigabytes. */
export function parseYaml(text: string): ParsedYaml {
  try {
    return { ok: true, value: load(text, { schema, maxAliases: 0, maxDepth: 100 }) };
  } catch (error) {
    const why = error instanceof Error ? (error.message.split('\n', 1)[0] ?? '') : String(error);
    return { ok: false, why };
  }
}

export function formatYaml(value: unknown): string {
  // A detour over JSON: it drops what JSON has no word for, exactly like the JSON answer.
  return dump(JSON.parse(JSON.stringify(value)), { lineWidth: -1, noRefs: true });
}
