import { InvariantError } from '../base/assert.ts';
import { formatExactJson } from '../base/exact-json.ts';
import type { Stored } from './store.ts';

export interface VersionFields {
  readonly key: string;
  readonly value: object;
  readonly revision: number;
  readonly createdRevision: number;
  /** Whether this revision deleted the key; `value` is then its last state. */
  readonly deleted: boolean;
  /** The JSON of the value, where it is at hand. */
  readonly bytes?: Buffer;
}

/** One revision of one key, linked to the one before as long as that may still be read. */
export class Version implements Stored {
  readonly key: string;
  readonly value: object;
  readonly revision: number;
  readonly createdRevision: number;
  readonly deleted: boolean;
  /** Set by the log alone. */
  older: Version | undefined;
  #bytes: Buffer | undefined;

  constructor({ key, value, revision, createdRevision, deleted, bytes }: VersionFields) {
    this.key = key;
    this.value = value;
    this.revision = revision;
    this.createdRevision = createdRevision;
    this.deleted = deleted;
    this.older = undefined;
    this.#bytes = bytes;
  }

  get bytes(): Buffer {
    this.#bytes ??= encode(this);
    return this.#bytes;
  }
}

function encode({ key, revision, value }: Version): Buffer {
  try {
    return Buffer.from(formatExactJson(value));
  } catch (cause) {
    throw new InvariantError('a stored value can be encoded as JSON', { key, revision }, { cause });
  }
}
