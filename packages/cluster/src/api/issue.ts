import { formatExactJson } from '../base/exact-json.ts';

/** Validation findings: what is wrong, where, and what would be right. One issue becomes one cause of a 422 Status. */
export type IssueReason =
  | 'FieldValueRequired'
  | 'FieldValueInvalid'
  | 'FieldValueNotSupported'
  | 'FieldValueForbidden'
  | 'FieldValueDuplicate'
  | 'FieldValueTooLong'
  | 'FieldValueTooMany'
  | 'FieldValueTypeInvalid'
  | 'FieldValueNotFound'
  | 'InternalError';

export interface Issue {
  readonly reason: IssueReason;
  /** `spec.template.spec.containers[0].name` */
  readonly field: string;
  /** The whole sentence, as kubectl prints it: `Invalid value: "x": must be …`. */
  readonly message: string;
  /** It was so before, and may stay: the user is told, and the write goes on. */
  readonly onlyWarns?: true;
}

/** A place in an object. Immutable: `at('spec', 'ports', 0, 'name')` goes deeper and leaves the original alone. */
export interface FieldPath {
  (...steps: readonly (string | number)[]): FieldPath;
  /** An entry of a map, always in brackets: `at('limits').key('cpu')` is `limits[cpu]`. */
  key(name: string): FieldPath;
  /** A field whatever it is called: `at.field('a-b')` is `.a-b`. */
  field(name: string): FieldPath;
  toString(): string;
  required(detail?: string): Issue;
  invalid(value: unknown, detail: string): Issue;
  notSupported(value: unknown, supported: readonly string[]): Issue;
  forbidden(detail: string): Issue;
  duplicate(value: unknown): Issue;
  tooLong(value: unknown, lengthMax: number): Issue;
  tooMany(count: number, countMax: number): Issue;
  typeInvalid(value: unknown, detail: string): Issue;
  /** Something that the value names does not exist. */
  notFound(value: unknown, detail?: string): Issue;
  /** Nothing that a user could mend. */
  internal(detail: string): Issue;
}

interface PathFunction extends FieldPath {
  readonly path: () => string;
}

/**
 * A validation makes a path for nearly every field it looks at, so a path is one small function with shared methods. Its text
 * is made when something is wrong there.
 */
function fieldPath(path: () => string): FieldPath {
  const deeper = (...steps: readonly (string | number)[]): FieldPath =>
    fieldPath(() => steps.reduce(step, path()) as string);
  deeper.path = path;
  return Object.setPrototypeOf(deeper, methods) as FieldPath;
}

const methods: object = Object.assign(Object.create(Function.prototype) as object, {
  key(this: PathFunction, name: string) {
    return fieldPath(() => `${this.path()}[${name}]`);
  },
  field(this: PathFunction, name: string) {
    return fieldPath(() => (this.path() === '' ? name : `${this.path()}.${name}`));
  },
  toString(this: PathFunction) {
    return this.path();
  },
  required(this: PathFunction, detail = '') {
    return issue(this, 'FieldValueRequired', detail === '' ? 'Required value' : `Required value: ${detail}`);
  },
  invalid(this: PathFunction, value: unknown, detail: string) {
    return issue(this, 'FieldValueInvalid', `Invalid value: ${show(value)}${detail === '' ? '' : `: ${detail}`}`);
  },
  notSupported(this: PathFunction, value: unknown, supported: readonly string[]) {
    return issue(this, 'FieldValueNotSupported', `Unsupported value: ${show(value)}${supportedList(supported)}`);
  },
  forbidden(this: PathFunction, detail: string) {
    return issue(this, 'FieldValueForbidden', `Forbidden: ${detail}`);
  },
  duplicate(this: PathFunction, value: unknown) {
    return issue(this, 'FieldValueDuplicate', `Duplicate value: ${show(value)}`);
  },
  tooLong(this: PathFunction, _value: unknown, lengthMax: number) {
    return issue(this, 'FieldValueTooLong', `Too long: may not be more than ${counted(lengthMax, 'byte')}`);
  },
  tooMany(this: PathFunction, count: number, countMax: number) {
    return issue(this, 'FieldValueTooMany', `Too many: ${count}: must have at most ${counted(countMax, 'item')}`);
  },
  typeInvalid(this: PathFunction, value: unknown, detail: string) {
    return issue(this, 'FieldValueTypeInvalid', `Invalid value: ${show(value)}: ${detail}`);
  },
  notFound(this: PathFunction, value: unknown, detail?: string) {
    const why = detail === undefined ? '' : `: ${detail}`;
    return issue(this, 'FieldValueNotFound', `Not found: ${show(value)}${why}`);
  },
  internal(this: PathFunction, detail: string) {
    return issue(this, 'InternalError', `Internal error: ${detail}`);
  },
});

function counted(count: number, what: string): string {
  return count === 1 ? `1 ${what}` : `${count} ${what}s`;
}

function issue(at: PathFunction, reason: IssueReason, message: string): Issue {
  const path = at.path();
  return { reason, field: path === '' ? '<nil>' : path, message };
}

/** A place as complaints about the text of a body name it: `metadata.annotations.example.com/a`, without brackets around keys. */
export function plainPath(steps: readonly (string | number)[]): string {
  let path = '';
  for (const next of steps) path += typeof next === 'number' ? `[${next}]` : path === '' ? next : `.${next}`;
  return path;
}

function step(path: string | number, next: string | number): string {
  if (typeof next === 'number') return `${path}[${next}]`;
  // Keys that are no identifiers stand in brackets, as upstream prints them; extensions of schemas are fields.
  if (/[^A-Za-z0-9_$]/.test(next) && !next.startsWith('x-kubernetes-')) return `${path}[${next}]`;
  return path === '' ? next : `${path}.${next}`;
}

function supportedList(supported: readonly string[]): string {
  return supported.length === 0
    ? ''
    : `: supported values: ${supported.map((value) => JSON.stringify(value)).join(', ')}`;
}

function show(value: unknown): string {
  if (value === undefined) return 'null';
  const text = formatExactJson(value);
  if (typeof value === 'string') return text.includes('\\u00') ? text.replace(/\\u00(..)/g, goEscape) : text;
  // What is no simple value is shown as upstream encodes JSON, which keeps it harmless within HTML.
  return typeof value === 'object' ? text.replace(/[<>&]/g, (sign) => escapes[sign] ?? sign) : text;
}

/** As Go quotes what cannot be printed. */
function goEscape(_: string, digits: string): string {
  return digits === '07' ? '\\a' : digits === '0b' ? '\\v' : `\\x${digits}`;
}

const escapes: Readonly<Record<string, string>> = { '<': '\\u003c', '>': '\\u003e', '&': '\\u0026' };

/** The root of an object. Last in the file, because it needs what stands above. */
export const root: FieldPath = fieldPath(() => '');
