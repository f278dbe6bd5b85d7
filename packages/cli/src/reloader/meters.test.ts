import { expect, test } from 'vitest';
import { createMeters } from './meters.ts';

test('names and types are those that dashboards and alerts look for', () => {
  const meters = createMeters();
  meters.count('reloader_reloads_total');
  meters.count('reloader_reloads_total');
  meters.set('reloader_last_reload_successful', 1);
  const info = { name: 'reloader_info', type: 'gauge', help: 'h', labels: { method: 'a"b\\' }, value: 1 } as const;
  const lines = meters.text([info]).trimEnd().split('\n');
  expect(lines.filter((line) => line.startsWith('# TYPE'))).toEqual([
    '# TYPE reloader_config_apply_operations_failed_total counter',
    '# TYPE reloader_config_apply_operations_total counter',
    '# TYPE reloader_config_environment_variable_expansion_errors gauge',
    '# TYPE reloader_info gauge',
    '# TYPE reloader_last_reload_success_timestamp_seconds gauge',
    '# TYPE reloader_last_reload_successful gauge',
    '# TYPE reloader_reloads_failed_total counter',
    '# TYPE reloader_reloads_total counter',
    '# TYPE reloader_watch_errors_total counter',
    '# TYPE reloader_watch_events_total counter',
    '# TYPE reloader_watches gauge',
  ]);
  expect(lines).toContain('reloader_reloads_total 2');
  expect(lines).toContain('reloader_last_reload_successful 1');
  expect(lines).toContain('reloader_info{method="a\\"b\\\\"} 1');
  expect(lines.filter((line) => line.startsWith('# HELP'))).toHaveLength(11);
});
