import { isObject, type JsonObject } from '../../api/record.ts';
import type { SchemaNode } from '../../api/schema/node.ts';
import { equal } from '../../base/equal.ts';
import type { Declared } from '../types/declared.ts';
import { escapeName, unescapeName } from '../types/escape.ts';
import { Values, valuesOf } from './collections.ts';
import { describe, equals, keyOf } from './equality.ts';
import { Uint } from './uint.ts';
import { EvaluationError, List, Mapping, type Value } from './value.ts';

type Read = (data: unknown) => Value;

/** A list within an object. Its elements are read when they are asked for. */
export class DataList extends List {
  readonly data: readonly unknown[];
  readonly read: Read;

  constructor(data: readonly unknown[], read: Read) {
    super();
    this.data = data;
    this.read = read;
  }

  get length(): number {
    return this.data.length;
  }

  at(index: number): Value {
    if (index < 0 || index >= this.data.length) throw new EvaluationError(`index out of bounds: ${index}`);
    return this.read(this.data[index]);
  }
}

/** A list whose elements have an identity: their value in a set, some of their fields in a list with keys. Order says nothing. */
export class KeyedList extends List {
  readonly #list: List;
  readonly #identify: (value: Value) => string;

  constructor(list: List, identify: (value: Value) => string) {
    super();
    this.#list = list;
    this.#identify = identify;
  }

  get length(): number {
    return this.#list.length;
  }

  at(index: number): Value {
    return this.#list.at(index);
  }

  override sameAs(other: List): boolean {
    if (other.length !== this.length) return false;
    if (this.#data() !== undefined && other instanceof KeyedList && other.#data() === this.#data()) return true;
    const mine = new Map(valuesOf(this).map((value) => [this.#identify(value), value]));
    return valuesOf(other).every((value) => {
      const known = mine.get(this.#identify(value));
      return known !== undefined && equals(known, value);
    });
  }

  #data(): readonly unknown[] | undefined {
    return this.#list instanceof DataList ? this.#list.data : undefined;
  }

  /** What is already there is not added but, with keys, replaced. */
  plus(other: List): KeyedList {
    const values = [...valuesOf(this)];
    const places = new Map(values.map((value, index) => [this.#identify(value), index]));
    for (const value of valuesOf(other)) {
      const key = this.#identify(value);
      const place = places.get(key);
      if (place !== undefined) values[place] = value;
      else places.set(key, values.push(value) - 1);
    }
    return new KeyedList(new Values(values), this.#identify);
  }
}

export function listReader({ listType, listMapKeys = [] }: SchemaNode, { read }: Declared): Read {
  const identify = listType === 'set' ? identityOf : listType === 'map' ? keysOf(listMapKeys) : undefined;
  return (data) => {
    if (!Array.isArray(data)) throw wrongData(data, 'an array for the provided schema with type=array');
    const list = new DataList(data, read);
    return identify === undefined ? list : new KeyedList(list, identify);
  };
}

/** The same text for values that are equal. */
function identityOf(value: Value): string {
  if (value instanceof List) return `[${valuesOf(value).map(identityOf).join()}]`;
  if (value instanceof Mapping) {
    const entries = [...value.keys()].map((key) => `${keyOf(key)}:${identityOf(value.get(key) ?? null)}`);
    return `{${entries.sort().join()}}`;
  }
  return value === null
    ? 'null'
    : typeof value === 'object' && !(value instanceof Uint)
      ? describe(value)
      : keyOf(value);
}

function keysOf(names: readonly string[]): (value: Value) => string {
  const keys = names.map((name) => escapeName(name) ?? name);
  return (value) => keys.map((key) => (value instanceof Mapping ? identityOf(value.get(key) ?? null) : '')).join('\n');
}

function wrongData(data: unknown, wanted: string): EvaluationError {
  if (data === null || data === undefined)
    return new EvaluationError('invalid data, got null for schema with nullable=false');
  return new EvaluationError(`invalid data, expected ${wanted}`);
}

/** A map within an object: any key, values of one type. */
export class DataMap extends Mapping {
  readonly data: JsonObject;
  readonly #read: Read;

  constructor(data: JsonObject, read: Read) {
    super();
    this.data = data;
    this.#read = read;
  }

  get size(): number {
    return Object.keys(this.data).length;
  }

  get(key: Value): Value | undefined {
    if (typeof key !== 'string' || !Object.hasOwn(this.data, key)) return undefined;
    return this.#read(this.data[key]);
  }

  keys(): Iterable<Value> {
    return Object.keys(this.data);
  }
}

export function mapReader({ read }: Declared): Read {
  return (data) => {
    if (!isObject(data)) throw wrongData(data, 'a map for the provided schema with type=object');
    return new DataMap(data, read);
  };
}

interface Fields {
  /** Properties by the names that expressions use. */
  readonly names: ReadonlyMap<string, string>;
  field(escaped: string): Declared | undefined;
}

/** An object with declared fields. A field that is null is not there. */
export class DataObject extends Mapping {
  readonly data: JsonObject;
  readonly #fields: Fields;

  constructor(data: JsonObject, fields: Fields) {
    super();
    this.data = data;
    this.#fields = fields;
  }

  get size(): number {
    return Object.keys(this.data).length;
  }

  get(key: Value): Value | undefined {
    if (typeof key !== 'string') return undefined;
    const property = this.#fields.names.get(key) ?? unescapeName(key);
    if (property === undefined || !Object.hasOwn(this.data, property)) return undefined;
    const data = this.data[property];
    return data === null || data === undefined ? undefined : this.#fields.field(key)?.read(data);
  }

  *keys(): Iterable<Value> {
    for (const name of Object.keys(this.data)) {
      const escaped = escapeName(name);
      if (escaped !== undefined && this.#fields.names.has(escaped)) yield escaped;
    }
  }

  /** Also what no field is declared for counts. */
  override sameAs(other: Mapping): boolean | undefined {
    if (!(other instanceof DataObject)) return undefined;
    if (this.data === other.data) return true;
    const names = Object.keys(this.data);
    if (names.length !== Object.keys(other.data).length) return false;
    return names.every((name) => {
      const escaped = escapeName(name) ?? '';
      const value = this.get(escaped);
      if (value === undefined) return equal(this.data[name], other.data[name]);
      const theirs = other.get(escaped);
      return theirs !== undefined && equals(value, theirs);
    });
  }
}

export function objectReader(fields: Fields): Read {
  return (data) => {
    if (!isObject(data)) throw wrongData(data, 'a map for the provided schema with type=object');
    return new DataObject(data, fields);
  };
}
