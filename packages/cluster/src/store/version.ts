import { InvariantError } from '../base/assert.ts';
import { parseExactJson } from '../base/exact-json.ts';
import { freeze } from '../base/freeze.ts';
import { encodeSharedJson, lendSharedJson, sharedJsonSize } from '../base/shared-json.ts';
import { giveBack } from '../base/slab.ts';
import type { Stored } from './store.ts';

/** A key of the log. */
export interface Entry {
  readonly key: string;
  newest: Version;
}

export interface VersionFields {
  readonly key: string;
  /** The value, or the JSON that it is made from when it is first read. */
  readonly value: object | string;
  readonly revision: number;
  readonly createdRevision: number;
  /** Whether this revision deleted the key; `value` is then its last state. */
  readonly deleted: boolean;
  /** What it takes the place of. */
  readonly before?: Version | undefined;
}

/** What a version costs beside its value: itself, its event, its place in history and in lists. */
const overheadBytes = 400;

/**
 * One revision of one key, linked to the one before as long as that may still be read. It holds its value or its JSON, not
 * both: what was loaded and never read stays JSON, and what was written lets go of its JSON once that is on disk.
 */
export class Version implements Stored {
  readonly key: string;
  readonly revision: number;
  readonly createdRevision: number;
  readonly deleted: boolean;
  /** Set by the log alone. */
  older: Version | undefined;
  /** Where the log has its key, so that the version after it need not look for that among all keys. Set by the log. */
  entry: Entry | undefined;
  #value: object | undefined;
  #json: string | undefined;
  #bytes: Buffer | undefined;
  #size: number | undefined;

  constructor({ key, value, revision, createdRevision, deleted, before }: VersionFields) {
    this.key = key;
    this.revision = revision;
    this.createdRevision = createdRevision;
    this.deleted = deleted;
    this.older = undefined;
    this.entry = before?.entry;
    const isJson = typeof value === 'string';
    this.#value = isJson ? undefined : value;
    this.#json = isJson ? value : undefined;
    this.#bytes = undefined;
    // A deletion is of about the same size as what it deletes: what nobody encodes need not be walked through to be weighed.
    this.#size = isJson ? value.length : deleted && before !== undefined ? before.#size : undefined;
  }

  /** Frozen. Throws when the JSON it was loaded from is none. */
  get value(): object {
    if (this.#value === undefined) {
      this.#value = decode(this, this.#json ?? '');
      this.#json = undefined;
    }
    return this.#value;
  }

  /** The value's JSON, encoded at each call unless it is held. */
  get bytes(): Buffer {
    if (this.#json !== undefined) return Buffer.from(this.#json);
    return this.#bytes ?? encode(this, encodeSharedJson);
  }

  /** About what it takes to keep this version, in bytes. Exact for the value where it was ever encoded. */
  get weightBytes(): number {
    this.#size ??= sharedJsonSize(this.value);
    return this.#size + overheadBytes;
  }

  /** Encodes once for all who read the bytes until `release`; `lasting`: somebody reads them after that. */
  hold({ lasting }: { readonly lasting: boolean } = { lasting: false }): Buffer {
    this.#bytes ??= encode(this, lasting ? encodeSharedJson : lendSharedJson);
    this.#size = this.#bytes.length;
    return this.#bytes;
  }

  /** What is held. */
  get held(): Buffer | undefined {
    return this.#bytes;
  }

  release(): void {
    if (this.#bytes !== undefined) giveBack(this.#bytes);
    this.#bytes = undefined;
  }
}

function encode({ key, revision, value }: Version, as: (value: object) => Buffer): Buffer {
  try {
    return as(value);
  } catch (cause) {
    throw new InvariantError('a stored value can be encoded as JSON', { key, revision }, { cause });
  }
}

function damaged(key: string, revision: number): string {
  return `what is stored as ${key} (revision ${revision}) is no JSON: stop the server and restore its data from a copy`;
}

function decode({ key, revision }: Version, json: string): object {
  try {
    return freeze(parseExactJson(json) as object);
  } catch (cause) {
    throw new Error(damaged(key, revision), { cause });
  }
}
