package main

import (
	"fmt"
	"sync"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/klog/v2"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// trace collects what the engine says about one cycle and nowhere stores: the order in which heads were taken, and why
// and whether each was put back. Its sources are the engine's own log lines (verbosity 2) and events.
type trace struct {
	mu        sync.Mutex
	order     []string
	requeued  []requeue
	preemptor map[string]string // victim -> workload that preempts it
	errors    []string
}

type requeue struct {
	key, reason, status string
	added               bool
}

func (t *trace) reset() {
	t.order, t.requeued, t.errors = nil, nil, nil
	t.preemptor = map[string]string{}
}

// sink is a log sink that keeps three kinds of lines and drops the rest.
type sink struct {
	t      *trace
	level  int
	values []any
}

func (s sink) Init(logr.RuntimeInfo)        {}
func (s sink) Enabled(level int) bool       { return level <= s.level }
func (s sink) WithName(string) logr.LogSink { return s }
func (s sink) WithValues(kv ...any) logr.LogSink {
	s.values = append(s.values[:len(s.values):len(s.values)], kv...)
	return s
}

func (s sink) Error(err error, msg string, kv ...any) {
	s.t.mu.Lock()
	defer s.t.mu.Unlock()
	s.t.errors = append(s.t.errors, fmt.Sprintf("%s: %v", msg, err))
}

func (s sink) Info(_ int, msg string, kv ...any) {
	switch msg {
	case "Attempting to schedule workload":
		s.t.mu.Lock()
		s.t.order = append(s.t.order, text(s.values, "workload"))
		s.t.mu.Unlock()
	case "Workload re-queued":
		r := requeue{key: text(kv, "workload"), reason: text(kv, "requeueReason"), status: text(kv, "status"), added: text(kv, "added") == "true"}
		s.t.mu.Lock()
		s.t.requeued = append(s.t.requeued, r)
		s.t.mu.Unlock()
	case "Workload re-queued for second pass":
		s.t.mu.Lock()
		s.t.requeued = append(s.t.requeued, requeue{key: text(kv, "workload"), reason: "SecondPass", status: text(kv, "status"), added: true})
		s.t.mu.Unlock()
	}
}

func text(kv []any, name string) string {
	for i := len(kv) - 2; i >= 0; i -= 2 {
		if kv[i] == name {
			if o, ok := kv[i+1].(klog.ObjectRef); ok {
				return o.Namespace + "/" + o.Name
			}
			return fmt.Sprint(kv[i+1])
		}
	}
	return ""
}

// events is the event recorder; all it keeps is who preempts whom, which stands nowhere else.
type events struct{ t *trace }

func (e *events) Eventf(regarding, _ runtime.Object, _, reason, _, _ string, args ...any) {
	preemptor, ok := regarding.(client.Object)
	if !ok || reason != "PreemptedWorkload" || len(args) == 0 {
		return
	}
	if victim, ok := args[0].(klog.ObjectRef); ok {
		e.t.mu.Lock()
		e.t.preemptor[victim.Namespace+"/"+victim.Name] = preemptor.GetNamespace() + "/" + preemptor.GetName()
		e.t.mu.Unlock()
	}
}
