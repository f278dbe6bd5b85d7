import { expect, test } from 'vitest';
import { templateProblem } from './go-template.ts';

// What Go's text/template says, with the functions of Promtail.
test.each([
  '',
  'text }} only',
  '{{ .Value }}',
  '{{ .Value | ToLower | trunc 3 }}',
  '{{- .a.b -}}',
  '{{/* why */}}',
  '{{- /* why */ -}}',
  '{{ if eq .level "warn" }}W{{ else if .x }}X{{ else }}-{{ end }}',
  '{{ with $x := .a }}{{ $x }}{{ else with .b }}{{ . }}{{ end }}',
  '{{ range $i, $e := .list }}{{ if $i }}{{ continue }}{{ end }}{{ break }}{{ end }}',
  '{{ define "a" }}{{ .b }}{{ end }}{{ template "a" . }}',
  '{{ block "a" . }}x{{ end }}',
  '{{ define "a" }} {{/* empty */}} {{ end }}{{ define "a" }}x{{ end }}{{ define "a" }}{{ end }}',
  '{{ define "pipeline_template" }}x{{ end }} ',
  '{{ $x := 1 }}{{ $x = 2 }}{{ $x }}',
  '{{ printf "%d %c %s" 0x1F \'a\' `raw` }}',
  '{{ (index .a 0).b }}',
  '{{ Replace .Value "a" "b" -1 }}',
  '{{ regexReplaceAll "a+" .Value "$1" }}',
  '{{ not (and true false) }}',
  '{{ 1.5e3 }}{{ 1_000 }}{{ 0b11 }}{{ 1+2i }}',
  '{{ "a\\tb" }}',
])('%s is a template', (text) => {
  expect(templateProblem(text)).toBeUndefined();
});

test.each([
  ['{{ .Value', 'a {{ is not closed'],
  ['{{ nope . }}', 'there is no function "nope"'],
  ['{{ break }}', '{{break}} stands in no {{range}}'],
  ['{{ range . }}{{ block "x" . }}{{ break }}{{ end }}{{ end }}', '{{break}} stands in no {{range}}'],
  ['{{ if .a }}', 'an {{end}} is missing'],
  ['{{ end }}', '{{end}} belongs to nothing'],
  ['{{ else }}', '{{else}} belongs to nothing'],
  ['{{ range . }}{{ else if .x }}{{ end }}', 'unexpected if in else of range'],
  ['{{}}', 'a value is missing in command'],
  ['{{ if }}x{{ end }}', 'a value is missing in if'],
  ['{{ (.a }}', 'a "(" is not closed'],
  ['{{ .a) }}', 'a ")" closes nothing'],
  ['{{ $x }}', 'the variable $x is not declared'],
  ['{{ "a" | "b" }}', '"b" is no function that a value could be handed to'],
  ['{{ "a }}', 'unexpected "\\"a }}"'],
  ['{{ "\\q" }}', '"\\q" is no string of Go'],
  ["{{ 'ab' }}", "'ab' is no character"],
  ['{{ 08 }}', '08 is no number'],
  ['{{ .a! }}', 'unexpected ".a! }}"'],
  ['{{/* why', 'a comment is not closed'],
  ['{{/* why */ .a }}', 'a comment has to fill its {{…}}'],
  ['{{ template x }}', 'unexpected x in template'],
  ['{{ if .a }}{{ define "x" }}{{ end }}{{ end }}', 'unexpected define in command'],
  ['{{ $a, $b := .c }}', 'too many declarations in command'],
  ['{{ define "a" }}x{{ end }}{{ define `a` }}{{ .y }}{{ end }}', 'there are two templates called "a"'],
  ['{{ block "a" . }}x{{ end }}{{ define "a" }}y{{ end }}', 'there are two templates called "a"'],
  ['{{ define "pipeline_template" }}x{{ end }}y', 'there are two templates called "pipeline_template"'],
  ['{{ env "TOKEN" }}', 'env would read the environment of the agents'],
  ['{{ "$TOKEN" | expandenv }}', 'expandenv would read the environment of the agents'],
  [`{{ ${'('.repeat(10_000)}1${')'.repeat(10_000)} }}`, 'it is nested too deeply'],
])('%s is none: %s', (text, problem) => {
  expect(templateProblem(text)).toBe(problem);
});
