import { crc32 } from 'node:zlib';
import type { Arena } from '../../base/slab.ts';
import type { BackendRecord } from '../store.ts';

/**
 * One object on disk, big-endian:
 *
 *   0  float64  revision that created the key
 *   8  float64  revision of this version
 *  16  uint32   CRC-32 of everything else, key included: finds bits that the disk flipped and records under a wrong key
 *  20  JSON
 */
const headerBytes = 20;
const checksumAt = 16;

/** In memory of the arena. */
export function encodeRecord({ key, createdRevision, revision, bytes }: BackendRecord, arena: Arena): Buffer {
  const record = arena.take(headerBytes + bytes.length);
  record.writeDoubleBE(createdRevision, 0);
  record.writeDoubleBE(revision, 8);
  bytes.copy(record, headerBytes);
  record.writeUInt32BE(checksum(key, record), checksumAt);
  return record;
}

/** Undefined when the record is damaged. The bytes are a view of the record. */
export function decodeRecord(key: string, record: Buffer): BackendRecord | undefined {
  if (record.length <= headerBytes || record.readUInt32BE(checksumAt) !== checksum(key, record)) return undefined;
  return {
    key,
    createdRevision: record.readDoubleBE(0),
    revision: record.readDoubleBE(8),
    bytes: record.subarray(headerBytes),
  };
}

function checksum(key: string, record: Buffer): number {
  return crc32(record.subarray(headerBytes), crc32(record.subarray(0, checksumAt), crc32(key)));
}
