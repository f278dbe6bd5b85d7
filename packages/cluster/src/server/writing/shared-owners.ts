import { keepOwners } from '../../api/apply/kept-owners.ts';
import type { Actor, Owner, Owners } from '../../api/apply/managers.ts';
import type { Change } from '../../api/apply/versions.ts';
import { fresh } from '../../base/fresh.ts';
import { mayShareJson, shareJson } from '../../base/shared-json.ts';

/*
 * Pods of one template are owned alike, down to the second: they share one value. What is not asked for any more is
 * forgotten, a generation at a time.
 */
const generationMax = 2_048;

interface Remembered<T> {
  get(text: string): T | undefined;
  put(text: string, value: T): void;
}

function createShared<T extends object>(): Remembered<T> {
  let young = new Map<string, T>();
  let old = new Map<string, T>();
  const put = (text: string, value: T): void => {
    if (young.size >= generationMax) {
      old = young;
      young = new Map();
    }
    young.set(text, value);
  };
  return {
    get(text) {
      const found = young.get(text);
      if (found !== undefined) return found;
      const older = old.get(text);
      if (older !== undefined) put(text, older);
      return older;
    },
    put,
  };
}

/** What is known by this text already, or from now on this value. */
function oneOf<T extends object>(known: Remembered<T>, text: string, value: T): T {
  const found = known.get(text);
  if (found !== undefined) return found;
  known.put(text, value);
  return value;
}

const fieldSets = createShared<Owner['fieldsV1']>();
const single = createShared<Owner>();
const lists = createShared<Owners>();
const ids = new WeakMap<object, number>();
let lastId = 0;

const updates = createShared<{ readonly owners: Owners | undefined; isShared: boolean }>();

export interface Updating {
  readonly owners: Owners;
  readonly change: Change;
  readonly actor: Actor;
  readonly time: string;
}

/** Whose fields they are after a change; the same as the last time where the same change was made to what the same owners had. */
export function sharedUpdate({ owners, change, actor, time }: Updating, decide: () => Owners): Owners | undefined {
  const { manager, apiVersion, subresource = '' } = actor;
  const found = change(apiVersion);
  const isOneVersion = owners.every((owner) => owner.apiVersion === apiVersion);
  // What was loaded or sent is not shared yet.
  const before = owners.length === 0 ? 0 : (ids.get(owners) ?? idOf(shared(owners)));
  if (found === undefined || !isOneVersion) return orNobody(decide());
  const text = `${before} ${idOf(found.touched)} ${idOf(found.removed)} ${time} ${apiVersion} ${subresource} ${manager}`;
  const known = updates.get(text);
  if (known !== undefined) {
    // Only now it is sure that there are several of them.
    if (!known.isShared) for (const owner of known.owners ?? []) shareJson(owner);
    known.isShared = true;
    return known.owners;
  }
  const after = orNobody(decide());
  updates.put(text, { owners: after, isShared: false });
  return after;
}

function orNobody(owners: Owners): Owners | undefined {
  return owners.length === 0 ? undefined : shared(owners);
}

/** The same owners as one frozen value for all who have them. */
export function shared(owners: Owners): Owners {
  if (ids.has(owners)) return owners;
  const each = owners.map(sharedOwner);
  const list = oneOf(lists, each.map(idOf).join(' '), each);
  idOf(list);
  if (Object.isFrozen(list)) return list;
  mayShareJson(list);
  keepOwners(list);
  return Object.freeze(list);
}

function sharedOwner(owner: Owner): Owner {
  if (ids.has(owner)) return owner;
  const { manager, operation, apiVersion, subresource = '', time = '' } = owner;
  // What was found by a comparison is one value already, wherever that is worth something.
  const isFound = ids.has(owner.fieldsV1);
  const fieldsV1 = isFound ? owner.fieldsV1 : oneOf(fieldSets, JSON.stringify(owner.fieldsV1), owner.fieldsV1);
  // A manager may be called anything: it stands last.
  const text = `${idOf(fieldsV1)} ${operation} ${time} ${apiVersion} ${subresource} ${manager}`;
  const found = oneOf(single, text, Object.freeze({ ...fresh, ...owner, fieldsV1 }));
  idOf(found);
  return found;
}

function idOf(value: object): number {
  let id = ids.get(value);
  if (id === undefined) {
    id = ++lastId;
    ids.set(value, id);
  }
  return id;
}
