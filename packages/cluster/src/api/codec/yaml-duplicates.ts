import { EVENT_ID, parseEvents } from 'js-yaml';
import { placeOf } from './source.ts';

/** More than these help nobody. */
const namedMax = 100;

interface Level {
  /** Undefined in a list. */
  readonly keys: Set<string> | undefined;
  /** The key whose value is next. */
  key: string | undefined;
}

/** What go-yaml says of keys that stand twice in one map: `line 4: key "a" already set in map`, by the line of the value. */
export function duplicateKeys(text: string, firstLine: number): readonly string[] {
  const found: string[] = [];
  const levels: Level[] = [];
  const take = (start: number, scalar: string | undefined): void => {
    const level = levels.at(-1);
    if (level?.keys === undefined) return;
    if (level.key === undefined) {
      level.key = scalar ?? '';
      return;
    }
    if (level.keys.has(level.key) && found.length < namedMax) {
      const line = firstLine + placeOf(text, start).line - 1;
      found.push(`line ${line}: key ${JSON.stringify(level.key)} already set in map`);
    }
    level.keys.add(level.key);
    level.key = undefined;
  };
  for (const event of parseEvents(text, {})) {
    switch (event.type) {
      case EVENT_ID.MAPPING:
      case EVENT_ID.SEQUENCE:
        take(event.start, undefined);
        levels.push({ keys: event.type === EVENT_ID.MAPPING ? new Set() : undefined, key: undefined });
        break;
      case EVENT_ID.SCALAR:
        take(event.valueStart, text.slice(event.valueStart, event.valueEnd));
        break;
      case EVENT_ID.ALIAS:
        take(event.anchorStart, undefined);
        break;
      case EVENT_ID.POP:
        levels.pop();
        break;
      default:
    }
  }
  return found;
}
