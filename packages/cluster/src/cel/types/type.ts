export type Kind =
  | 'dyn'
  | 'error'
  | 'bool'
  | 'int'
  | 'uint'
  | 'double'
  | 'string'
  | 'bytes'
  | 'null'
  | 'timestamp'
  | 'duration'
  | 'type'
  | 'list'
  | 'map'
  | 'optional'
  | 'object'
  | 'opaque'
  | 'parameter';

/** A type of the language. Types of one kind, name and parameters are the same type. */
export interface Type {
  readonly kind: Kind;
  readonly name: string;
  readonly parameters: readonly Type[];
  /** Of objects: the type of a field by the name that expressions use. */
  field?(name: string): Type | undefined;
}

function simple(kind: Kind, name: string = kind): Type {
  return { kind, name, parameters: [] };
}

export const dyn: Type = simple('dyn');
export const errorType: Type = simple('error', '!error!');
export const bool: Type = simple('bool');
export const int: Type = simple('int');
export const uint: Type = simple('uint');
export const double: Type = simple('double');
export const string: Type = simple('string');
export const bytes: Type = simple('bytes');
export const nullType: Type = simple('null', 'null_type');
export const timestamp: Type = simple('timestamp', 'google.protobuf.Timestamp');
export const duration: Type = simple('duration', 'google.protobuf.Duration');

export function listOf(element: Type): Type {
  return { kind: 'list', name: 'list', parameters: [element] };
}

export function mapOf(key: Type, value: Type): Type {
  return { kind: 'map', name: 'map', parameters: [key, value] };
}

export function optionalOf(value: Type): Type {
  return { kind: 'optional', name: 'optional_type', parameters: [value] };
}

export function typeOf(type: Type): Type {
  return { kind: 'type', name: 'type', parameters: [type] };
}

export function opaque(name: string): Type {
  return simple('opaque', name);
}

export function parameter(name: string): Type {
  return simple('parameter', name);
}

export function isDyn({ kind }: Type): boolean {
  return kind === 'dyn' || kind === 'error';
}

export function first({ parameters }: Type): Type {
  return parameters[0] ?? dyn;
}

export function second({ parameters }: Type): Type {
  return parameters[1] ?? dyn;
}

/** As messages of the checker show it: `map(string, list(int))`. */
export function formatType(type: Type): string {
  switch (type.kind) {
    case 'null':
      return 'null';
    case 'timestamp':
      return 'timestamp';
    case 'duration':
      return 'duration';
    default:
      return type.parameters.length === 0 ? type.name : `${type.name}(${type.parameters.map(formatType).join(', ')})`;
  }
}
