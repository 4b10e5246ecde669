// Command oracle asks a released Kueue: it runs its scheduler in process on clusters given as JSON, one a line, and
// prints what the scheduler decided, cycle by cycle. See README.md for the lines.
//
//	go build -o oracle . && python -m tests.generate --seed 1 --cases 10 | ./oracle
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"time"

	"github.com/go-logr/logr"
	ctrl "sigs.k8s.io/controller-runtime"
)

type options struct {
	oneCycle, quiet, reconcile, backoff, conditions, noDefaults, noCycles bool
	maxCycles                                                             int
	requeue                                                               string
	timeout                                                               time.Duration
	api                                                                   api
}

func main() {
	var o options
	flag.BoolVar(&o.oneCycle, "one-cycle", false, "stop after one cycle, before evictions and requeues")
	flag.IntVar(&o.maxCycles, "max-cycles", 0, "stop after this many cycles (default 10*workloads+100)")
	flag.StringVar(&o.requeue, "requeue", "each", "when inadmissible workloads come back after quota was released: after `each` cycle, or when the active queues are empty (drain)")
	flag.BoolVar(&o.reconcile, "reconcile", false, "also run Kueue's workload controller, on all workloads first and then on changed ones")
	flag.BoolVar(&o.backoff, "backoff", false, "keep workloads that wait for their requeue time out of the queues, as a running Kueue does and a starting one does not")
	flag.BoolVar(&o.conditions, "conditions", false, "print the final conditions of every workload")
	flag.BoolVar(&o.noDefaults, "no-defaults", false, "do not apply the API's defaults to ClusterQueues")
	flag.BoolVar(&o.noCycles, "no-cycles", false, "leave the cycles out of the output")
	flag.BoolVar(&o.quiet, "quiet", false, "no engine log lines: faster, but no order and no requeue reasons")
	flag.DurationVar(&o.timeout, "timeout", 30*time.Minute, "for one case")
	crds := flag.String("validate", "", "run nothing: check the objects against the CRDs in this `directory` and Kueue's webhooks")
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(), "usage: oracle [flags] [FILE...]   one JSON document per line, - or no file: standard input")
		flag.PrintDefaults()
	}
	flag.Parse()
	if o.requeue != "each" && o.requeue != "drain" {
		fmt.Fprintln(os.Stderr, "oracle: --requeue is each or drain")
		os.Exit(2)
	}
	ctrl.SetLogger(logr.Discard())
	if *crds != "" {
		a, err := loadAPI(*crds)
		if err != nil {
			fmt.Fprintln(os.Stderr, "oracle:", err)
			os.Exit(1)
		}
		o.api = a
	}
	w := bufio.NewWriter(os.Stdout)
	defer w.Flush()
	files := flag.Args()
	if len(files) == 0 {
		files = []string{"-"}
	}
	for _, name := range files {
		if err := each(name, o, w); err != nil {
			w.Flush()
			fmt.Fprintln(os.Stderr, "oracle:", err)
			os.Exit(1)
		}
	}
}

func each(name string, o options, w *bufio.Writer) error {
	f := os.Stdin
	if name != "-" {
		var err error
		if f, err = os.Open(name); err != nil {
			return err
		}
		defer f.Close()
	}
	r := bufio.NewReaderSize(f, 1<<20)
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	for {
		line, err := r.ReadBytes('\n')
		if len(line) > 1 {
			if e := enc.Encode(solve(line, o)); e != nil {
				return e
			}
			if e := w.Flush(); e != nil {
				return e
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func solve(line []byte, o options) (out *output) {
	out = &output{Cycles: []*cycle{}}
	defer func() {
		if p := recover(); p != nil {
			out.Error = fmt.Sprintf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	fail := func(err error) *output {
		out.Error = err.Error()
		return out
	}
	var in input
	if err := json.Unmarshal(line, &in); err != nil {
		return fail(err)
	}
	out.ID = in.ID
	if o.api != nil {
		out.Problems = o.api.check(in.Objects)
		return out
	}
	st, err := decode(in.Objects, !o.noDefaults)
	if err != nil {
		return fail(err)
	}
	undo, err := setGates(in.Given.FeatureGates)
	if err != nil {
		return fail(err)
	}
	defer undo()
	ctx, cancel := context.WithTimeout(context.Background(), o.timeout)
	defer cancel()
	e, ctx, err := newEngine(ctx, &in, st, o)
	if err != nil {
		return fail(err)
	}
	go e.queues.CleanUpOnContext(ctx)
	e.run(ctx, out)
	out.NCycles = e.cycles
	out.SetupMS, out.SchedulerMS, out.EventsMS = ms(e.setupTime.wall), ms(e.schedulerTime.wall), ms(e.eventTime.wall)
	out.ElapsedMS = ms(e.setupTime.wall + e.schedulerTime.wall + e.eventTime.wall)
	out.CPUMS = ms(e.setupTime.cpu + e.schedulerTime.cpu + e.eventTime.cpu)
	out.SchedulerCPUMS = ms(e.schedulerTime.cpu)
	if out.Final, err = e.final(ctx); err != nil {
		return fail(err)
	}
	if o.noCycles {
		out.Cycles = nil
	}
	return out
}
