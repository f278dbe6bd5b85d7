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
  | 'FieldValueNotFound';

export interface Issue {
  readonly reason: IssueReason;
  /** `spec.template.spec.containers[0].name` */
  readonly field: string;
  /** The whole sentence, as kubectl prints it: `Invalid value: "x": must be …`. */
  readonly message: string;
}

/** A place in an object. Immutable: `at('spec', 'ports', 0, 'name')` goes deeper and leaves the original alone. */
export interface FieldPath {
  (...steps: readonly (string | number)[]): FieldPath;
  /** An entry of a map, always in brackets: `at('limits').key('cpu')` is `limits[cpu]`. */
  key(name: string): FieldPath;
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
  notFound(value: unknown): Issue;
}

/** The root of an object. */
export const root: FieldPath = fieldPath('');

function fieldPath(path: string): FieldPath {
  const issue = (reason: IssueReason, message: string): Issue => ({
    reason,
    field: path === '' ? '<nil>' : path,
    message,
  });
  const deeper = (...steps: readonly (string | number)[]): FieldPath => fieldPath(steps.reduce(step, path) as string);
  return Object.assign(deeper, {
    key: (name: string) => fieldPath(`${path}[${name}]`),
    toString: () => path,
    required: (detail = '') =>
      issue('FieldValueRequired', detail === '' ? 'Required value' : `Required value: ${detail}`),
    invalid: (value: unknown, detail: string) => issue('FieldValueInvalid', `Invalid value: ${show(value)}: ${detail}`),
    notSupported: (value: unknown, supported: readonly string[]) =>
      issue('FieldValueNotSupported', `Unsupported value: ${show(value)}${supportedList(supported)}`),
    forbidden: (detail: string) => issue('FieldValueForbidden', `Forbidden: ${detail}`),
    duplicate: (value: unknown) => issue('FieldValueDuplicate', `Duplicate value: ${show(value)}`),
    tooLong: (_value: unknown, lengthMax: number) =>
      issue('FieldValueTooLong', `Too long: may not be more than ${lengthMax} bytes`),
    tooMany: (count: number, countMax: number) =>
      issue('FieldValueTooMany', `Too many: ${count}: must have at most ${countMax} items`),
    typeInvalid: (value: unknown, detail: string) =>
      issue('FieldValueTypeInvalid', `Invalid value: ${show(value)}: ${detail}`),
    notFound: (value: unknown) => issue('FieldValueNotFound', `Not found: ${show(value)}`),
  });
}

function step(path: string | number, next: string | number): string {
  if (typeof next === 'number') return `${path}[${next}]`;
  // Keys that are no identifiers stand in brackets, as upstream prints them.
  if (/[^A-Za-z0-9_$]/.test(next)) return `${path}[${next}]`;
  return path === '' ? next : `${path}.${next}`;
}

function supportedList(supported: readonly string[]): string {
  return supported.length === 0
    ? ''
    : `: supported values: ${supported.map((value) => JSON.stringify(value)).join(', ')}`;
}

function show(value: unknown): string {
  return value === undefined ? 'null' : JSON.stringify(value);
}
