import { chmodSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createMachineImages, type MachineImagesOptions } from './machine-images.ts';

let folder: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'signalbox-')));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const images = (more: Partial<MachineImagesOptions> = {}) =>
  createMachineImages({ rules: [], path: folder, reloader: undefined, archives: undefined, ...more });

test('a program is found when it is installed later, and by its rule', async () => {
  const machine = images({ rules: [{ pattern: 'team/*', program: 'shop' }] });
  const find = () => machine.find({ image: 'team/shop:1' }, []);
  expect(await find()).toMatchObject({ ok: false, message: expect.stringContaining('no shop on PATH') });
  writeFileSync(join(folder, 'shop'), '#!/bin/sh\n');
  chmodSync(join(folder, 'shop'), 0o755);
  expect(await find()).toMatchObject({ ok: true, image: { entrypoint: [join(folder, 'shop')] } });
});

test('the reloader is ours, or it is not there', async () => {
  const image = 'quay.io/prometheus-operator/prometheus-config-reloader:v0.93.0';
  const reloader = { argv: ['/usr/bin/node', '/opt/x', 'reloader'], path: '/opt/x', paths: ['/opt/x'] } as const;
  expect(await images({ reloader }).find({ image }, [])).toMatchObject({
    image: { entrypoint: reloader.argv, root: { paths: ['/opt/x'] }, user: '65534' },
  });
  expect(await images().find({ image }, [])).toMatchObject({ ok: false, reason: 'ImagePullBackOff' });
});

test('a folder of images that is not there is told', async () => {
  const archives = { folder: join(folder, 'none'), cache: join(folder, 'cache'), isRoot: false, arch: 'x64' };
  expect(await images({ archives }).find({ image: 'web' }, [])).toMatchObject({
    ok: false,
    message: expect.stringContaining('none'),
  });
});
