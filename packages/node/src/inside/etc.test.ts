import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createEtc } from './etc.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'signalbox-'));
  mkdirSync(join(folder, 'certs'));
  writeFileSync(join(folder, 'certs/all.crt'), 'old');
  symlinkSync('all.crt', join(folder, 'certs/link.pem'));
  writeFileSync(join(folder, 'secret'), 'x');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const etcOf = () => createEtc(join(folder, 'own'), [join(folder, 'certs'), join(folder, 'none')]);

describe.runIf(process.platform === 'linux')('the machine as containers see it', () => {
  test('is what is named and there, and accounts of our own', async () => {
    const { folder: copies, paths } = await etcOf().current();
    expect(paths).toEqual([join(folder, 'certs'), '/etc/passwd', '/etc/group', '/etc/nsswitch.conf']);
    expect(readFileSync(join(copies, folder, 'certs/link.pem'), 'utf8')).toBe('old');
    expect(readFileSync(join(copies, 'etc/passwd'), 'utf8')).toContain('nobody');
    expect(existsSync(join(copies, folder, 'secret'))).toBe(false);
  });

  test('is copied once, and anew when it has changed; who has the older copy keeps it', async () => {
    const etc = etcOf();
    const [one, same] = await Promise.all([etc.current(), etc.current()]);
    expect(same).toBe(one);
    writeFileSync(join(folder, 'new.crt'), 'new');
    renameSync(join(folder, 'new.crt'), join(folder, 'certs/all.crt'));
    const other = await etc.current();
    const textIn = (copies: string): string => readFileSync(join(copies, folder, 'certs/all.crt'), 'utf8');
    expect([textIn(one.folder), textIn(other.folder)]).toEqual(['old', 'new']);
  });

  test('is copied anew when something deep in it has changed', async () => {
    const deep = join(folder, 'certs/extracted/pem');
    mkdirSync(deep, { recursive: true });
    writeFileSync(join(deep, 'bundle.pem'), 'old');
    const etc = etcOf();
    const one = await etc.current();
    writeFileSync(join(folder, 'bundle.new'), 'new');
    renameSync(join(folder, 'bundle.new'), join(deep, 'bundle.pem'));
    const other = await etc.current();
    expect(readFileSync(join(one.folder, deep, 'bundle.pem'), 'utf8')).toBe('old');
    expect(readFileSync(join(other.folder, deep, 'bundle.pem'), 'utf8')).toBe('new');
    expect(await etc.current()).toBe(other);
  });

  test('that could not be copied is tried again', async () => {
    const etc = etcOf();
    writeFileSync(join(folder, 'own'), 'in the way');
    await expect(etc.current()).rejects.toThrow();
    rmSync(join(folder, 'own'));
    expect((await etc.current()).paths).toContain('/etc/passwd');
  });
});
