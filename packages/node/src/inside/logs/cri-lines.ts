/** Lines as a container runtime writes them: `2026-11-22T07:45:13.123000000Z stdout F text`. Longer ones come in parts, `P`. */

export type StreamName = 'stdout' | 'stderr';

export interface LineCutter {
  /** What is complete by now, as bytes to append. */
  take(bytes: Buffer, nowMs: number): Buffer;
  /** What was written last without an end of line. */
  end(nowMs: number): Buffer;
}

/** As containerd cuts them. */
const lineBytesMax = 16_384;
const newline = 10;

export function createLineCutter(stream: StreamName): LineCutter {
  let rest: Buffer = Buffer.alloc(0);
  const format = (
    line: Buffer,
    { tag, time }: { readonly tag: 'F' | 'P'; readonly time: string },
  ): readonly Buffer[] => [Buffer.from(`${time} ${stream} ${tag} `), line, Buffer.from([newline])];
  return {
    take(bytes, nowMs) {
      const time = nanoTime(nowMs);
      const out: Buffer[] = [];
      let all = rest.length === 0 ? bytes : Buffer.concat([rest, bytes]);
      for (;;) {
        const at = all.indexOf(newline);
        const length = at === -1 ? all.length : at;
        if (length > lineBytesMax) {
          out.push(...format(all.subarray(0, lineBytesMax), { tag: 'P', time }));
          all = all.subarray(lineBytesMax);
        } else if (at === -1) break;
        else {
          out.push(...format(all.subarray(0, at), { tag: 'F', time }));
          all = all.subarray(at + 1);
        }
      }
      // A copy: else a byte left over would keep the whole chunk in memory.
      rest = Buffer.from(all);
      return Buffer.concat(out);
    },
    end(nowMs) {
      if (rest.length === 0) return rest;
      const last = Buffer.concat(format(rest, { tag: 'F', time: nanoTime(nowMs) }));
      rest = Buffer.alloc(0);
      return last;
    },
  };
}

function nanoTime(nowMs: number): string {
  return `${new Date(nowMs).toISOString().slice(0, 23)}000000Z`;
}
