import { definitionsJson } from '../generated/schema.ts';
import { isObject, type JsonObject } from '../record.ts';

/** The built-in definitions as they were generated: `$ref` holds just a name. Parsed at first use. */
export function definitions(): JsonObject {
  parsed ??= JSON.parse(definitionsJson) as JsonObject;
  return parsed;
}

let parsed: JsonObject | undefined;

export function definition(name: string): JsonObject | undefined {
  const found = Object.hasOwn(definitions(), name) ? definitions()[name] : undefined;
  return isObject(found) ? found : undefined;
}
