/** HTTP/2 frames by hand, for what no library would send. */
export const preface: Buffer = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');

export const frameTypes = {
  data: 0,
  headers: 1,
  priority: 2,
  reset: 3,
  settings: 4,
  ping: 6,
  goaway: 7,
  windowUpdate: 8,
  continuation: 9,
} as const;

export interface Frame {
  readonly type: keyof typeof frameTypes | number;
  readonly flags?: number;
  readonly stream?: number;
  readonly payload?: Buffer;
  /** What the header says instead of the payload's length. */
  readonly length?: number;
}

export function frame({
  type,
  flags = 0,
  stream = 0,
  payload = Buffer.alloc(0),
  length = payload.length,
}: Frame): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(length, 0, 3);
  head[3] = typeof type === 'number' ? type : frameTypes[type];
  head[4] = flags;
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

/** `GET /healthz` with fields from the static table and literals without compression. */
export function getHeaders(path: string): Buffer {
  return Buffer.concat([Buffer.from([0x82, 0x87]), literal(':path', path), literal(':authority', 'a')]);
}

export function literal(name: string, value: string): Buffer {
  return Buffer.concat([Buffer.from([0]), text(name), text(value)]);
}

function text(value: string): Buffer {
  const bytes = Buffer.from(value);
  if (bytes.length < 127) return Buffer.concat([Buffer.from([bytes.length]), bytes]);
  const rest: number[] = [127];
  let left = bytes.length - 127;
  for (; left >= 128; left = Math.floor(left / 128)) rest.push((left % 128) + 128);
  rest.push(left);
  return Buffer.concat([Buffer.from(rest), bytes]);
}
