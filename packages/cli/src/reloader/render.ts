import { gunzipSync } from 'node:zlib';

export type Env = Readonly<Record<string, string | undefined>>;

export interface Rendered {
  readonly bytes: Buffer;
  /** Variables that the text names and nobody has set, as often as it names them; they stay as they are written. */
  readonly unset: readonly string[];
}

/** The ceiling of an unpacked configuration. Above, it is refused: a few kilobytes can unpack to gigabytes. */
export const configBytesMax: number = 256 * 2 ** 20;

/** What the agent gets to read: unpacked when it is packed, and with the values of its pod in it. */
export function render(bytes: Buffer, env: Env): Rendered {
  return expand(isPacked(bytes) ? unpacked(bytes) : bytes, env);
}

function isPacked(bytes: Buffer): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b && bytes[2] === 0x08;
}

function unpacked(bytes: Buffer): Buffer {
  try {
    return gunzipSync(bytes, { maxOutputLength: configBytesMax });
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`read compressed config file: ${reason}`, { cause });
  }
}

/** Only `$(NAME)`: other forms belong to the agent. Bytes are taken as they are, whatever text they may be. */
function expand(bytes: Buffer, env: Env): Rendered {
  const text = bytes.toString('latin1');
  if (!text.includes('$(')) return { bytes, unset: [] };
  const unset: string[] = [];
  const expanded = text.replace(/\$\(([a-zA-Z_0-9]+)\)/g, (whole, name: string) => {
    const value = Object.hasOwn(env, name) ? env[name] : undefined;
    if (value === undefined) unset.push(name);
    return value === undefined ? whole : Buffer.from(value).toString('latin1');
  });
  return { bytes: Buffer.from(expanded, 'latin1'), unset };
}

/** The environment with the ordinal of the pod: the digits at the end of its name, or nothing. */
export function withOrdinal(env: Env, ordinalFrom: string): Env {
  return { ...env, STATEFULSET_ORDINAL_NUMBER: /\d+$/.exec(env[ordinalFrom] ?? '')?.[0] ?? '' };
}
