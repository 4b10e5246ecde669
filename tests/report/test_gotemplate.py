"""Go templates: what kubectl prints for them is what we print.

The expectations of ANSWERS and STRICT, and that what is in REFUSED is refused, are from kubectl v1.36.3:

    kubectl patch --local -f FILE --type=merge -p '{}' -o go-template=TEMPLATE

with DOCUMENT in the file. The words of errors are ours.
"""

from __future__ import annotations

from typing import Any

import pytest

from kueuectl.errors import InputError
from kueuectl.report import gotemplate

DOCUMENT: dict[str, Any] = {
    "apiVersion": "kueue.x-k8s.io/v1beta2",
    "kind": "Workload",
    "metadata": {"name": "train", "namespace": "team-a", "labels": {"b": "2", "a": "1", "my-team/x": "blue"}},
    "spec": {
        "priority": 1000000,
        "count": 3,
        "half": 0.5,
        "active": True,
        "off": False,
        "none": None,
        "empty": "",
        "zero": 0,
        "list": ["x", "y"],
        "nums": [1, 2.5],
        "nolist": [],
        "nomap": {},
        "secret": "aGVsbG8=",
        "html": "<a href='x'>\"&</a>",
        "uni": "héllo",
        "podSets": [
            {"name": "main", "count": 4, "template": {"spec": {"containers": [{"name": "c1"}, {"name": "c2"}]}}},
            {"name": "driver", "count": 1},
        ],
    },
}

ANSWERS: list[tuple[str, str]] = [
    ("{{.spec.priority}} {{eq .spec.priority 1000000}}", "1000000 true"),
    ('{{printf "%T %d %T %v" .spec.priority .spec.priority .spec.half .spec.half}}', "int64 1000000 float64 0.5"),
    (
        '{{printf "%T %T %T %T %T %T" .spec .spec.list .spec.nums .spec.none .spec.nope .metadata}}',
        "map[string]interface {} []interface {} []interface {} <nil> <nil> map[string]interface {}",
    ),
    ('{{index .spec.nums 0}} {{printf "%T" (index .spec.nums 0)}}', "1 int64"),
    (
        "{{.spec.none}} {{print .spec.none}} {{print .spec.nope}} {{.spec.nope.deep.er}}",
        "<no value> <nil> <nil> <no value>",
    ),
    ("{{range .spec.list}}{{.}},{{end}}", "x,y,"),
    ("{{range $i, $x := .spec.list}}{{$i}}={{$x}};{{end}}", "0=x;1=y;"),
    ("{{range $k, $v := .metadata.labels}}{{$k}}={{$v}};{{else}}none{{end}}", "a=1;b=2;my-team/x=blue;"),
    (
        (
            "{{range .spec.nolist}}x{{else}}none{{end}}|{{range .spec.nope}}x{{else}}none{{end}}"
            "|{{range .spec.none}}x{{else}}none{{end}}"
        ),
        "none|none|none",
    ),
    ("{{range 3}}{{.}},{{end}}", "0,1,2,"),
    ("{{range $i := 3}}{{$i}},{{end}}", "0,1,2,"),
    ("{{range .spec.count}}{{.}},{{end}}", "0,1,2,"),
    ('{{if eq .spec.nope "x"}}y{{else}}n{{end}} {{eq .spec.none nil}} {{eq .spec.nope nil}}', "n true true"),
    ("{{eq .spec.none .spec.nope}}", "true"),
    (
        (
            '{{eq .metadata.name "a" "train"}} {{ne .metadata.name "a"}} {{lt 1 2}} {{ge 2 2}} {{gt '
            '"b" "a"}} {{le 1.5 2.5}}'
        ),
        "true true true true true true",
    ),
    ("{{eq .spec.nope .spec.list}}", "false"),
    ("{{len .spec.list}} {{len .metadata.name}} {{len .spec.uni}} {{len .metadata.labels}}", "2 5 6 3"),
    (
        ('{{index .metadata.labels "my-team/x"}} {{index .metadata.labels "nope"}}|{{index .spec.podSets 0 "name"}}'),
        "blue <no value>|main",
    ),
    ('{{index .spec "list" 1}}', "y"),
    ("{{index .metadata.name 0}}", "116"),
    ("{{index .spec.list}}", "[x y]"),
    ("{{index .spec.list .spec.zero}}", "x"),
    (
        ("{{slice .spec.list 1}} {{slice .metadata.name 1 3}} {{slice .metadata.name}} {{slice .spec.list 0 1 2}}"),
        "[y] ra train [x]",
    ),
    (
        ('{{and 1 0}} {{or 0 "x"}} {{not 0}} {{and .spec.nope 1}} {{or .spec.nope .spec.none}} {{and true (eq 1 1)}}'),
        "0 x true <no value> <no value> true",
    ),
    ("{{and .metadata.name}} {{or 0 0}}", "train 0"),
    (
        '{{html .spec.html}} | {{js .spec.html}} | {{urlquery .spec.html "é /" 1}}',
        (
            "&lt;a href=&#39;x&#39;&gt;&#34;&amp;&lt;/a&gt; | \\u003Ca hre"
            "f\\u003D\\'x\\'\\u003E\\\"\\u0026\\u003C/a\\u003E | %3Ca+href%3D%27x%"
            "27%3E%22%26%3C%2Fa%3E%C3%A9+%2F1"
        ),
    ),
    (
        '{{print 1 2 "a" "b" 3 4}} {{println "x" 1}}|{{print "a" 1 2 .spec.nope .spec.list}}',
        "1 2ab3 4 x 1\n|a1 2 <nil> [x y]",
    ),
    (
        ('{{printf "%v %s %q %5d|%-5d|%05d %x %X %o %b %c %U %t %%" "a" "b" "c" 42 42 42 255 255 8 5 65 65 true}}'),
        'a b "c"    42|42   |00042 ff FF 10 101 A U+0041 true %',
    ),
    (
        '{{printf "%6.2f|%e|%g|%8.3s|%+d|% d" 3.14159 1234.5 1e21 "abcdef" 5 7}}',
        "  3.14|1.234500e+03|1e+21|     abc|+5| 7",
    ),
    (
        ('{{printf "%d" "hi"}} {{printf "%s" 5}} {{printf "%d"}} {{printf "%d" 1 2}} {{printf "%"}} {{printf "%z" 1}}'),
        "%!d(string=hi) %!s(int=5) %!d(MISSING) 1%!(EXTRA int=2) %!(NOVERB) %!z(int=1)",
    ),
    ('{{printf "%s %v %q" .spec.list .metadata.labels .spec.list}}', '[x y] map[a:1 b:2 my-team/x:blue] ["x" "y"]'),
    ('{{printf "%s" .spec.nope}} {{printf "%d" .spec.nope}} {{printf "%v" nil}}', "%!s(<nil>) %!d(<nil>) <nil>"),
    (
        '{{printf "%s %d" .spec.podSets .spec.nums}}',
        (
            "[map[count:%!s(int64=4) name:main template:map[spec:map[containers:[map[name:c1] "
            "map[name:c2]]]]] map[count:%!s(int64=1) name:driver]] [1 %!d(float64=2.5)]"
        ),
    ),
    ("a {{- 1 -}} b|a {{- /* c */ -}} b|{{/* c */}}x", "a1b|ab|x"),
    ("a{{-1}}b", "a-1b"),
    ("a{{- .metadata.name}}b", "atrainb"),
    ("a{{.metadata.name -}} b", "atrainb"),
    ("{{ \"a\\tb\\\"\\u00e9\\x41\\n\" }}{{`raw\\n`}}{{'a'}} {{'\\n'}}", 'a\tb"éA\nraw\\n97 10'),
    (
        (
            "{{ 0x1F }} {{ 0b11 }} {{ 0o17 }} {{ 1_000 }} {{ 1e3 }} {{ .5 }} {{ -3 }} {{ +4 }} {{ "
            "017 }} {{ 1.0 }} {{ 100000000.0 }} {{1e21}} {{0.00001}} {{1e6}}"
        ),
        "31 3 15 1000 1000 0.5 -3 4 15 1 1e+08 1e+21 1e-05 1e+06",
    ),
    ("{{ true }} {{ false }}", "true false"),
    ("{{ $x := 1 }}{{ if true }}{{ $x = 2 }}{{ end }}{{ $x }}", "2"),
    ("{{ $x := 1 }}{{ range .spec.list }}{{ $x := . }}{{ end }}{{ $x }}", "1"),
    ("{{ if .spec.count }}a{{ else if .spec.off }}b{{ else }}c{{ end }}", "a"),
    ("{{ if .spec.off }}a{{ else if .spec.zero }}b{{ else if .spec.list }}L{{ else }}c{{ end }}", "L"),
    ("{{ with .spec.nope }}a{{ else with .metadata.name }}b{{ . }}{{ else }}c{{ end }}", "btrain"),
    ("{{ with $n := .metadata.name }}{{ $n }} {{ . }}{{ end }}", "train train"),
    ("{{ range $i, $x := .spec.list }}{{ if eq $i 0 }}{{ continue }}{{ end }}{{ $x }}{{ end }}", "y"),
    ("{{ range .spec.list }}{{ . }}{{ break }}{{ end }}", "x"),
    (
        '{{ define "t" }}<{{ . }} {{ $ }}>{{ end }}{{ template "t" .metadata.name }}{{ template "t" }}',
        "<train train><<no value> <no value>>",
    ),
    ('{{ block "b" .spec.count }}[{{ . }}]{{ end }}{{ template "b" 7 }}', "[3][7]"),
    ('{{ define "r" }}{{ template "r" }}{{ end }}x', "x"),
    ('{{ .metadata.name | printf "%s-%d" "x" }}', "x-%!d(string=train)"),
    ('{{ .metadata.name | printf "%s-%s" "x" | len }}', "7"),
    ("{{ (index .spec.podSets 0).name }} {{ (.spec).count }} {{ (print .spec.count) | len }}", "main 3 1"),
    ("{{ 1 | }}", "1"),
    (
        (
            '{{ exists .spec "count" }} {{ exists .spec "nope" }} {{ exists .spec "podSets" 0 "name" '
            '}} {{ exists .spec.list 5 }} {{ exists .spec.nope "x" }}'
        ),
        "true false true false false",
    ),
    ("{{ base64decode .spec.secret }} {{ .spec.secret | base64decode }}", "hello hello"),
    ("{{ printf \"%q %v %s\" 'a' 'a' 'a' }}", "'a' 97 %!s(int=97)"),
    ('{{ printf "%x %X %q %s" "hé" "hi" "a\\nb`" .spec.half }}', '68c3a9 6869 "a\\nb`" %!s(float64=0.5)'),
    (
        '{{ printf "%t %t" true 1 }} {{ printf "%5t|%-8v|%8v" true "ab" .spec.list }}',
        "true %!t(int=1)  true|ab      |[       x        y]",
    ),
    (
        '{{ printf "%v %+v %#v" .spec.podSets .metadata.labels .spec.list }}',
        (
            "[map[count:4 name:main template:map[spec:map[containers:[map[name:c1] map[name:c2]]]]] "
            'map[count:1 name:driver]] map[a:1 b:2 my-team/x:blue] []interface {}{"x", "y"}'
        ),
    ),
    ('{{ printf "%#v %#v %#v %#v %#v" 1 "a" 1.0 true nil }}', '1 "a" 1 true <nil>'),
    (
        '{{ printf "%08.3f|%+.2e|%-10s|%10s|%.2s|%c%c" 3.14159 12345.678 "ab" "ab" "héllo" 104 233 }}',
        "0003.142|+1.23e+04|ab        |        ab|hé|hé",
    ),
    ('{{ printf "%#x %#o %#q %+q % x %#U" 255 8 "a" "é" "abc" 233 }}', "0xff 010 `a` \"\\u00e9\" 61 62 63 U+00E9 'é'"),
    (
        '{{ printf "%v %g %g %G %v" 1e100 1e-7 123456789.0 1e-10 1234567.0 }}',
        "1e+100 1e-07 1.23456789e+08 1E-10 1.234567e+06",
    ),
    ('{{ printf "%d%%|%3c|%-3c|%03d|%+d|%x" 5 65 65 -5 -5 -255 }}', "5%|  A|A  |-05|-5|-ff"),
    (
        '{{ printf "%[3]d %[1]d %d" 1 2 3 }} {{ printf "%[5]d" 1 }} {{ printf "%[x]d" 1 }}',
        "3 1 2 %!d(BADINDEX) %!d(BADINDEX)",
    ),
    (
        (
            '{{ printf "%!" }} {{ printf "%-" 1 }} {{ printf "a%" }} {{ printf "%s" true }} {{printf '
            '"%d" true}} {{printf "%d" 1.5}} {{printf "%f" 1}} {{printf "%t" "x"}}'
        ),
        (
            "%!!(MISSING) %!(NOVERB)%!(EXTRA int=1) a%!(NOVERB) %!s(bool=true) %!d(bool=true) "
            "%!d(float64=1.5) %!f(int=1) %!t(string=x)"
        ),
    ),
    ('{{ printf "%10.3v|%.3v|%.0f|%.1f" "abcdef" 3.14159 2.5 0.25 }}', "       abc|3.14|2|0.2"),
    ('{{ printf "%v %s" .spec.none .spec.none }} {{ println }}|{{ print }}|{{ printf "" }}', "<nil> %!s(<nil>) \n||"),
    (
        (
            '{{ html 1 "<" .spec.list }} {{ html .spec.nope }} {{ js "a\\nb\\u2028</script>\'=" }} {{ '
            'urlquery .spec.nope }} {{ js "héé😀" }}'
        ),
        "1&lt;[x y] &lt;no value&gt; a\\u000Ab\\u2028\\u003C/script\\u003E\\'\\u003D %3Cno+value%3E héé😀",
    ),
    ('{{ eq true true }} {{ eq "a" "b" "a" }} {{ ne 1 2 }}', "true true true"),
    ("{{ eq 1 1 1.5 }}", "true"),
    ("{{ eq .spec.nope nil .spec.none }}", "true"),
    (
        (
            "{{ range .spec.podSets }}{{ .name }} {{ $.metadata.name }} {{ range "
            ".template.spec.containers }}{{ .name }}{{ end }};{{ end }}"
        ),
        "main train c1c2;driver train ;",
    ),
    ("{{ range $k, $v := .spec.nomap }}x{{ else }}empty{{ end }} {{ len .spec.nomap }}", "empty 0"),
    ("{{ range $x := .spec.list }}{{ $x }}{{ end }} {{ range $k := .metadata.labels }}{{ $k }}{{ end }}", "xy 12blue"),
    ("{{ $i := 0 }}{{ range .spec.list }}{{ $i = len . }}{{ end }}{{ $i }}", "1"),
    ("{{ with .metadata }}{{ with .labels }}{{ .a }}{{ end }}{{ end }}", "1"),
    ("x\n {{ .metadata.name\n  | len }}", "x\n 5"),
    ("{{/* a */}}{{- /* b\n */}} c", " c"),
    ("{{ if not (and .spec.active (gt .spec.count 2)) }}a{{ else }}b{{ end }}", "b"),
    ('{{ "}}" }} {{ `}}` }} }} { {', "}} }} }} { {"),
    ('{{ .spec.uni | printf "%-8s|" }}{{ printf "%8q|%U" "é" 233 }}', 'héllo   |     "é"|U+00E9'),
    ('{{ .metadata.name}}{{ "a" -}}', "traina"),
    ("{{ not nil }} {{ and nil 1 }}", "true <no value>"),
    ('{{ print nil }} {{ printf "%v" (print nil) }}', "<nil> <nil>"),
    (
        "{{- range $i, $p := .spec.podSets }}{{ if $i }}, {{ end }}{{ $p.name }}={{ $p.count }}{{ end -}}",
        "main=4, driver=1",
    ),
    ('{{range .spec.podSets}}{{.name}}{{"\\t"}}{{.count}}{{"\\n"}}{{end}}', "main\t4\ndriver\t1\n"),
    ("{{with (index .spec.podSets 0)}}{{.name}}{{end}}{{with index .spec.podSets 1}}{{.name}}{{end}}", "maindriver"),
    ('{{ printf "%-20s %5d" .metadata.name .spec.priority }}', "train                1000000"),
    ('{{ .spec.podSets | len | printf "%03d" }}', "002"),
    (
        '{{ $m := .metadata }}{{ range $k, $v := $m.labels }}{{ printf "%s=%s," $k $v }}{{ end }}',
        "a=1,b=2,my-team/x=blue,",
    ),
    ('{{ if or (eq .kind "Job") (eq .kind "Workload") }}yes{{ end }}', "yes"),
    ("{{ if and (gt .spec.count 1) (lt .spec.count 5) }}between{{ end }}", "between"),
    (
        (
            '{{ define "cs" }}{{ range .containers }}{{ .name }} {{ end }}{{ end }}{{ range '
            '.spec.podSets }}{{ with .template }}{{ template "cs" .spec }}{{ end }}{{ end }}'
        ),
        "c1 c2 ",
    ),
    (
        (
            '{{ define "down" }}{{ . }}{{ if gt . 0 }}{{ template "down" (len (slice "abcdef" 0 (len '
            '(slice "abcdef" 1 .)))) }}{{ end }}{{ end }}{{ template "down" 3 }}'
        ),
        "3210",
    ),
    (
        ("{{ range $i, $c := (index .spec.podSets 0).template.spec.containers }}{{ $i }}{{ $c.name }}{{ end }}"),
        "0c11c2",
    ),
    ('{{ (printf "%s" .metadata.name) }}{{ ((.spec)).count }}', "train3"),
    ("{{ eq (len .spec.list) 2 }} {{ len (print 1 2 3) }}", "true 5"),
    (
        (
            '{{ printf "%v" (index .spec "half") }} {{ printf "%.1f" .spec.half }} {{ printf '
            '"%5.1f|%-6.2f|%06.1f" 1.25 1.25 -1.25 }}'
        ),
        "0.5 0.5   1.2|1.25  |-001.2",
    ),
    (
        '{{ printf "%g|%g|%e|%G" 0.0001 0.00001 0.0 1e-9 }} {{ printf "%v %v" -0.0 123456.789 }}',
        "0.0001|1e-05|0.000000e+00|1E-09 -0 123456.789",
    ),
    ('{{ printf "%+v %+d % d %+.1f" 5 5 -5 1.0 }}', "5 +5 -5 +1.0"),
    ('{{ printf "%x %X %#X %b %o %O" -10 -10 10 -5 -8 8 }}', "-a -A 0XA -101 -10 0o10"),
    ('{{ printf "%q %q %q" "tab\\there" "quote\\"" "nul\\x00" }}', '"tab\\there" "quote\\"" "nul\\x00"'),
    ('{{ printf "%q" "\\u200b\\u00e9\\U0001F600" }}', '"\\u200bé😀"'),
    ('{{ printf "%5s|%-5s|%.1s|%05s" "é" "é" "éa" "a" }}', "    é|é    |é|0000a"),
    ('{{ printf "%6v|%-6v|%06v" true 1 2.5 }}', "  true|1     |0002.5"),
    ('{{ printf "%v %d %s" .spec.nums .spec.nums .spec.list }}', "[1 2.5] [1 %!d(float64=2.5)] [x y]"),
    (
        '{{ printf "%3d" .spec.nums }} {{ printf "%q" .metadata.labels }}',
        '[  1 %!d(float64=2.5)] map["a":"1" "b":"2" "my-team/x":"blue"]',
    ),
    (
        '{{ printf "%T %T %T %T" 1 1.5 "a" true }} {{ printf "%T" .spec.podSets }}',
        "int float64 string bool []interface {}",
    ),
    ('{{ print true false 1.5 nil "a" }} {{ print "a" "b" }} {{ print 1 1.5 }}', "true false 1.5 <nil>a ab 1 1.5"),
    ('{{ println 1 "a" nil }}', "1 a <nil>\n"),
    (
        '{{ html "\'\\"&<>" }} {{ js "\'\\"&<>\\\\" }} {{ urlquery "a b&c=d/é~*()" }}',
        "&#39;&#34;&amp;&lt;&gt; \\'\\\"\\u0026\\u003C\\u003E\\\\ a+b%26c%3Dd%2F%C3%A9~%2A%28%29",
    ),
    ("{{ .spec.html | html }} {{ .spec.count | html }}", "&lt;a href=&#39;x&#39;&gt;&#34;&amp;&lt;/a&gt; 3"),
    ('{{ "a" | printf "%s%s" "b" }} {{ 5 | eq 5 }} {{ .metadata.name | eq "train" }}', "ba true true"),
    ('{{ index "abc" 1 }} {{ slice "abc" 1 }} {{ slice "héllo" 0 3 }}', "98 bc hé"),
    ("{{ not true }} {{ not .spec.list }} {{ not .spec.nolist }} {{ not .spec.empty }}", "false false true true"),
    (
        ('{{ or .spec.empty "default" }} {{ and .spec.active "on" }} {{ or .spec.nope .spec.off .spec.name }}'),
        "default on <no value>",
    ),
    (
        (
            "{{ range $i := .spec.list }}{{ $i }}{{ break }}{{ end }}{{ range .spec.podSets }}{{ "
            "with .template }}{{ continue }}{{ end }}{{ .name }}{{ end }}"
        ),
        "xdriver",
    ),
    (
        ("{{ range .spec.podSets }}{{ $n := .name }}{{ range $.spec.list }}{{ $n }}{{ . }} {{ end }}{{ end }}"),
        "mainx mainy driverx drivery ",
    ),
    ('{{ $last := "" }}{{ range .spec.list }}{{ $last = . }}{{ end }}{{ $last }}', "y"),
    ('{{ $i := 10 }}{{ $x := "" }}{{ range $i, $x = .spec.list }}{{ end }}{{ $i }}{{ $x }}', "1y"),
    ("{{ with $x := 5 }}{{ $x }}{{ . }}{{ end }}{{ with 0 }}no{{ else }}zero{{ end }}", "55zero"),
    (
        (
            "{{ if .spec.half }}h{{ end }}{{ if .spec.nomap }}m{{ else }}e{{ end }}{{ if 0.0 }}f{{ "
            'else }}g{{ end }}{{ if "" }}s{{ else }}t{{ end }}'
        ),
        "hegt",
    ),
    (
        (
            '{{ block "x" . }}{{ .kind }}{{ end }}{{ define "y" }}Y{{ end }}{{ template "y" . }}{{ '
            'template "x" .metadata }}'
        ),
        "WorkloadY<no value>",
    ),
    ('line1\n  {{- /* gone */ -}}  \nline2\n{{ "a" -}}\n\n b', "line1line2\nab"),
    ('{{- "x" -}} \n {{- "y" -}}', "xy"),
    (" \n{{- if true }} a {{ else -}} b {{ end -}} \n c", " a c"),
    ('{{if eq .kind "Workload"}}{{.kind}}{{end}}{{if(true)}}x{{end}}', "Workloadx"),
    ("{{if (eq 1 1)}}x{{end}}{{ (eq 1 1) | not }}", "xfalse"),
    ('{{ print ( len "abc" ) }} {{ print (len "abc")}}', "3 3"),
    ('{{ print (index .metadata.labels "a") (index .metadata.labels "b") }}', "12"),
    ("{{ print `back\ttick` \"\\\\\" '\\'' '\"' }} {{ print \"\\101\\x42\\u0043\" }}", "back\ttick\\39 34 ABC"),
    (
        (
            '{{ exists .spec "podSets" 1 "name" }} {{ exists .spec "none" }} {{ exists .spec }} {{ '
            'exists nil "a" }} {{ exists .metadata.name 0 }}'
        ),
        "true false true false true",
    ),
    ('{{ base64decode "aGk=\\n" }} {{ base64decode "" }}', "hi "),
    (
        (
            "{{ .spec.active }} {{ .spec.off }} {{ .spec.zero }} {{ .spec.empty }}|{{ .spec.nolist }}"
            " {{ .spec.nomap }} {{ .spec.nums }}"
        ),
        "true false 0 |[] map[] [1 2.5]",
    ),
    ("{{ .Spec }} {{ .spec.Count }}", "<no value> <no value>"),
    ("{{ len .spec.podSets }}{{ range $i, $e := .spec.nums }} {{ $i }}:{{ $e }}{{ end }}", "2 0:1 1:2.5"),
    (
        ('{{ ne .spec.nope "x" }} {{ ne .spec.none nil }} {{ eq "x" .spec.nope }} {{ ne .metadata.name "a" }}'),
        "true false false true",
    ),
    ("{{ eq .spec.list nil }} {{ eq nil .spec.list }} {{ ne .spec.list nil }}", "false false true"),
    (
        '{{ printf "%s" }} {{ printf "%s %s" "a" }} {{ printf "" "x" }} {{ printf "%d %s" "a" 1 }}',
        "%!s(MISSING) a %!s(MISSING) %!(EXTRA string=x) %!d(string=a) %!s(int=1)",
    ),
    (
        (
            '{{ printf "%[2]s %[1]s" "a" "b" }} {{ printf "%[1]d %[1]q" 65 }} {{ printf "%[2]*[1]d|" '
            '5 6 }} {{ printf "%[0]d" 1 }} {{ printf "%[1]" 1 }}'
        ),
        "b a 65 'A'      5| %!d(BADINDEX) %!(NOVERB)",
    ),
    (
        '{{ printf "%-010d|%+05d|%x|%X" 5 5 "hi" "é" }} {{ printf "%.2d|%5.3d" 5 5 }}',
        "5         |+0005|6869|C3A9 05|  005",
    ),
    (
        '{{ printf "%c|%U|%#U" 0x1F600 0x1F600 0x1F600 }} {{ printf "%c" -1 }} {{ printf "%s" \'x\' }}',
        "😀|U+1F600|U+1F600 '😀' � %!s(int=120)",
    ),
    (
        '{{ printf "%t" nil }} {{ printf "%5v|" nil }} {{ printf "%p" 1 }} {{ printf "%v" }}',
        "%!t(<nil>) <nil>| %!p(int=1) %!v(MISSING)",
    ),
    ("{{ $.spec.list }} {{ $.kind | len }} {{ ($).kind }}", "[x y] 8 Workload"),
    ("{{ . | len }} {{ .metadata | len }}", "4 3"),
    ("{{ print | len }}", "0"),
    ('{{ define "x" }}{{ . }}{{ end }}{{ template "x" .metadata.name | len }}', "5"),
    ('{{ define "x" }}{{ end }}{{ define "x" }}a{{ end }}{{ template "x" }}', "a"),
    ("{{ 0_7 }} {{ 9223372036854775807 }} {{ -9223372036854775808 }}", "7 9223372036854775807 -9223372036854775808"),
    ("{{ $é := 1 }}{{ $é }} {{ .é }}", "1 <no value>"),
    ("{{ .0 }}", "0"),
    ('{{ "a" }}}}', "a}}"),
    ("{ { x } }", "{ { x } }"),
    ("{{ html }} {{ js }} {{ urlquery }}", "  "),
    ("{{ range 0 }}x{{ else }}none{{ end }} {{ range -1 }}x{{ else }}none{{ end }}", "none none"),
    ("{{ range $i := .spec.nomap }}x{{ else }}{{ $i }}{{ end }}", "map[]"),
    ("{{ with $x := .spec.nope }}a{{ else }}[{{ $x }}]{{ end }}", "[<no value>]"),
    ("{{ if $x := .spec.count }}{{ $x }}{{ end }}", "3"),
]

# Beside what is missing, kubectl refuses these too.
REFUSED: list[tuple[str, str]] = [
    ("{{.spec.none.x}}", "line 1, column 3: null has no field x"),
    ("{{.spec.priority.x}}", "line 1, column 3: a whole number has no field x"),
    ("{{.metadata.name.x}}", "line 1, column 3: a string has no field x"),
    ("{{.spec.list.x}}", "line 1, column 3: a list has no field x"),
    ("{{range $i, $x := 3}}{{$i}},{{end}}", "line 1, column 9: a range over a number has one variable"),
    ("{{range .metadata.name}}{{.}},{{end}}", "line 1, column 9: can't range over train"),
    ("{{range .spec.half}}{{.}}{{end}}", "line 1, column 9: can't range over 0.5"),
    ("{{range .spec.active}}{{.}}{{end}}", "line 1, column 9: can't range over true"),
    ("{{eq .spec.count 3.0}}", "line 1, column 3: eq: can't compare a whole number with a fraction"),
    ('{{eq .spec.count "3"}}', "line 1, column 3: eq: can't compare a whole number with a string"),
    ("{{lt .spec.count 3.5}}", "line 1, column 3: lt: can't compare a whole number with a fraction"),
    ("{{lt .spec.nope 3}}", "line 1, column 3: lt: a missing value has no order"),
    ("{{lt .spec.active true}}", "line 1, column 3: lt: true has no order"),
    ("{{eq .spec .spec}}", "line 1, column 3: eq: lists and maps can't be compared"),
    ("{{eq .spec.list .spec.list}}", "line 1, column 3: eq: lists and maps can't be compared"),
    ('{{eq .spec.list "x"}}', "line 1, column 3: eq: can't compare a list with a string"),
    ("{{eq 1}}", "line 1, column 3: eq: nothing to compare with"),
    ("{{eq}}", "line 1, column 3: eq takes at least one value, not 0"),
    ("{{len .spec.nope}}", "line 1, column 3: len: a missing value has no length"),
    ("{{len .spec.count}}", "line 1, column 3: len: a whole number has no length"),
    ("{{len 3}}", "line 1, column 3: len: a whole number has no length"),
    ("{{index .spec.list 5}}", "line 1, column 3: index: index out of range: 5"),
    ("{{index .spec.list -1}}", "line 1, column 3: index: index out of range: -1"),
    ('{{index .spec.list "a"}}', "line 1, column 3: index: a place in a list is a whole number, not a string"),
    ("{{index .spec.nope 1}}", "line 1, column 3: index: a missing value has nothing to index"),
    ("{{index .metadata.labels 1}}", "line 1, column 3: index: a key is a string, not a whole number"),
    ("{{index .spec.count 1}}", "line 1, column 3: index: a whole number has nothing to index"),
    ("{{index .spec.list 1.0}}", "line 1, column 3: index: a place in a list is a whole number, not a fraction"),
    ("{{slice .spec.list 3}}", "line 1, column 3: slice: index out of range: 3"),
    ("{{slice .metadata.name 0 1 2}}", "line 1, column 3: slice: a string takes two places"),
    ("{{slice .spec 1}}", "line 1, column 3: slice: a map can't be sliced"),
    ("{{slice .spec.list 1 0}}", "line 1, column 3: slice: places are in no order: 1, 0"),
    ("{{and}}", "line 1, column 3: and takes at least one value"),
    ("{{printf 5}}", "line 1, column 3: printf: the pattern is a string, not a whole number"),
    ("a{{ /* c */ }}b", "line 1, column 5: unexpected '/'"),
    ("a{{.metadata.name-}} b", "line 1, column 18: '-' can't be in a name: write (index MAP \"KEY\") for such a key"),
    ("{{ nil }}", "line 1, column 4: nil alone has no value to print"),
    ("{{ $y }}", "line 1, column 4: variable $y is not defined"),
    ("{{ $x = 1 }}", "line 1, column 4: variable $x is not defined"),
    ("{{ if true }}{{ $x := 1 }}{{ end }}{{ $x }}", "line 1, column 39: variable $x is not defined"),
    ("{{ with .spec.off }}{{ else if true }}x{{ end }}", "line 1, column 29: unexpected if in else"),
    ("{{ break }}", "line 1, column 4: break outside of range"),
    ('{{ template "nope" }}', "line 1, column 13: template 'nope' is not defined"),
    (
        '{{ if true }}{{ define "t" }}x{{ end }}{{ end }}',
        "line 1, column 17: a template can be defined only outside of others",
    ),
    (
        '{{ define "t" }}1{{ end }}{{ define "t" }}2{{ end }}{{ template "t" }}',
        'line 1, column 37: template "t" is defined twice',
    ),
    ("{{ template .x }}", "line 1, column 13: unexpected .x in template: a name in quotes belongs there"),
    ("{{ define x }}{{ end }}", "line 1, column 11: unexpected x in define: a name in quotes belongs there"),
    ('{{ define "a" }}', "line 1, column 17: a body has no {{end}}"),
    ('{{ "x" | .metadata }}', "line 1, column 10: only functions take values"),
    ('{{ .metadata.name "x" }}', "line 1, column 4: only functions take values"),
    ("{{ 3 | 4 }}", "line 1, column 8: a value can't take what stands before the | in an action"),
    ('{{ ("abc") }} {{ (1).x }}', "line 1, column 18: a whole number has no field x"),
    (
        "{{ .metadata.labels.my-team }}",
        "line 1, column 23: '-' can't be in a name: write (index MAP \"KEY\") for such a key",
    ),
    ("{{ foo }}", "line 1, column 4: function foo is not defined"),
    ("{{ .metadata.name | foo }}", "line 1, column 21: function foo is not defined"),
    ("{{ if }}x{{ end }}", "line 1, column 7: a value is missing in if"),
    ("{{ if true }}x", "line 1, column 15: a body has no {{end}}"),
    ("{{ end }}", "line 1, column 8: end without if, range, with or define"),
    ("{{ else }}", "line 1, column 4: else without if, range, with or define"),
    ("{{ if true }}{{ else }}{{ else }}{{ end }}", "line 1, column 27: a second else"),
    ("{{ .metadata.name", "line 1, column 1: an action has no closing braces"),
    ('{{ "abc }}', "line 1, column 4: a quoted text has no end"),
    ("{{ `abc }}", "line 1, column 4: a raw text has no end"),
    ("{{ }}", "line 1, column 4: a value is missing in an action"),
    ("{{ | }}", "line 1, column 4: unexpected | in an action"),
    ("{{ (1 }}", "line 1, column 7: a ( without )"),
    ("{{ 1) }}", "line 1, column 5: a ) without ("),
    ("{{ . . }}", "line 1, column 4: only functions take values"),
    ("{{ .a.b. }}", "line 1, column 8: unexpected . in an action"),
    ("{{ .. }}", "line 1, column 5: unexpected . in an action"),
    ("{{ $x.y := 1 }}", "line 1, column 4: variable $x is not defined"),
    ("{{ $x, $y := 1 }}", "line 1, column 8: too many variables in an action"),
    ("{{ range $a, $b, $c := .spec.list }}{{ end }}", "line 1, column 18: too many variables in range"),
    ('{{ "x".y }}', "line 1, column 7: unexpected .y in an action"),
    ("{{ nil.y }}", "line 1, column 7: unexpected .y in an action"),
    ("{{ true.y }}", "line 1, column 8: unexpected .y in an action"),
    ("{{ # }}", "line 1, column 4: unexpected '#'"),
    ("{{ 3x }}", "line 1, column 4: 3x is not a number"),
    ('{{ printf"%d" 3 }}', "line 1, column 10: '\"' can't be in a name"),
    ("{{ print(1) }}", "line 1, column 9: unexpected ( in an action"),
    ('{{ print "a""b" }}', 'line 1, column 13: unexpected "b" in an action'),
    ('{{ base64decode "***" }}', "line 1, column 4: base64decode: '***' is not base64"),
    ("{{ base64decode 3 }}", "line 1, column 4: base64decode: a string is decoded, not a whole number"),
    ("{{ call .spec.list }}", "line 1, column 4: call: objects have nothing to call"),
    ("{{ call nil }}", "line 1, column 4: call: objects have nothing to call"),
    ("{{ not }}", "line 1, column 4: not takes one value, not 0"),
    ("{{ not 1 2 }}", "line 1, column 4: not takes one value, not 2"),
    ("{{ len }}", "line 1, column 4: len takes one value, not 0"),
    ('{{ lt "a" 1 }}', "line 1, column 4: lt: can't compare a string with a whole number"),
    ("{{ le 1 1.5 }}", "line 1, column 4: le: can't compare a whole number with a fraction"),
    ("{{ ne 1 2 3 }}", "line 1, column 4: ne takes 2 values, not 3"),
    ("{{ eq 1 2 }} {{ eq 1 1.5 1 }}", "line 1, column 17: eq: can't compare a whole number with a fraction"),
    ("{{ .spec.podSets.name }}", "line 1, column 4: a list has no field name"),
    ('x\n{{ if true }}\ny{{ end }}\n{{- .spec.x.y.z -}}\n z {{"\n"}}', "line 5, column 6: a quoted text has no end"),
    ("{{/* a }}", "line 1, column 3: a comment has no end"),
    ("{{/* a */ }}", "line 1, column 8: a comment ends right before the closing braces"),
    (
        '{{ index .metadata.labels "a" "b" }}',
        "line 1, column 4: index: a place in a list is a whole number, not a string",
    ),
    (
        "{{ index 3 }} {{ index .spec.list nil }}",
        "line 1, column 18: index: a place in a list is a whole number, not a missing value",
    ),
    ("{{ slice .spec.nope 1 }}", "line 1, column 4: slice: a missing value can't be sliced"),
    ("{{ len nil }}", "line 1, column 4: len: a missing value has no length"),
    ("{{ range nil }}{{ end }}", "line 1, column 10: nil alone has no value to print"),
    ("{{ if nil }}{{ end }}", "line 1, column 7: nil alone has no value to print"),
    ("{{ $x := nil }}", "line 1, column 10: nil alone has no value to print"),
    ("{{ break }}x{{ continue }}", "line 1, column 4: break outside of range"),
    ('{{ block "x" }}{{ end }}', "line 1, column 14: a value is missing in block"),
    ("{{ range .spec.list }}{{ else }}{{ break }}{{ end }}", "line 1, column 36: break outside of range"),
    (
        "{{range $k,$v:=.metadata.labels}}{{$k}}{{end}}{{$a:=1}}{{$a}}{{$a=2}}{{$a}}",
        "line 1, column 66: '=' can't be in a name",
    ),
    (
        '{{ le "a" "b" }} {{ ge 1.5 1.5 }} {{ gt .spec.half 0.1 }} {{ gt .spec.nope 1 }}',
        "line 1, column 62: gt: a missing value has no order",
    ),
    (
        "{{ true | print }} {{ print true | len }} {{ nil | print }}",
        "line 1, column 46: nil alone has no value to print",
    ),
    ('{{ template "x" 1 | print }}', "line 1, column 13: template 'x' is not defined"),
    ("{{ 1_0 }} {{ 0x_1 }} {{ 0777 }} {{ 08 }}", "line 1, column 36: 08 is not a number"),
    ("{{ 9223372036854775808 }}", "line 1, column 4: 9223372036854775808 is not a number"),
    ("{{ 1e400 }}", "line 1, column 4: 1e400 is not a number"),
    ("{{ 1e }}", "line 1, column 4: 1e is not a number"),
    ("{{ 0x }}", "line 1, column 4: 0x is not a number"),
    ("{{ 1.2.3 }}", "line 1, column 4: 1.2.3 is not a number"),
    ("{{ - 1 }}", "line 1, column 4: unexpected '-'"),
    ("{{ 'ab' }}", "line 1, column 4: a character has no end"),
    ("{{ '' }}", "line 1, column 4: a character has no end"),
    ('{{ "\\q" }}', "line 1, column 4: a \\ in quotes is followed by one of abfnrtvxuU, digits, \\ or quotes"),
    ('{{ "\\N{DASH}" }}', "line 1, column 4: a \\ in quotes is followed by one of abfnrtvxuU, digits, \\ or quotes"),
    ("{{ .metadata . }}", "line 1, column 4: only functions take values"),
    ("{{ if true }}{{ else if }}{{ end }}", "line 1, column 25: a value is missing in if"),
    ("{{ with }}{{ end }}", "line 1, column 9: a value is missing in with"),
    ("{{ range }}{{ end }}", "line 1, column 10: a value is missing in range"),
    ("{{ template }}", "line 1, column 13: unexpected }} in template: a name in quotes belongs there"),
    ('{{ template "a" "b" "c" }}', "line 1, column 13: template 'a' is not defined"),
    ("{{ end if }}", "line 1, column 8: unexpected if in end"),
    ("{{ if true }}a{{ end x }}", "line 1, column 22: unexpected x in end"),
    ('{{ define "a" "b" }}{{ end }}', 'line 1, column 15: unexpected "b" in define'),
    ('{{ template "a', "line 1, column 13: a quoted text has no end"),
    ("{{ else if true }}", "line 1, column 4: else without if, range, with or define"),
    ("{{ range $x }}{{ end }}", "line 1, column 10: variable $x is not defined"),
    ("{{ $x := 1 2 }}", "line 1, column 10: only functions take values"),
    ("{{ $x, := 1 }}", "line 1, column 4: variable $x is not defined"),
    ("{{ range $i, := .spec.list }}{{ end }}", "line 1, column 10: variable $i is not defined"),
    ("{{ range $i $x := .spec.list }}{{ end }}", "line 1, column 10: variable $i is not defined"),
    ("{{ .spec.list.0 }}", "line 1, column 14: unexpected .0 in an action"),
    ("{{ a.b }}", "line 1, column 4: function a is not defined"),
    ("{{ print.x }}", "line 1, column 4: a string has no field x"),
    ('{{ (print "a").x }}', "line 1, column 4: a string has no field x"),
    ("{{ (nil).x }}", "line 1, column 5: nil alone has no value to print"),
    ("{{ (nil) }}", "line 1, column 5: nil alone has no value to print"),
    ("{{ print (nil) }}", "line 1, column 11: nil alone has no value to print"),
    ("{{ {{ }} }}", "line 1, column 4: unexpected '{'"),
    ('{{{ "a" }}}', "line 1, column 3: unexpected '{'"),
    ("{{", "line 1, column 1: an action has no closing braces"),
    ("{{-", "line 1, column 3: unexpected '-'"),
    ("{{ /", "line 1, column 4: unexpected '/'"),
    ("{{ .x,y }}", "line 1, column 6: unexpected , in an action"),
    ("{{ .x=1 }}", "line 1, column 6: '=' can't be in a name"),
    ('{{ "a" := 1 }}', "line 1, column 8: unexpected := in an action"),
    ("{{ := 1 }}", "line 1, column 4: unexpected := in an action"),
    ("{{ @ }}", "line 1, column 4: unexpected '@'"),
    ("{{ ! }}", "line 1, column 4: unexpected '!'"),
    ("{{ break 1 }}", "line 1, column 4: break outside of range"),
    ("{{ range .spec.list }}{{ break x }}{{ end }}", "line 1, column 32: unexpected x in break"),
    ("{{ slice }}", "line 1, column 4: slice takes at least one value, not 0"),
    ('{{ slice "abc" 1 2 3 4 }}', "line 1, column 4: slice: too many places"),
    ('{{ slice .spec.list "a" }}', "line 1, column 4: slice: a place in a list is a whole number, not a string"),
    ("{{ call }}", "line 1, column 4: call takes at least one value, not 0"),
    ('{{ index .spec.podSets 0 "nope" "deep" }}', "line 1, column 4: index: a missing value has nothing to index"),
    ("{{ index nil }}", "line 1, column 4: index: a missing value has nothing to index"),
    ("{{ printf nil }}", "line 1, column 4: printf: the pattern is a string, not a missing value"),
    ("{{ printf .spec.nope }}", "line 1, column 4: printf: the pattern is a string, not a missing value"),
    ("{{ range 1.0 }}{{ end }}", "line 1, column 10: can't range over 1"),
    ("{{ range true }}{{ end }}", "line 1, column 10: can't range over true"),
    ("{{ range $a, $b := .spec.count }}{{ end }}", "line 1, column 10: a range over a number has one variable"),
    ("{{ if $x := .spec.count }}{{ end }}{{ $x }}", "line 1, column 39: variable $x is not defined"),
]

# Without missing keys; None is refused.
STRICT: list[tuple[str, str | None]] = [
    ("{{ .spec.nope }}", None),
    ("{{ .spec.nope.x }}", None),
    ("{{ .spec.none }}", "<no value>"),
    ('{{ index .spec "nope" }}', "<no value>"),
    ("{{ if .spec.nope }}x{{ end }}", None),
    ("{{ with $x := .spec }}{{ $x.nope }}{{ end }}", None),
    ("{{ range .spec.nope }}x{{ end }}", None),
    ("{{ .spec.nope | print }}", None),
    ("{{ eq .spec.nope 1 }}", None),
    ("{{ and true .spec.nope }}", None),
    ("{{ or true .spec.nope }}", "true"),
    ('{{ (index .spec "nope").x }}', None),
    ("{{ $x := .spec }}{{ $x.count }}", "3"),
]


def filled(template: str, document: Any = None, *, allow_missing: bool = True) -> str:
    value = DOCUMENT if document is None else document
    return gotemplate.render(gotemplate.parse(template), value, allow_missing=allow_missing)


@pytest.mark.parametrize(("template", "want"), ANSWERS)
def test_answers_are_those_of_kubectl(template: str, want: str) -> None:
    assert filled(template) == want


@pytest.mark.parametrize(("template", "want"), REFUSED)
def test_what_kubectl_refuses_is_refused_with_the_place(template: str, want: str) -> None:
    with pytest.raises(InputError) as caught:
        filled(template)
    assert (str(caught.value).removeprefix("template, "), caught.value.exit_code) == (want, 1)


@pytest.mark.parametrize(("template", "want"), STRICT)
def test_fields_that_must_be_there(template: str, want: str | None) -> None:
    if want is None:
        with pytest.raises(InputError, match=r"there is no field \w+$"):
            filled(template, allow_missing=False)
    else:
        assert filled(template, allow_missing=False) == want


@pytest.mark.parametrize(
    ("template", "want"),
    [
        ("{{range 5000000000}}{{end}}", "takes more than"),
        ('{{$x := "aaaaaaaa"}}{{range 100}}{{$x = print $x $x}}{{end}}', "the text becomes too long"),
        ("{{range 100}}{{print $.long}}{{end}}", "the template prints too much"),
        ('{{define "r"}}{{template "r"}}{{end}}{{template "r"}}', "more than 100 templates inside of each other"),
        ("{{" + "(" * 5000 + "1" + ")" * 5000 + "}}", "the template is nested too deeply"),
        ("{{if true}}" * 5000 + "{{end}}" * 5000, "the template is nested too deeply"),
        ("{{.deep}}", "the template is nested too deeply"),
        ('{{printf "%99999d" 1}}', "a width or precision is above 10000"),
        ("{{ 1i }}", "1i is not a number"),
        ("{{" + "9" * 6000 + "}}", "is not a number"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_what_never_ends_is_refused(template: str, want: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gotemplate, "_MOST_STEPS", 10_000)
    deep: list[Any] = []
    for _ in range(3000):
        deep = [deep]
    with pytest.raises(InputError, match=want):
        filled(template, {"deep": deep, "long": "x" * (1 << 20)})


@pytest.mark.parametrize("template", ["{{$x := $x}}", "{{range $x := $x}}{{end}}", "{{with $x := len $x}}{{end}}"])
def test_a_variable_is_not_made_of_itself(template: str) -> None:
    with pytest.raises(InputError, match=r"variable \$x has no value yet$"):
        filled(template)


def test_columns_are_counted_in_each_line() -> None:
    with pytest.raises(InputError, match=r"^template, line 3, column 4: function nope is not defined$"):
        gotemplate.parse("a\n{{ 1 }}\n {{nope}}")


@pytest.mark.parametrize(
    ("document", "want"),
    [
        ({"a": (1, 2)}, "[1 2]"),
        ({"a": 2**70}, "1180591620717411303424"),
        ({"a": float("inf")}, "+Inf"),
        ({"a": {2: "x", 1: "y"}}, "map[1:y 2:x]"),
        ({"a": "\ud800"}, "\ud800"),
    ],
)
def test_values_that_no_json_has(document: dict[str, Any], want: str) -> None:
    assert filled("{{.a}}", document) == want
    filled('{{html .a}}{{js .a}}{{urlquery .a}}{{printf "%q %x %v %d" .a .a .a .a}}{{len (print .a)}}', document)
