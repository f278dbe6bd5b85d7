import { createHash } from 'node:crypto';
import type { SlotMapping } from './mapping.ts';
import type { SlotLevels } from './weights.ts';

/*
 * How a root's shards share their targets, as text: an annotation on the Secret that holds their configuration, so that one
 * write changes both. Whoever reads it goes on where the last writer stopped.
 *
 * `v1 shards=3 owners=512:AAABAC… weights=512:… sum=1a2b3c4d`; during a hand-over also `to=4 toOwners=512:… step=both since=… written=…`.
 */

/** On the Secret that holds the agents' configuration. */
export const stateAnnotation = 'signalbox.dev/shards';

/** Who scrapes what: so many shards by `hashmod`, or the slots' owners. */
export interface Sharing {
  readonly shards: number;
  /** Undefined: by `hashmod`. */
  readonly owners: readonly number[] | undefined;
}

export interface ShardingState {
  /** What holds; during a hand-over what held before it. */
  readonly sharing: Sharing;
  readonly handover: Handover | undefined;
  /** What the slots weigh; absent: nobody has measured. As many as there are owners. */
  readonly weights?: SlotLevels;
}

export interface Handover {
  readonly to: Sharing;
  readonly step: HandoverStep;
  /** When the step began, in milliseconds since the epoch. */
  readonly sinceMs: number;
  /** When the configuration of the step was written: that of `start` is that of `both`. */
  readonly writtenMs: number;
}

/**
 * Targets that move are to be scraped by their old and their new shard: `start` until the pods of all shards are ready,
 * then `both` until the new shards are known to scrape. `cut`: only by the new one, but some agent may not have heard of it
 * yet.
 */
export type HandoverStep = 'both' | 'cut' | 'start';

/** More have no name among the digits. */
export const shardsMax = 4_096;

export function formatState({ sharing, handover, weights }: ShardingState): string {
  const fields = [
    'v1',
    `shards=${sharing.shards}`,
    ...ownersFields(sharing, 'owners'),
    ...(weights === undefined ? [] : [numbersField('weights', weights)]),
    ...(handover === undefined
      ? []
      : [
          `to=${handover.to.shards}`,
          ...ownersFields(handover.to, 'toOwners'),
          `step=${handover.step}`,
          `since=${handover.sinceMs}`,
          `written=${handover.writtenMs}`,
        ]),
  ];
  const text = fields.join(' ');
  return `${text} sum=${checksum(text)}`;
}

function ownersFields({ owners }: Sharing, name: 'owners' | 'toOwners'): readonly string[] {
  return owners === undefined ? [] : [numbersField(name, owners)];
}

function numbersField(name: string, numbers: readonly number[]): string {
  return `${name}=${numbers.length}:${numbers.map(digitsOf).join('')}`;
}

const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

function digitsOf(number: number): string {
  return `${digits[number >> 6]}${digits[number & 63]}`;
}

function checksum(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 8);
}

export type ReadState =
  | { readonly ok: true; readonly state: ShardingState }
  /** In words for the people who look after the root. */
  | { readonly ok: false; readonly problem: string };

export function parseState(text: string): ReadState {
  const [head = '', sum] = text.split(' sum=');
  const [version, ...parts] = head.split(' ');
  if (version !== 'v1')
    return { ok: false, problem: 'it does not begin with v1, the version that this operator reads' };
  if (sum !== checksum(head)) return { ok: false, problem: 'its checksum is wrong: it was edited, or cut off' };
  const fields = new Map(parts.map((part) => [part.slice(0, part.indexOf('=')), part.slice(part.indexOf('=') + 1)]));
  try {
    return { ok: true, state: stateOf(fields) };
  } catch (error) {
    return { ok: false, problem: error instanceof Error ? error.message : String(error) };
  }
}

type Fields = ReadonlyMap<string, string>;

function stateOf(fields: Fields): ShardingState {
  const sharing = sharingOf(fields, 'shards', 'owners');
  const weights = numbersIn(fields, 'weights');
  if (weights !== undefined && weights.length !== sharing.owners?.length)
    throw new Error('its weights are not those of its slots');
  const known = weights === undefined ? {} : { weights };
  if (!fields.has('to')) return { sharing, handover: undefined, ...known };
  const to = sharingOf(fields, 'to', 'toOwners');
  const step = fields.get('step');
  const [sinceMs, writtenMs] = [Number(fields.get('since')), Number(fields.get('written'))];
  if (step !== 'start' && step !== 'both' && step !== 'cut')
    throw new Error(`there is no step "${step}" of a hand-over`);
  if (!Number.isSafeInteger(sinceMs) || !Number.isSafeInteger(writtenMs))
    throw new Error('it does not say when the step began');
  if (sharing.owners !== undefined && to.owners !== undefined && sharing.owners.length !== to.owners.length)
    throw new Error('its two mappings are not of the same slots');
  return { sharing, handover: { to, step, sinceMs, writtenMs }, ...known };
}

function sharingOf(fields: Fields, shardsField: string, ownersField: string): Sharing {
  const shards = Number(fields.get(shardsField));
  if (!Number.isSafeInteger(shards) || shards < 1 || shards > shardsMax)
    throw new Error(`${shardsField} is no number of shards from 1 to ${shardsMax}`);
  const owners = numbersIn(fields, ownersField);
  if (owners?.some((owner) => owner >= shards)) throw new Error(`${ownersField} names a shard that there is not`);
  return { shards, owners };
}

/** A number for every slot. */
function numbersIn(fields: Fields, field: string): readonly number[] | undefined {
  const text = fields.get(field);
  if (text === undefined) return undefined;
  const [slots, named = ''] = text.split(':');
  const numbers = (named.match(/../g) ?? []).map(numberOf);
  if (String(numbers.length) !== slots || named.length % 2 !== 0 || numbers.length === 0 || numbers.includes(-1))
    throw new Error(`${field} does not have a number for every slot`);
  return numbers;
}

function numberOf(pair: string): number {
  const [high, low] = [digits.indexOf(pair[0] ?? ''), digits.indexOf(pair[1] ?? '')];
  return high < 0 || low < 0 ? -1 : high * digits.length + low;
}

/** The mapping of what is shared by slots. */
export function mappingOf({ shards, owners }: Sharing): SlotMapping | undefined {
  return owners === undefined ? undefined : { shards, owners };
}
