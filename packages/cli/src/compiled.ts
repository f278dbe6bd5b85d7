/** A CommonJS file whose code V8 need not compile again: what it has compiled is kept beside other caches of the user. */
import { createHash } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  fstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Script } from 'node:vm';
import { crc32 } from 'node:zlib';
import { userCache } from './io/user-cache.ts';

export interface CompiledOptions {
  readonly env: NodeJS.ProcessEnv;
  /** What Node.js was started with: code that was compiled under other flags is of no use. */
  readonly execArgv: readonly string[];
  readonly after: (delayMs: number, work: () => void) => void;
}

/** What a file has to export for its code to be kept. */
export interface Compiled {
  /** Runs something with V8's flags as they are at the start of the process. */
  readonly withUsualFlags: <T>(work: () => T) => T;
}

/** By then a start has run nearly all that starts run; what has not been called is not compiled, and not kept. */
const keepAfterMs = 1_500;
/** Of other versions, and of other flags. Each has about five megabytes. */
const filesMax = 6;

/**
 * What the file exports, which requires and never imports. Its name changes with its content, by which kept code is found. Whatever is wrong with kept code, the
 * file is compiled: it is never worth a failure.
 */
export function requireCompiled<T extends Compiled>(file: string, options: CompiledOptions): T {
  // Bundles are ASCII, and of one byte each they take half the memory.
  const source = `(function (exports, require, module, __filename, __dirname, __url) {${readFileSync(file, 'latin1')}\n})`;
  const kept = keptFile(file, options);
  const cachedData = kept === undefined ? undefined : readKept(kept);
  // No word of `import()`: Node.js 20 would do it for code that was compiled here, and not for code that was kept.
  const settings = { filename: file };
  const script = new Script(source, { ...settings, ...(cachedData !== undefined && { cachedData }) });
  const module = { exports: {} as T };
  const run = script.runInThisContext() as (...args: readonly unknown[]) => void;
  run(module.exports, createRequire(file), module, file, dirname(file), pathToFileURL(file).href);
  const { exports } = module;
  if (kept !== undefined && (cachedData === undefined || script.cachedDataRejected === true)) {
    const keep = (): void => {
      const made = exports.withUsualFlags(() => script.createCachedData());
      // A later engine may have other flags that count: what it will not take is not worth the space.
      // V8 asks kept code nothing when it has compiled the very source already, and knows another one of that length not apart.
      const likewise = `${source.slice(0, -3)} })`;
      const again = exports.withUsualFlags(() => new Script(likewise, { ...settings, cachedData: made }));
      if (again.cachedDataRejected !== true) writeKept(kept, made);
    };
    options.after(keepAfterMs, () => quietly(keep));
  }
  return exports;
}

/** Undefined where the user has no such place, or wants none: `NODE_DISABLE_COMPILE_CACHE`, as later versions of Node.js have it. */
export function keptFile(file: string, { env, execArgv }: Omit<CompiledOptions, 'after'>): string | undefined {
  if ((env['NODE_DISABLE_COMPILE_CACHE'] ?? '') !== '') return undefined;
  const folder = userCache(env);
  if (folder === undefined) return undefined;
  const engine = JSON.stringify([file, process.version, process.arch, execArgv, env['NODE_OPTIONS']]);
  return join(folder, 'compiled', `${createHash('sha256').update(engine).digest('hex').slice(0, 24)}.bin`);
}

/** It is run as it is: one that somebody else may have written is none. */
function readKept(path: string): Buffer | undefined {
  return quietly(() => {
    // What is looked at is what is read, whatever stands under that name meanwhile.
    const file = openSync(path, 'r');
    try {
      const { uid, mode } = fstatSync(file);
      if (uid !== process.getuid?.() || (mode & 0o022) !== 0) return undefined;
      const bytes = readFileSync(file);
      const data = bytes.subarray(0, -sumBytes);
      // V8 would run what a disk has lost parts of.
      return bytes.readUInt32LE(data.length) === crc32(data) ? data : undefined;
    } finally {
      closeSync(file);
    }
  });
}

const sumBytes = 4;

function withSum(data: Buffer): Buffer {
  const sum = Buffer.alloc(sumBytes);
  sum.writeUInt32LE(crc32(data));
  return Buffer.concat([data, sum]);
}

function writeKept(path: string, data: Buffer): void {
  const folder = dirname(path);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  chmodSync(folder, 0o700);
  const making = `${path}.${process.pid}`;
  try {
    writeFileSync(making, withSum(data), { mode: 0o600 });
    renameSync(making, path);
  } catch (error) {
    // A full disk has kept a part of it.
    rmSync(making, { force: true });
    throw error;
  }
  const others = readdirSync(folder).map((name) => ({
    path: join(folder, name),
    ms: statSync(join(folder, name)).mtimeMs,
  }));
  for (const { path: old } of others.sort((a, b) => b.ms - a.ms).slice(filesMax)) rmSync(old, { force: true });
}

function quietly<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
