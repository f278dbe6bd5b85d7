import { formatExactJson } from './exact-json.ts';
import { jsonSize } from './json-size.ts';

/*
 * JSON of objects that have parts in common with many others. A part that is said to be shared is encoded once. Such parts are
 * looked for where `metadata.managedFields` is and nowhere else, in the lists of an object's own members: looking costs as well.
 */

type Members = Readonly<Record<string, unknown>>;

const texts = new WeakMap<object, { json: string | undefined }>();
const lists = new WeakSet<object>();

/** From now on the JSON of this frozen value is made once, and kept as long as the value is. */
export function shareJson(value: object): void {
  if (!texts.has(value)) texts.set(value, { json: undefined });
}

/** Says of a frozen list that some of its elements may be shared. */
export function mayShareJson(list: readonly object[]): void {
  lists.add(list);
}

/** As `formatExactJson`, but what has shared parts in it stands at the end of the member that it is in. */
export function formatSharedJson(value: object): string {
  const place = placeIn(value);
  if (place === undefined) return formatExactJson(value);
  let text = '';
  for (const name in value) {
    const member = (value as Members)[name];
    if (member === undefined) continue;
    text += `${text === '' ? '{' : ','}${JSON.stringify(name)}:`;
    text += name === place.outer ? formatMember(member as Members, place) : formatExactJson(member);
  }
  return `${text}}`;
}

/** As `jsonSize`; what is shared is not walked through again. */
export function sharedJsonSize(value: object, enough: number = Infinity): number {
  const place = placeIn(value);
  if (place === undefined) return jsonSize(value, enough);
  const { outer, inner, list } = place;
  const member = (value as Members)[outer] as Members;
  let size = 2;
  for (const element of list) size += 1 + (texts.get(element)?.json?.length ?? jsonSize(element));
  return size + jsonSize({ ...value, [outer]: { ...member, [inner]: null } }, enough);
}

interface Place {
  readonly outer: string;
  readonly inner: string;
  readonly list: readonly object[];
}

function placeIn(value: object): Place | undefined {
  for (const outer in value) {
    const member = (value as Members)[outer];
    if (typeof member !== 'object' || member === null || Array.isArray(member)) continue;
    for (const inner in member) {
      const list = (member as Members)[inner];
      if (Array.isArray(list) && lists.has(list)) return { outer, inner, list };
    }
  }
  return undefined;
}

function formatMember(member: Members, { inner, list }: Place): string {
  const others = formatExactJson({ ...member, [inner]: undefined });
  const elements = list.map(formatElement).join(',');
  return `${others.slice(0, -1)}${others === '{}' ? '' : ','}${JSON.stringify(inner)}:[${elements}]}`;
}

function formatElement(element: object): string {
  const shared = texts.get(element);
  if (shared === undefined) return formatExactJson(element);
  shared.json ??= formatExactJson(element);
  return shared.json;
}
