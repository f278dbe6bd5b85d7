/** What is known of the messages of Kubernetes' protobuf form: the generated table, and what its types mean. */
import { protobufMessagesJson } from './generated/protobuf-messages.ts';

/** The first four bytes of an object. */
export const magic: Buffer = Buffer.from('k8s\0');
export const schemaMessage = 'apiextensions/v1.JSONSchemaProps';

/** Number, JSON name, type, flags: r repeated, m map, n inline, z keeps its zero value. */
export type FieldFact = readonly [number: number, name: string, type: string, flags: string];
type Facts = ReadonlyMap<string, ReadonlyMap<number, FieldFact>>;

let loaded: Facts | undefined;

/** Parsed on first use: most servers never see protobuf. */
function facts(): Facts {
  loaded ??= new Map(
    Object.entries(JSON.parse(protobufMessagesJson) as Readonly<Record<string, readonly FieldFact[]>>).map(
      ([name, fields]) => [name, new Map(fields.map((field) => [field[0], field]))],
    ),
  );
  return loaded;
}

export function fieldsOfMessage(message: string): ReadonlyMap<number, FieldFact> | undefined {
  return facts().get(message);
}

/** `rbac.authorization.k8s.io/v1 Role` is described in the package `rbac/v1`; options of requests in `meta/v1`. */
export function messageOf(apiVersion: string, kind: string): string | undefined {
  const [first = '', second] = apiVersion.split('/');
  const home = second === undefined ? `core/${first}` : `${first.split('.', 1)[0]}/${second}`;
  return [`${home}.${kind}`, `meta/v1.${kind}`].find((name) => facts().has(name));
}
